// Package chain combines several price feeds into one. It asks them in order, and the
// first one that has the price returns it.
//
//	feed, err := chain.New([]ports.PriceFeed{desk, bank}, nil)
//	if err != nil {
//		return err
//	}
//	price, err := feed.Mid(ctx, ports.Pair{Base: "USD", Quote: "ZAR"})
//	// price.Source names the feed
//
// A feed is skipped if it does not offer the pair, has no price, fails, panics, takes
// longer than its share of [Config.Timeout], or returns an invalid answer: another
// pair's price, a mid that ports.SetRate rejects, a price from the future. A price
// older than [Config.MaxAge] is only used if no feed has a younger one; the youngest of
// the old prices is returned then.
//
// Concurrent callers for the same pair share one look-up, which does not end when one
// of them leaves.
package chain
