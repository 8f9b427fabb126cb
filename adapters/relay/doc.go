// Package relay takes events out of a store's outbox and hands them to a sink,
// at least once and in order per key.
//
//	r, err := relay.New(store.Outbox(), mySink, nil)
//	if err != nil { … }
//	go r.Run(ctx)
//
// A delivery that fails is tried again with exponential backoff, or when the
// receiver asked to be tried (Retry-After); later events of the same key wait
// for it, other keys do not. An event that can never be delivered, because the
// receiver says so or because its attempts are used up, is buried: it stays in
// the store until somebody replays it.
//
// A store without a relay keeps its events for ever: who wants none gives a sink
// that answers nil.
//
// Any number of relays, in any number of processes, may drain one outbox, as
// long as the sink answers within half of Config.Lease: a delivery that outlives
// its lease may overlap with another relay's of the same event.
package relay
