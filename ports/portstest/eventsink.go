package portstest

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// SinkHarness opens event sinks for the suite.
type SinkHarness struct {
	// Open gives a sink whose receiver takes everything.
	Open func(tb testing.TB) Sink
	// Except names checks that the sink cannot pass, each with the reason.
	Except map[string]string
}

// Sink is an open event sink, with what the suite needs to see of it.
type Sink struct {
	ports.EventSink
	// Received gives the ids of what the receiver has, repeats included, in
	// any order. Nil leaves out the checks that need it.
	Received func() []string
	// Refuse makes the receiver fail every delivery from now on. Nil leaves
	// out the check that needs it.
	Refuse func()
}

// EventSink checks a ports.EventSink.
func EventSink(t *testing.T, h SinkHarness) {
	t.Helper()
	var all []string
	for _, c := range sinkChecks {
		all = append(all, c.name)
	}
	checkExceptions(t, h.Except, all)
	for _, c := range sinkChecks {
		t.Run(c.name, func(t *testing.T) {
			if reason, ok := h.Except[c.name]; ok {
				t.Skip("excepted: " + reason)
			}
			c.run(&kit{TB: t}, h.Open(t))
		})
	}
}

type sinkCheck struct {
	name string
	run  func(k *kit, s Sink)
}

var sinkChecks = []sinkCheck{
	{"what is delivered has been received", sinkDelivers},
	{"the same event may come again", sinkRepeats},
	{"the data of an event is not changed", sinkLeavesData},
	{"many deliveries at once all arrive", sinkConcurrent},
	{"a context that is done gives its own code and delivers nothing", sinkCancelled},
	{"a delivery that fails is an error with a code", sinkRefused},
}

func (k *kit) deliver(s Sink, e ports.Event) {
	k.Helper()
	k.ok(s.Deliver(k.Context(), e), "Deliver")
}

// received checks how often each of the ids has arrived.
func (k *kit) received(s Sink, want map[string]int) {
	k.Helper()
	k.need(s.Received != nil, "Received")
	got := map[string]int{}
	for _, id := range s.Received() {
		got[id]++
	}
	k.same(got, want, "what was received")
}

func sinkDelivers(k *kit, s Sink) {
	want := map[string]int{}
	for i, data := range [][]byte{[]byte(`{}`), []byte(`{"name":"café"}`), []byte(`"` + string(bytes.Repeat([]byte("a"), 64<<10)) + `"`)} {
		e := event(fmt.Sprint("event-", i), "lock-1")
		e.Data = data
		k.deliver(s, e)
		want[e.ID] = 1
	}
	k.received(s, want)
}

func sinkRepeats(k *kit, s Sink) {
	k.need(s.Received != nil, "Received")
	k.deliver(s, event("event-1", "lock-1"))
	k.deliver(s, event("event-1", "lock-1"))
	for _, id := range s.Received() {
		k.same(id, "event-1", "what was received")
	}
}

func sinkLeavesData(k *kit, s Sink) {
	e := event("event-1", "lock-1")
	e.Data = append(make([]byte, 0, 1024), e.Data...)
	whole := bytes.Clone(e.Data[:cap(e.Data)])
	k.deliver(s, e)
	if !bytes.Equal(e.Data[:cap(e.Data)], whole) {
		k.Fatalf("Deliver changed the event's data")
	}
}

func sinkConcurrent(k *kit, s Sink) {
	id := func(i int) string { return fmt.Sprint("event-", i) }
	errs := race(racers, func(i int) error { return s.Deliver(k.Context(), event(id(i), id(i))) })
	want := map[string]int{}
	for i, err := range errs {
		k.ok(err, "Deliver, many at once")
		want[id(i)] = 1
	}
	k.received(s, want)
}

func sinkCancelled(k *kit, s Sink) {
	for code, ctx := range done(k) {
		k.code(s.Deliver(ctx, event("event-1", "lock-1")), code, "Deliver with a context that is done")
	}
	k.received(s, map[string]int{})
}

func sinkRefused(k *kit, s Sink) {
	k.need(s.Refuse != nil, "Refuse")
	s.Refuse()
	err := s.Deliver(k.Context(), event("event-1", "lock-1"))
	if code := errcodes.Of(err); code == "" || code == errcodes.Internal {
		k.Fatalf("Deliver to a receiver that fails: error code %q (%v); an error without a code tells nobody whether to try again", code, err)
	}
}
