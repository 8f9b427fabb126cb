// Package ratelock locks exchange rates: a fixed all-in rate for an owner's
// currency pair, good for many transactions until it expires or is cancelled.
//
//	terms := ratelock.Terms{MarkupBps: 150, Validity: 24 * time.Hour, ToleranceBps: 200}
//	locks, err := ratelock.New(ratelock.Ports{Locks: store, Feed: feed}, terms, nil)
//	if err != nil { … }
//	go locks.Run(ctx) // expiry events and drift cancellation
//
//	pair := ports.Pair{Base: "USD", Quote: "ZAR"}
//	lock, _, err := locks.Current(ctx, "shop-7", pair, time.Hour)
//	rate, err := locks.Use(ctx, "shop-7", lock.ID, pair)
//	due, err := rate.ToQuote(10_00, ports.RoundHalfUp) // 10.00 USD in cents of ZAR
//
// # Direction
//
// The base is the currency that the merchant prices in, the quote the one that
// the payer pays in; 1 base = allInRate quote, and the markup makes the payer
// pay more quote. A swapped pair pays the markup away: name the sides, and let
// [Service.Use] check them.
//
// # The cap
//
// At most two locks of an owner's ordered pair are valid at once (SPEC 8), so
// that shops can overlap an old and a new one. [Book] holds the rule, once and
// purely; stores guard it by compare-and-swap on the book's version. Neither a
// crash, nor a clock that jumps, nor another process breaks it. The third
// [Service.Create] returns the freshest lock; it needs no price, so it works while
// the feed is down.
//
// # Time
//
// A book decides at the clock's time, but never earlier than what it decided
// before: createdAt rises by at least a millisecond from lock to lock. The
// first read that finds a lock expired writes that down before it answers, so
// that a clock that jumps back brings no lock back to life.
//
// # What runs when
//
//	| piece           | does                                        | without it |
//	|-----------------|---------------------------------------------|------------|
//	| Service.Run     | Sweep and Drift every Config.Every          | no drift cancellation; expiry events come with the next read |
//	| Keeper.Run      | mints replacements ahead of time            | the first Current near the end of a lock asks the feed |
//	| an outbox relay | delivers the events that every change wrote | they wait in the store |
//
// # Decisions
//
//   - Two round trips mint a lock: read the book, save the change. Racers of one
//     process queue on the book between the two, never across the feed; racers of
//     several conflict and decide again. Counting and inserting in one SQL
//     statement was rejected: its snapshot is older than the lock it waits for.
//   - Prices are exact: the all-in rate is a multiplication and a shift of the
//     point. Amounts are rounded once, where [ports.LockedRate] converts them, as the
//     caller names it.
//   - Drift needs confirmation, since feeds have bad ticks. A price that is stale
//     confirms nothing.
//   - A record that this package cannot have written is refused with
//     errcodes.CorruptRecord, and its book with it; other books are not affected.
package ratelock
