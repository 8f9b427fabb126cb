// Package sandbox is a price feed for trying out and for demonstrations: one
// real day's mids of USD, EUR and GBP against ZAR, NGN, KES, GHS, EGP and XOF,
// the way back, and those three among themselves. The prices are stamped with
// the clock of the look, so that they never grow stale; the day and the source
// stand in table.go. It must not price real payments.
//
//	feed, err := sandbox.New(nil)
//	if err != nil {
//		return err
//	}
//	price, err := feed.Mid(ctx, ports.Pair{Base: "USD", Quote: "ZAR"})
//	// price.Mid is "16.1563"
//	err = feed.Set(price.Pair, "17.0000") // the market drifts
package sandbox
