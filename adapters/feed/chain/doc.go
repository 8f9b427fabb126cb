// Package chain makes one price feed out of several, asked in order: the first
// one that has the price gives it.
//
//	feed, err := chain.New([]ports.PriceFeed{desk, bank}, &chain.Config{MaxAge: time.Hour})
//	if err != nil {
//		return err
//	}
//	price, err := feed.Mid(ctx, ports.Pair{Base: "USD", Quote: "ZAR"})
//	// price.Source tells which feed it came from
//
// A feed is passed over when it does not offer the pair, has no price, fails,
// panics, takes longer than its share of [Config.Timeout], or gives what is no
// answer: another pair's price, a mid that ports.SetRate refuses, a price from
// the future. A price older than [Config.MaxAge] is kept back while another feed
// is left; when none has a younger one, the youngest of those kept back is the
// answer.
//
// Those who ask for the same pair at the same time share one look. It does not
// end when one of them leaves.
package chain
