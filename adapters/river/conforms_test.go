package river_test

import (
	"context"
	"testing"
	"time"

	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/adapters/river"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/storetest"
)

// The suite claims itself, so the items wait in Queue.Work until it does.
func TestWorkConforms(t *testing.T) {
	storetest.Work(t, storetest.Harness{
		Open:     openSuite,
		Parallel: true,
		Except: map[string]string{
			"kinds that look alike are different kinds": "a queue's kinds are names; the kinds of the store are checked with the store",
			"a reopened store has its work": "a claim ends with its process, since River then assigns the job to another one; " +
				"TestStopReleasesWaitingItems and TestKill check what is left",
		},
	})
}

func openSuite(tb testing.TB) storetest.Store {
	// The clock is far ahead of the times at which the suite claims, so that retried items
	// return at once and wait in Queue.Work until they are due.
	clock := portstest.NewClock(time.Now().AddDate(10, 0, 0))
	p := open(tb, pgtest.Database(tb, tables), river.Config{Clock: clock, Grace: 10 * time.Millisecond})
	p.run(river.Jobs{Work: map[string]river.Tick{notify: nil}})
	return storetest.Store{
		RateLocks: p.store.RateLocks(),
		Work:      settled{routed{p}, p, tb},
		Close:     p.close,
	}
}

// routed uses the store for kinds that the queue does not take.
type routed struct{ p *process }

func (r routed) of(kind string) ports.Work {
	if r.p.queue.Wants(kind) {
		return r.p.queue.Work()
	}
	return r.p.store.Work()
}

func (r routed) Claim(ctx context.Context, kind string, now time.Time, lease time.Duration, n int) ([]ports.WorkItem, error) {
	return r.of(kind).Claim(ctx, kind, now, lease, n)
}

func (r routed) Done(ctx context.Context, w ports.WorkItem) error { return r.of(w.Kind).Done(ctx, w) }

func (r routed) Retry(ctx context.Context, w ports.WorkItem, at time.Time) error {
	return r.of(w.Kind).Retry(ctx, w, at)
}

func (r routed) Bury(ctx context.Context, w ports.WorkItem, reason string) error {
	return r.of(w.Kind).Bury(ctx, w, reason)
}

// settled claims once River has assigned all available jobs.
type settled struct {
	routed

	p  *process
	tb testing.TB
}

//nolint:contextcheck // the count must work if the call's context is done, as in some tests
func (s settled) Claim(ctx context.Context, kind string, now time.Time, lease time.Duration, n int) ([]ports.WorkItem, error) {
	if ctx.Err() == nil && !s.closed(ctx) {
		eventually(s.tb, "River hands out what there is", func() bool {
			return s.p.count(s.tb, "river_job WHERE state IN ('available', 'running')") == s.p.queue.LocalItems()
		})
	}
	return s.routed.Claim(ctx, kind, now, lease, n)
}

// Bury returns once River has stored it, so that the suite does not meet the job while it
// still runs.
//
//nolint:contextcheck // as Claim
func (s settled) Bury(ctx context.Context, w ports.WorkItem, reason string) error {
	err := s.routed.Bury(ctx, w, reason)
	if err == nil && s.p.queue.Wants(w.Kind) {
		eventually(s.tb, "the job has ended", func() bool { return s.p.count(s.tb, "river_job WHERE state = 'running'") == s.p.queue.LocalItems() })
	}
	return err
}

func (s settled) closed(ctx context.Context) bool {
	return errcodes.Of(s.p.store.Ping(ctx)) == errcodes.Closed
}
