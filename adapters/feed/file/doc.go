// Package file is a price feed out of a JSON file, for rates that come from a
// treasury desk, a batch job or a tool of one's own:
//
//	{"rates":[{"base":"USD","quote":"ZAR","mid":"18.2500","at":"2026-11-20T15:00:00Z"},
//	          {"base":"USD","quote":"XOF","mid":null}]}
//
// 1 base = mid quote, as decimal text. A pair that the file names is on offer; a
// mid of null says that it has no live price now. at is the source's own time of
// the price; where it is left out, the price is as of the last good look at the
// file, since a file that is there is in force.
//
//	feed, err := file.New("/etc/corridor/rates.json", nil)
//	if err != nil {
//		return err // the file is missing or broken
//	}
//	price, err := feed.Mid(ctx, ports.Pair{Base: "USD", Quote: "ZAR"})
//
// # Changes
//
// The file may be written in place or replaced by a rename. It is read again, at
// most once per [Config.CheckEvery], when somebody asks. Its bytes decide
// whether it has changed, not its time: copies that keep the time and two writes
// within one tick of the file system's clock are seen as well.
//
// A version that is broken as a whole, or gone, is logged once, and the last
// good one stays in force with the times that its prices had. A version is taken
// whole or not at all: an unknown or doubled key, a doubled pair, a code that is
// not three capitals, base = quote, a mid that ports.SetRate refuses, or text
// behind the JSON value make it broken.
package file
