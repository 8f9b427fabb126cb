// Package ratelock locks exchange rates: a lock fixes the all-in rate of an owner's
// currency pair for any number of transactions, until it expires or is cancelled.
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
//	back, err := rate.Refund(0, 2_50, ports.RoundHalfUp) // 2.50 USD of it, the first refund
//
// # Direction
//
// The merchant prices in the base, and the payer pays in the quote: 1 base = allInRate
// quote, and the markup increases what the payer pays. With the pair swapped, the
// merchant would pay the markup. Therefore [Service.Use] requires the pair and checks it.
//
// # The cap
//
// At most two locks of an owner's ordered pair are valid at once (SPEC 8), so that a
// shop can use an old and a new lock side by side. [Book] implements this rule without
// I/O, and stores enforce it by compare-and-swap on the book's version: it holds in spite
// of crashes, jumping clocks and other processes. The third [Service.Create] returns the
// freshest lock, and works while the feed is down.
//
// # Time
//
// A book decides at the clock's time, but never at a time before its last decision:
// createdAt rises by at least a millisecond from lock to lock. The first read that finds
// an expired lock stores the expiry before it returns, so that the lock stays expired
// even if the clock jumps back.
//
// # What runs when
//
//	| part            | does                               | without it |
//	|-----------------|------------------------------------|------------|
//	| Service.Run     | Sweep and Drift every Config.Every | no drift cancellation; expiry events are raised by the next read |
//	| Keeper.Run      | mints replacements in advance      | the first Current near the end of a lock waits for the feed |
//	| an outbox relay | delivers the stored events         | events stay in the store |
//
// # Decisions
//
//   - Minting takes two round trips to the store: read the book, save the change.
//     Concurrent calls in one process queue for the book, but not while they wait for
//     the feed. Calls in different processes conflict and decide again. Counting and
//     inserting in one SQL statement was rejected, because the statement's snapshot is
//     older than the row lock that it waits for.
//   - Rates are exact: the all-in rate is computed by a multiplication and a shift of
//     the point. [ports.LockedRate] rounds amounts once, by the caller's rounding.
//   - Drift needs confirmation, since feeds have bad ticks. A stale price does not
//     confirm anything.
//   - A book with a record that this package cannot have written is rejected with
//     [errcodes.CorruptRecord]. Other books are not affected.
package ratelock
