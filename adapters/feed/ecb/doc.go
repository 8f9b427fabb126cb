// Package ecb is a price feed out of the European Central Bank's daily euro
// foreign exchange reference rates, as the bank publishes them in XML.
//
//	feed, err := ecb.New(ecb.DailyURL, nil)
//	if err != nil {
//		return err
//	}
//	price, err := feed.Mid(ctx, ports.Pair{Base: "USD", Quote: "ZAR"})
//	// price.At is the day of the rates, at 12:00 UTC
//
// The bank publishes for information; it strongly discourages the use of these
// rates for transactions.
//
// # Prices
//
// The bank gives units of a currency for one euro. EUR to X is its text, byte
// for byte; X to EUR and X to Y are worked out from it and rounded half-even to
// 10 significant digits. EUR, some 30 currencies, and all pairs of them are on
// offer.
//
// # Time
//
// The file names a day and no hour. The rates are of about 14:10 in Frankfurt
// (12:10 UTC in summer, 13:10 in winter) and appear there at about 16:00. A price
// is stamped 12:00 UTC of its day: never later than the market that it speaks
// of, so that an old price can't pass for a fresher one. On TARGET holidays
// nothing appears: by the time that Tuesday's rates come out after Easter,
// Thursday's are 122 hours old.
//
// # Looks
//
// The feed looks when somebody asks for a price and the last look is older than
// [Config.RefreshEvery], once for all who ask. They wait for it, unless the look
// before it failed: then they get the last good price, with its own time, while
// the source is tried again every [Config.RetryEvery]. How old a price may be is
// for the caller to judge.
//
// An answer is taken whole or not at all. Refused are: another status than 200,
// redirects too; more than [Config.MaxBody] bytes; what is not the bank's XML; a
// day in the future, or before the one in force; a rate that ports.SetRate
// refuses, of a currency or of a cross; a currency that is there twice.
package ecb
