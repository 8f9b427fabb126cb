// Package memory is a store that lives in the process: for tests, for
// development, and for services that may forget everything at a restart. It
// keeps every store port (rate locks, validations, transactions, report
// jobs, answers, secrets, clients, tokens, work, outbox, dead letters) and passes
// the suites of ports/portstest/storetest without exception, so that what holds
// on it holds on a durable store.
//
//	store, err := memory.New(nil)
//	if err != nil {
//		return err
//	}
//	defer store.Close()
//	locks := store.RateLocks()
//	book, err := locks.Book(ctx, ports.BookKey{Owner: "acme", Pair: ports.Pair{Base: "USD", Quote: "ZAR"}})
//	…
//	err = locks.Save(ctx, ports.RateLockChange{Book: book, Locks: minted, Events: events})
//	events, err := store.Outbox().Claim(ctx, now, time.Minute, 100)
//
// Reading a book takes one of 64 short locks, one map look-up and a copy. One
// lock guards all the rest: a save holds it alone, which makes the change one
// instant for every reader. A listing costs its page and a search, however many
// locks of other pairs there are. Ended locks stay, since their ids must still
// be found: memory grows with every lock ever minted. Transactions and
// audit rows stay as well, buried events until they are replayed or discarded,
// validations and answers until they are purged, report jobs until they are
// removed. Cached answers have 64 locks of their own: asking for one waits for no
// save.
package memory
