// Package file is a price feed that reads a JSON file, for rates of a treasury desk, a
// batch job or a tool:
//
//	{"rates":[{"base":"USD","quote":"ZAR","mid":"18.2500","at":"2026-11-20T15:00:00Z"},
//	          {"base":"USD","quote":"XOF","mid":null}]}
//
// 1 base = mid quote, as decimal text. The feed offers the pairs in the file; a mid of
// null means that there is no live price now. at is the time of the price at its
// source. Without it, the time is that of the last successful check of the file, since
// prices are valid as long as they are in the file.
//
//	feed, err := file.New("/etc/corridor/rates.json", nil)
//	if err != nil {
//		return err // the file is missing or invalid
//	}
//	price, err := feed.Mid(ctx, ports.Pair{Base: "USD", Quote: "ZAR"})
//
// # Changes
//
// The file may be written in place or replaced by a rename. A call reads it again, at
// most once per [Config.CheckEvery]. Its bytes decide whether it has changed, not its
// time: copies that keep the time, and two writes within one tick of the file system's
// clock, are noticed as well.
//
// A new version is logged with the number of its pairs. If a version is invalid or the
// file is gone, that is logged once, and the last valid version stays in force with
// the times that its prices had. A version is used as a whole or not at all. These
// make it invalid: an unknown or repeated key, a repeated pair, a currency without
// ports.MinorDigits, such as one that ISO 4217 does not know, or gold, base = quote, a
// mid that ports.SetRate rejects, or text after the JSON value. A file with more than
// ports.MaxFeedCurrencies is invalid too, since ISO 4217 has fewer.
package file
