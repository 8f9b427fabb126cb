package portstest

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
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
	kit.Run(t, h.Except, sinkChecks, func(t *testing.T) *sinkKit {
		return &sinkKit{kit.Kit{TB: t}, h.Open(t)}
	})
}

type sinkKit struct {
	kit.Kit
	Sink
}

type sinkCheck kit.Check[*sinkKit]

var sinkChecks = []sinkCheck{
	{"what is delivered has been received", func(k *sinkKit) {
		want := map[string]int{}
		for i, data := range [][]byte{[]byte(`{}`), []byte(`{"name":"café"}`), []byte(`"` + string(bytes.Repeat([]byte("a"), 64<<10)) + `"`)} {
			e := kit.Event(fmt.Sprint("event-", i), "lock-1")
			e.Data = data
			k.deliver(e)
			want[e.ID] = 1
		}
		k.received(want)
	}},
	{"the same event may come again", func(k *sinkKit) {
		k.Need(k.Received != nil, "Received")
		k.deliver(kit.Event("event-1", "lock-1"))
		k.deliver(kit.Event("event-1", "lock-1"))
		for _, id := range k.Received() {
			k.Same(id, "event-1", "what was received")
		}
	}},
	{"the data of an event is not changed", func(k *sinkKit) {
		e := kit.Event("event-1", "lock-1")
		e.Data = append(make([]byte, 0, 1024), e.Data...)
		whole := bytes.Clone(e.Data[:cap(e.Data)])
		k.deliver(e)
		if !bytes.Equal(e.Data[:cap(e.Data)], whole) {
			k.Fatalf("Deliver changed the event's data")
		}
	}},
	{"many deliveries at once all arrive", func(k *sinkKit) {
		id := func(i int) string { return fmt.Sprint("event-", i) }
		errs := kit.Race(kit.Racers, func(i int) error { return k.Deliver(k.Context(), kit.Event(id(i), id(i))) })
		want := map[string]int{}
		for i, err := range errs {
			k.OK(err, "Deliver, many at once")
			want[id(i)] = 1
		}
		k.received(want)
	}},
	{"a context that is done gives its own code and delivers nothing", func(k *sinkKit) {
		kit.EachOf(k, kit.Done(k), func(code errcodes.Code, ctx context.Context) {
			k.Code(k.Deliver(ctx, kit.Event("event-1", "lock-1")), code, "Deliver with a context that is done")
		})
		k.received(map[string]int{})
	}},
	{"a delivery that fails is an error with a code", func(k *sinkKit) {
		k.Need(k.Refuse != nil, "Refuse")
		k.Refuse()
		err := k.Deliver(k.Context(), kit.Event("event-1", "lock-1"))
		if code := errcodes.Of(err); code == "" || code == errcodes.Internal {
			k.Fatalf("Deliver to a receiver that fails: error code %q (%v); an error without a code tells nobody whether to try again", code, err)
		}
	}},
}

func (k *sinkKit) deliver(e ports.Event) {
	k.OK(k.Deliver(k.Context(), e), "Deliver")
}

func (k *sinkKit) received(want map[string]int) {
	k.Need(k.Received != nil, "Received")
	got := map[string]int{}
	for _, id := range k.Received() {
		got[id]++
	}
	k.Same(got, want, "what was received")
}
