// Package relay takes events out of a store's outbox and passes them to a sink, at
// least once and in order per key.
//
//	r, err := relay.New(relay.Ports{Outbox: store.Outbox(), Sink: mySink}, relay.Policy{}, nil)
//	if err != nil { … }
//	go r.Run(ctx)
//
// A failed delivery is tried again with exponential backoff, or when the receiver
// asked for it (Retry-After). Later events of the same key wait for it, those of other
// keys do not. An event is buried if the receiver says that it can never be
// delivered, or if Policy.Attempts are used up: it stays in the store until an
// operator replays it.
//
// Without a relay the events stay in the store; an embedder that wants none uses a
// sink that returns nil.
//
// Any number of relays, in any number of processes, may drain one outbox, if the sink
// answers within half of Config.Lease: a delivery that outlives its lease may overlap
// with another relay's of the same event.
package relay
