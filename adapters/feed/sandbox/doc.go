// Package sandbox is a price feed for trials and demonstrations: one real day's mids of
// USD, EUR and GBP to ZAR, NGN, KES, GHS, EGP and XOF, the inverse pairs, and the pairs
// of those three. The time of a price is the time of the call, so prices never grow
// stale; the day and the source are in table.go. It must not price real payments.
//
//	feed, err := sandbox.New(nil)
//	if err != nil {
//		return err
//	}
//	price, err := feed.Mid(ctx, ports.Pair{Base: "USD", Quote: "ZAR"})
//	// price.Mid is "16.1563"
//	err = feed.Set(price.Pair, "17.0000") // the market moves
package sandbox
