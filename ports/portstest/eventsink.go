package portstest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// SinkHarness opens event sinks for the suite.
type SinkHarness struct {
	// Open returns a sink whose receiver accepts everything.
	Open func(tb testing.TB) Sink
	// Except maps checks that the sink cannot pass to the reason.
	Except map[string]string
}

// Sink is an open event sink, with what the suite needs to observe it.
type Sink struct {
	ports.EventSink
	// Received returns the ids of the events received, repeats included, in any
	// order. If it is nil, the checks that need it are skipped.
	Received func() []string
	// Refuse makes the receiver fail every delivery from now on. If it is nil,
	// the check that needs it is skipped.
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
	{"delivered events are received", func(k *sinkKit) {
		want := map[string]int{}
		for i, data := range [][]byte{[]byte(`{}`), []byte(`{"name":"café"}`), []byte(`"` + string(bytes.Repeat([]byte("a"), 64<<10)) + `"`)} {
			e := kit.Event(fmt.Sprint("event-", i), "lock-1")
			e.Data = data
			k.deliver(e)
			want[e.ID] = 1
		}
		k.received(want)
	}},
	{"an event may be delivered twice", func(k *sinkKit) {
		k.Need(k.Received != nil, "Received")
		k.deliver(kit.Event("event-1", "lock-1"))
		k.deliver(kit.Event("event-1", "lock-1"))
		for _, id := range k.Received() {
			k.Same(id, "event-1", "the events received")
		}
	}},
	{"Deliver does not change an event's data", func(k *sinkKit) {
		e := kit.Event("event-1", "lock-1")
		e.Data = append(make([]byte, 0, 1024), e.Data...)
		whole := bytes.Clone(e.Data[:cap(e.Data)])
		k.deliver(e)
		if !bytes.Equal(e.Data[:cap(e.Data)], whole) {
			k.Fatalf("Deliver changed the event's data")
		}
	}},
	{"concurrent deliveries all arrive", func(k *sinkKit) {
		id := func(i int) string { return fmt.Sprint("event-", i) }
		errs := kit.Race(kit.Racers, func(i int) error { return k.Deliver(k.Context(), kit.Event(id(i), id(i))) })
		want := map[string]int{}
		for i, err := range errs {
			k.OK(err, "one of many concurrent Deliver calls")
			want[id(i)] = 1
		}
		k.received(want)
	}},
	{"a done context returns its code and delivers nothing", func(k *sinkKit) {
		kit.EachOf(k, kit.Done(k), func(code errcodes.Code, ctx context.Context) {
			k.Code(k.Deliver(ctx, kit.Event("event-1", "lock-1")), code, "Deliver with a done context")
		})
		k.received(map[string]int{})
	}},
	{"a failed delivery returns an error with a code", func(k *sinkKit) {
		k.Need(k.Refuse != nil, "Refuse")
		k.Refuse()
		err := k.Deliver(k.Context(), kit.Event("event-1", "lock-1"))
		if code := errcodes.Of(err); code == "" || code == errcodes.Internal {
			k.Fatalf("Deliver to a failing receiver: error code %q (%v), want a code that shows whether to try again", code, err)
		}
	}},
	{"the error of a failed delivery does not contain the event's data", func(k *sinkKit) {
		k.Need(k.Refuse != nil, "Refuse")
		k.Refuse()
		e := kit.Event("event-1", "lock-1")
		e.Data = []byte(`{"name":"EFUA CANARY"}`)
		err := k.Deliver(k.Context(), e)
		reason, _ := errors.AsType[ports.DeliveryReason](err)
		if text := fmt.Sprintf("%v %+v %s", err, err, reason); strings.Contains(text, "CANARY") {
			k.Fatalf("Deliver to a failing receiver: the error or its ports.DeliveryReason contains the event's data; both are logged")
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
	k.Same(got, want, "the events received")
}
