package report_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report"
)

// In a long tick, leases of later reports begin when they are claimed. From the tick's
// beginning they would already have run out.
func TestALongTickClaimsWithFreshLeases(t *testing.T) {
	r := newRig(t)
	first := r.create(asked()).ID
	r.clock.Advance(time.Millisecond)
	second := r.create(asked()).ID
	var held []ports.ReportJob
	r.source.before = func(ctx context.Context, _ int) error {
		for _, id := range []string{first, second} {
			j, err := r.store.Reports().Report(ctx, owner, id)
			require.NoError(t, err)
			held = append(held, j)
		}
		r.clock.Advance(time.Hour - time.Minute)
		return nil
	}
	begun := r.clock.Now()
	require.NoError(t, r.service.Tick(t.Context(), begun))
	require.Len(t, held, 4)
	assert.Equal(t, begun.Add(report.DefaultLease), held[0].LeaseUntil)
	assert.Equal(t, begun.Add(time.Hour-time.Minute+report.DefaultLease), held[3].LeaseUntil)
}

// A tick is for the given instant even if its clock is behind.
func TestATickAheadOfTheClock(t *testing.T) {
	r := newRig(t)
	ids := []string{r.create(asked()).ID, r.create(asked()).ID, r.create(asked()).ID}
	for range ids {
		_, err := r.store.Reports().ClaimReport(t.Context(), "dead", noon, report.DefaultLease)
		require.NoError(t, err)
	}
	require.NoError(t, r.service.Tick(t.Context(), noon.Add(report.DefaultLease)))
	for _, id := range ids {
		assert.Equal(t, ports.ReportCompleted, r.get(id).Status)
	}
}

// A tick behind its clock does not claim with leases that have run out.
func TestATickBehindTheClock(t *testing.T) {
	r := newRig(t)
	r.create(asked())
	r.clock.Advance(time.Millisecond)
	second := r.create(asked()).ID
	r.clock.Advance(time.Hour)
	r.source.before = func(ctx context.Context, _ int) error {
		j, err := r.store.Reports().Report(ctx, owner, second)
		if j.Attempts > 0 {
			assert.Equal(t, r.clock.Now().Add(report.DefaultLease), j.LeaseUntil)
		}
		return err
	}
	require.NoError(t, r.service.Tick(t.Context(), noon.Add(time.Minute)))
	assert.Equal(t, ports.ReportCompleted, r.get(second).Status)
}

// A tick whose clock is set back does not claim reports that others hold by that clock
// (I22). Otherwise they would take reports from each other until the attempts are used
// up.
func TestATickWhoseClockIsSetBackClaimsNoHeldReport(t *testing.T) {
	r := newRig(t)
	first := r.create(asked()).ID
	r.clock.Advance(time.Millisecond)
	r.create(asked())
	var held ports.ReportJob
	r.source.before = func(ctx context.Context, _ int) (err error) {
		if held.ID == "" {
			r.clock.Advance(-time.Hour)
			held, err = r.store.Reports().ClaimReport(ctx, "another", r.clock.Now(), report.DefaultLease)
		}
		return err
	}
	require.NoError(t, r.tick())
	assert.Equal(t, ports.ReportCompleted, r.get(first).Status)
	assert.Equal(t, held, r.get(held.ID))
}

// ends are the ways in which a report ends.
var ends = map[string]func(r *rig, id string){
	"completed": func(r *rig, _ string) { require.NoError(r.t, r.tick()) },
	"failed": func(r *rig, _ string) {
		r.source.before = func(context.Context, int) error { return errcodes.New(errcodes.Unprocessable, "") }
		require.NoError(r.t, r.tick())
	},
	"cancelled": func(r *rig, id string) {
		_, err := r.store.Reports().ClaimReport(r.t.Context(), "another", r.clock.Now(), report.DefaultLease)
		require.NoError(r.t, err)
		_, err = r.service.Cancel(r.t.Context(), owner, id)
		require.NoError(r.t, err)
	},
}

// An ended report has no holder.
func TestAnEndedReportHasNoHolder(t *testing.T) {
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			id := r.create(asked()).ID
			r.clock.Advance(time.Second)
			end(r, id)
			j := r.get(id)
			require.True(t, j.Status.Terminal())
			assert.Empty(t, j.Holder)
			assert.Zero(t, j.LeaseUntil)
			assert.Equal(t, noon.Add(time.Second), j.EndedAt)
			assert.Equal(t, 1, j.Attempts)
		})
	}
}

// A report's times stay in order when the clock jumps back, and its duration is not
// negative.
func TestTimesStayInOrderWhenTheClockJumpsBack(t *testing.T) {
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			var took time.Duration
			r := newRig(t, func(c *report.Config) {
				c.Hooks.Ended = func(_ context.Context, _ ports.ReportJob, d time.Duration) { took = d }
			})
			created := r.create(asked())
			r.clock.Advance(-time.Hour)
			end(r, created.ID)
			j := r.get(created.ID)
			require.True(t, j.Status.Terminal())
			assert.Equal(t, created.CreatedAt, j.CreatedAt)
			assert.Equal(t, created.CreatedAt, j.UpdatedAt)
			assert.Equal(t, created.CreatedAt, j.EndedAt)
			assert.Zero(t, took)
			told := events(t, r)
			require.Len(t, told, 2)
			for _, e := range told {
				assert.Equal(t, created.CreatedAt, e.At, e.Kind)
			}
		})
	}
}

// events claims all waiting events.
func events(t *testing.T, r *rig) (told []ports.Event) {
	t.Helper()
	out, now := r.store.Outbox(), noon.AddDate(1, 0, 0)
	for {
		some, err := out.Claim(t.Context(), now, time.Minute, 100)
		require.NoError(t, err)
		if len(some) == 0 {
			return told
		}
		for _, e := range some {
			told = append(told, e)
			require.NoError(t, out.Ack(t.Context(), e))
		}
	}
}
