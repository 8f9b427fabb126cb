package storetest

import (
	"bytes"
	"fmt"
	"time"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// eventChecks: what is handed out, and when it first may be.
var eventChecks = []storeCheck{
	{"an empty outbox hands out nothing, without an error", emptyOutbox},
	{"an event comes out as it was saved", eventRoundTrip},
	{"an event waits from its save on, whatever its time says", eventWaitsAtOnce},
	{"data of any bytes comes back", eventData},
	{"changing data that was passed in or handed out changes nothing stored", eventNotAliased},
	{"every event of a change is stored", eventsOfOneChange},
	{"an id that an event of another change has is that of an event of its own", eventIDAgain},
}

// anyData are anyBytes, and no bytes that are not nil.
var anyData = append([][]byte{{}}, kit.AnyBytes...)

func emptyOutbox(k *storeKit) {
	k.Same(len(k.claimEvents(kit.Epoch, 10)), 0, "the number of events in an empty outbox")
}

func eventRoundTrip(k *storeKit) {
	want := kit.Event("event-1", "lock-1")
	want.Attempt, want.Claim = 7, 7 // set by Claim: what was saved does not count
	k.carryEvents(want)
	want.Attempt = 1
	got := k.claimEvents(kit.Epoch, 10)
	k.Same(len(got), 1, "the number of events")
	k.Same(got[0], want, "the event")
}

func eventWaitsAtOnce(k *storeKit) {
	e := kit.Event("event-1", "lock-1")
	e.At = kit.Epoch.Add(time.Hour) // a book may decide ahead of this process's clock
	k.carryEvents(e)
	k.Same(len(k.claimEvents(kit.Epoch, 10)), 1, "the number of events")
}

func eventData(k *storeKit) {
	for i, data := range anyData {
		want := kit.Event(fmt.Sprint("event-", i), fmt.Sprint("lock-", i))
		want.Data = data
		k.carryEvents(want)
		want.Attempt = 1
		got := k.claimEvents(kit.Epoch, 10)
		k.Same(len(got), 1, "the number of events")
		k.Same(got[0], want, "the event")
		k.sameBytes(got[0].Data, data, "the event's data")
	}
}

func eventNotAliased(k *storeKit) {
	in := kit.Event("event-1", "lock-1")
	want := in
	want.Data = bytes.Clone(in.Data)
	k.carryEvents(in)
	in.Data[0] = '!'
	for attempt := range 2 {
		want.Attempt = attempt + 1
		got := k.claimEvents(kit.Epoch.Add(time.Duration(attempt)*lease), 1)
		k.Same(len(got), 1, "the number of events")
		k.Same(got[0], want, "the event after its bytes were changed outside")
		got[0].Data[0] = '?'
	}
}

func eventsOfOneChange(k *storeKit) {
	var events []ports.Event
	for i := range 50 {
		events = append(events, kit.Event(fmt.Sprint("event-", i), fmt.Sprint("lock-", i)))
	}
	k.carryEvents(events...)
	k.Same(eventIDs(k.claimEvents(kit.Epoch, 1000)), eventIDs(events), "the events of one change")
}

func eventIDs(events []ports.Event) []string {
	out := []string{}
	for _, e := range events {
		out = append(out, e.ID)
	}
	return out
}
