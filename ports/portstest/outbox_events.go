package portstest

import (
	"bytes"
	"fmt"
	"time"

	"github.com/corridor-go/corridor/ports"
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

// anyBytes are payloads that text columns and careless copies damage.
var anyBytes = [][]byte{
	nil,
	{0},
	[]byte("a\x00b\xff\xfe\xc3("),
	[]byte(`{"name":"caf\u00e9"} `),
	bytes.Repeat([]byte("0123456789abcdef"), 4096),
}

// anyData are anyBytes, and no bytes that are not nil.
var anyData = append([][]byte{{}}, anyBytes...)

func emptyOutbox(k *kit) {
	k.same(len(k.claimEvents(epoch, 10)), 0, "the number of events in an empty outbox")
}

func eventRoundTrip(k *kit) {
	want := event("event-1", "lock-1")
	want.Attempt, want.Claim = 7, 7 // set by Claim: what was saved does not count
	k.carryEvents(want)
	want.Attempt = 1
	got := k.claimEvents(epoch, 10)
	k.same(len(got), 1, "the number of events")
	k.same(got[0], want, "the event")
}

func eventWaitsAtOnce(k *kit) {
	e := event("event-1", "lock-1")
	e.At = epoch.Add(time.Hour) // a book may decide ahead of this process's clock
	k.carryEvents(e)
	k.same(len(k.claimEvents(epoch, 10)), 1, "the number of events")
}

func eventData(k *kit) {
	for i, data := range anyData {
		want := event(fmt.Sprint("event-", i), fmt.Sprint("lock-", i))
		want.Data = data
		k.carryEvents(want)
		want.Attempt = 1
		got := k.claimEvents(epoch, 10)
		k.same(len(got), 1, "the number of events")
		k.same(got[0], want, "the event")
		k.sameBytes(got[0].Data, data, "the event's data")
	}
}

func eventNotAliased(k *kit) {
	in := event("event-1", "lock-1")
	want := in
	want.Data = bytes.Clone(in.Data)
	k.carryEvents(in)
	in.Data[0] = '!'
	for attempt := range 2 {
		want.Attempt = attempt + 1
		got := k.claimEvents(epoch.Add(time.Duration(attempt)*lease), 1)
		k.same(len(got), 1, "the number of events")
		k.same(got[0], want, "the event after its bytes were changed outside")
		got[0].Data[0] = '?'
	}
}

func eventsOfOneChange(k *kit) {
	var events []ports.Event
	for i := range 50 {
		events = append(events, event(fmt.Sprint("event-", i), fmt.Sprint("lock-", i)))
	}
	k.carryEvents(events...)
	k.same(eventIDs(k.claimEvents(epoch, 1000)), eventIDs(events), "the events of one change")
}

func eventIDs(events []ports.Event) []string {
	out := []string{}
	for _, e := range events {
		out = append(out, e.ID)
	}
	return out
}
