// Package relay delivers the events in a store's outbox to a sink, at least once and in
// order per key.
//
//	r, err := relay.New(relay.Ports{Outbox: store.Outbox(), Sink: mySink}, relay.Policy{}, nil)
//	if err != nil { … }
//	go r.Run(ctx)
//
// A failed delivery is tried again with exponential backoff, or when the receiver asked
// for it (Retry-After). Later events of the same key wait for it, those of other keys
// do not. An event is buried if the receiver reports that it can never be delivered, or
// if Policy.Attempts are used up: it stays in the store until an operator replays it.
//
// Without a relay, events stay in the store. An embedder that needs no events uses a
// sink that returns nil.
//
// Any number of relays and processes may share an outbox, if the sink answers within
// half of Config.Lease. A delivery that outlives its lease may overlap with another
// relay's delivery of the same event.
package relay
