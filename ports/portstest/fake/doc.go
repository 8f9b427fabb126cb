// Package fake contains implementations of ports that a test controls: a price
// feed, an account connector, and report files and scratch space in memory. For
// stores, tests use adapters/memory.
//
//	feed := fake.NewFeed(clock.Now)
//	feed.Offer(ports.Pair{Base: "USD", Quote: "ZAR"}, "18.50")
//	feed.Fail(nil) // the source is down, until feed.Recover()
package fake
