package webhook_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/adapters/relay"
	"github.com/corridor-go/corridor/adapters/webhook"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

// pausing is a sink to a shop, with a pause of a minute, whose changes it records.
type pausing struct {
	t     *testing.T
	shop  *shop
	clock *portstest.Clock
	sink  *webhook.Sink
	log   []string
}

func newPausing(t *testing.T) *pausing {
	t.Helper()
	p := &pausing{t: t, shop: &shop{}, clock: portstest.NewClock(noon)}
	cfg := private(p.clock)
	cfg.GoneFor = time.Minute
	cfg.Hooks.Paused = func(_ context.Context, on bool) { p.log = append(p.log, fmt.Sprint(on)) }
	p.sink = serve(t, p.shop, cfg)
	return p
}

// deliver delivers an event while the shop answers with the status, and checks the code
// and the total number of requests.
func (p *pausing) deliver(e ports.Event, code int, want errcodes.Code, requests int) {
	p.t.Helper()
	p.shop.answers(status(code))
	err := p.sink.Deliver(p.t.Context(), e)
	require.Equal(p.t, want, errcodes.Of(err))
	require.Len(p.t, p.shop.received(), requests)
	if err != nil {
		silent(p.t, err)
	}
}

func TestAfterA410EventsWaitForGoneFor(t *testing.T) {
	p, e := newPausing(t), event("event-1", "lock-1")
	p.deliver(e, http.StatusGone, errcodes.NotFound, 1)
	p.deliver(e, http.StatusOK, errcodes.Unavailable, 1)
	p.clock.Advance(time.Minute - 1)
	p.deliver(e, http.StatusOK, errcodes.Unavailable, 1)
	require.Equal(t, []string{"true"}, p.log)
	p.clock.Advance(1)
	p.deliver(e, http.StatusGone, errcodes.NotFound, 2) // the probe
	p.clock.Advance(time.Minute - 1)
	p.deliver(e, http.StatusOK, errcodes.Unavailable, 2)
	require.Equal(t, []string{"true"}, p.log, "it is still the same pause")
	p.clock.Advance(1)
	p.deliver(e, http.StatusOK, "", 3)
	p.deliver(e, http.StatusOK, "", 4)
	require.Equal(t, []string{"true", "false"}, p.log)
}

func TestAPauseBeginsWithTheAnswer(t *testing.T) {
	p, e := newPausing(t), event("event-1", "lock-1")
	p.shop.answers(func(w http.ResponseWriter, _ *http.Request) {
		p.clock.Advance(10 * time.Second)
		w.WriteHeader(http.StatusGone)
	})
	require.ErrorIs(t, p.sink.Deliver(t.Context(), e), errcodes.NotFound)
	p.clock.Advance(time.Minute - 1)
	p.deliver(e, http.StatusOK, errcodes.Unavailable, 1)
	p.clock.Advance(1)
	p.deliver(e, http.StatusOK, "", 2)
}

func TestAPausedReceiverIsTheReason(t *testing.T) {
	p, e := newPausing(t), event("event-1", "lock-1")
	p.deliver(e, http.StatusGone, errcodes.NotFound, 1)
	err := p.sink.Deliver(t.Context(), e)
	var reason ports.DeliveryReason
	require.ErrorAs(t, err, &reason)
	require.Equal(t, "paused after 410 Gone", string(reason))
	require.True(t, errcodes.CategoryOf(errcodes.StatusOf(err)).Retry)
	require.Zero(t, errcodes.RetryAfterOf(err), "the relay's pauses apply")
}

func TestAReplayedEventIsSentDuringAPause(t *testing.T) {
	p, e := newPausing(t), event("event-1", "lock-1")
	replayed := event("event-0", "lock-0")
	replayed.Attempt, replayed.Claim = 1, 2
	p.deliver(e, http.StatusGone, errcodes.NotFound, 1)
	p.clock.Advance(time.Minute / 2)
	p.deliver(replayed, http.StatusGone, errcodes.NotFound, 2)
	p.clock.Advance(time.Minute / 2)
	p.deliver(e, http.StatusOK, errcodes.Unavailable, 2) // the pause began again
	p.deliver(replayed, http.StatusOK, "", 3)
	p.deliver(e, http.StatusOK, "", 4)
	require.Equal(t, []string{"true", "false"}, p.log)
}

// An answer that is neither 2xx nor 410 does not show whether the receiver is gone.
func TestAProbeThatFailsIsFollowedByAnother(t *testing.T) {
	for _, code := range []int{http.StatusFound, http.StatusNotFound, http.StatusTooManyRequests, http.StatusInternalServerError} {
		t.Run(http.StatusText(code), func(t *testing.T) {
			p, e := newPausing(t), event("event-1", "lock-1")
			p.deliver(e, http.StatusGone, errcodes.NotFound, 1)
			for i := range 3 {
				p.clock.Advance(time.Minute)
				p.shop.answers(status(code))
				require.Error(t, p.sink.Deliver(t.Context(), e))
				require.Len(t, p.shop.received(), 2+i)
				p.deliver(e, http.StatusOK, errcodes.Unavailable, 2+i) // the next probe is not due
			}
			p.clock.Advance(time.Minute)
			require.Equal(t, []string{"true"}, p.log)
			p.deliver(e, http.StatusOK, "", 5)
			require.Equal(t, []string{"true", "false"}, p.log)
		})
	}
}

func TestOtherEventsWaitForTheProbe(t *testing.T) {
	p, e := newPausing(t), event("event-1", "lock-1")
	p.deliver(e, http.StatusGone, errcodes.NotFound, 1)
	p.clock.Advance(time.Minute)
	asked, answer := make(chan struct{}), make(chan struct{})
	p.shop.answers(func(http.ResponseWriter, *http.Request) {
		close(asked)
		<-answer
	})
	var probe sync.WaitGroup
	probe.Go(func() {
		if err := p.sink.Deliver(t.Context(), e); err != nil {
			t.Error(err)
		}
	})
	<-asked
	err := p.sink.Deliver(t.Context(), event("event-2", "lock-2"))
	close(answer)
	probe.Wait()
	require.Equal(t, errcodes.Unavailable, errcodes.Of(err))
	p.deliver(e, http.StatusOK, "", 3)
}

func TestAClockThatIsSetBackEndsTheWait(t *testing.T) {
	p, e := newPausing(t), event("event-1", "lock-1")
	p.deliver(e, http.StatusGone, errcodes.NotFound, 1)
	p.clock.Advance(-24 * time.Hour)
	p.deliver(e, http.StatusOK, "", 2)
}

// relaying is a pausing sink behind a relay, with a store.
type relaying struct {
	*pausing

	store *memory.Store
	relay *relay.Relay
}

func newRelaying(t *testing.T, policy relay.Policy, events ...ports.Event) *relaying {
	t.Helper()
	r := &relaying{pausing: newPausing(t), store: stored(t, events...)}
	t.Cleanup(func() { require.NoError(t, r.store.Close()) })
	var err error
	r.relay, err = relay.New(relay.Ports{Outbox: r.store.Outbox(), Sink: r.sink}, policy, &relay.Config{Clock: r.clock})
	require.NoError(t, err)
	return r
}

func (r *relaying) tick(requests int) {
	r.t.Helper()
	require.NoError(r.t, r.relay.Tick(r.t.Context(), r.clock.Now()))
	require.Len(r.t, r.shop.received(), requests)
}

func (r *relaying) requireBuried(want ...string) {
	r.t.Helper()
	page, err := r.store.DeadLetters().Buried(r.t.Context(), 0, 10)
	require.NoError(r.t, err)
	got := []string{}
	for _, e := range page {
		got = append(got, fmt.Sprint(e.ID, ", ", e.Attempt, ": ", e.Reason))
	}
	require.Equal(r.t, append([]string{}, want...), got)
}

// A receiver answers 410 to one event, and later 204 to all.
func TestA410BuriesItsOwnEvent(t *testing.T) {
	r := newRelaying(t, relay.Policy{}, event("event-1", "lock-1"), event("event-2", "lock-1"), event("event-3", "lock-2"))
	r.shop.answers(status(http.StatusGone))
	r.tick(1)
	r.shop.answers(status(http.StatusNoContent))
	r.requireBuried("event-1, 1: 410 Gone")
	for range 10 {
		r.clock.Advance(time.Second)
		r.tick(1)
	}
	r.requireBuried("event-1, 1: 410 Gone")

	n, err := r.store.DeadLetters().Replay(t.Context(), r.clock.Now(), storemodel.AuditRow)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	r.tick(2)
	r.requireBuried()
	r.clock.Advance(relay.DefaultLongestPause)
	r.tick(4)
	events, err := r.store.Outbox().Claim(t.Context(), r.clock.Now().AddDate(1, 0, 0), time.Minute, 10)
	require.NoError(t, err)
	require.Empty(t, events, "all are delivered")
}

func TestTheProbeEndsAPauseWithoutAReplay(t *testing.T) {
	r := newRelaying(t, relay.Policy{}, event("event-1", "lock-1"), event("event-2", "lock-2"), event("event-3", "lock-3"))
	r.shop.answers(status(http.StatusGone))
	r.tick(1)
	r.tick(1)
	r.shop.answers(status(http.StatusNoContent))
	r.clock.Advance(time.Minute)
	r.tick(3)
	r.requireBuried("event-1, 1: 410 Gone")
}

// A waiting event is buried when it would be if the receiver were down, not earlier, and
// it does not wait longer.
func TestAnEventWaitsAsLongAsIfTheReceiverWereDown(t *testing.T) {
	policy := relay.Policy{Attempts: 5, FirstPause: time.Second, LongestPause: 8 * time.Second} // 1 + 2 + 4 + 8 = 15 s
	for _, c := range []struct {
		name     string
		answer   int // to all requests
		requests int
		buried   []string
	}{
		{"gone", http.StatusGone, 1, []string{"event-1, 1: 410 Gone", "event-2, 5: paused after 410 Gone"}},
		{"down", http.StatusServiceUnavailable, 10, []string{"event-1, 5: 503 Service Unavailable", "event-2, 5: 503 Service Unavailable"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRelaying(t, policy, event("event-1", "lock-1"), event("event-2", "lock-2"))
			r.shop.answers(status(c.answer))
			for range 15 * 10 { // of 100 ms
				require.NoError(t, r.relay.Tick(t.Context(), r.clock.Now()))
				page, err := r.store.DeadLetters().Buried(t.Context(), 0, 10)
				require.NoError(t, err)
				for _, e := range page {
					require.NotEqual(t, "event-2", e.ID, "buried at %s", r.clock.Now().Sub(noon))
				}
				r.clock.Advance(100 * time.Millisecond)
			}
			r.tick(c.requests)
			r.requireBuried(c.buried...)
		})
	}
}
