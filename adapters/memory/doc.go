// Package memory is a store in the memory of the process: for tests, for development,
// and for services that may lose everything at a restart. It implements every store
// port (rate locks, validations, transactions, report jobs, answers, secrets, clients,
// tokens, work, outbox, dead letters) and passes all suites of
// ports/portstest/storetest, so code that works with it works with a durable store.
//
//	store, err := memory.New(nil)
//	if err != nil {
//		return err
//	}
//	defer store.Close()
//	locks := store.RateLocks()
//	book, err := locks.Book(ctx, ports.BookKey{Owner: "acme", Pair: ports.Pair{Base: "USD", Quote: "ZAR"}})
//	…
//	err = locks.Save(ctx, ports.RateLockChange{Book: book, Minted: &lock, Events: events})
//	claimed, err := store.Outbox().Claim(ctx, now, time.Minute, 100)
//
// Reading a book takes one of 64 short locks, one map look-up and a copy. Cached
// answers have 64 locks of their own: reading one does not wait for a save. A single
// lock guards everything else, so all readers see a save at the same instant. The cost
// of a listing depends on its page, not on how many locks other pairs have.
//
// Ended rate locks stay, because their ids must still be found: memory grows with every
// lock ever minted. Transactions and audit rows stay as well. Buried events stay until
// they are replayed or discarded, validations and answers until they are purged, report
// jobs until they are removed.
package memory
