// Package fake holds implementations of ports that a test moves by hand: a price
// feed, an account connector, and report files and scratch in memory. The store
// to test with is adapters/memory.
//
//	feed := fake.NewFeed(clock.Now)
//	feed.Offer(ports.Pair{Base: "USD", Quote: "ZAR"}, "18.50")
//	feed.Fail(nil) // the source is down, until feed.Recover()
package fake
