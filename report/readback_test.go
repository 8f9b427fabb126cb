package report_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report"
)

var errUnknown = errcodes.New(errcodes.OutcomeUnknown, "")

// bentStore replaces Save, and Report if set.
type bentStore struct {
	ports.ReportStore

	save   func(ctx context.Context, to ports.ReportStore, c ports.ReportChange) error
	report func(ports.ReportJob, error) (ports.ReportJob, error)
}

func (b bentStore) Save(ctx context.Context, c ports.ReportChange) error {
	return b.save(ctx, b.ReportStore, c)
}

func (b bentStore) Report(ctx context.Context, owner, id string) (ports.ReportJob, error) {
	j, err := b.ReportStore.Report(ctx, owner, id)
	if b.report != nil {
		return b.report(j, err)
	}
	return j, err
}

// onStore returns a service of another process whose store has this Save.
func (r *rig) onStore(save func(ctx context.Context, to ports.ReportStore, c ports.ReportChange) error) *report.Service {
	return r.over(func(p *report.Ports) { p.Reports = bentStore{ReportStore: p.Reports, save: save} })
}

// unanswered stores the change, but its outcome is unknown.
func unanswered(ctx context.Context, to ports.ReportStore, c ports.ReportChange) error {
	if err := to.Save(ctx, c); err != nil {
		return err
	}
	return errUnknown
}

// A store whose results are always unknown does not block reports: they are read back.
// This also holds if the clock is more precise than the store.
func TestReportsCompleteIfAllOutcomesAreUnknown(t *testing.T) {
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.clock.Set(noon.Add(1_234_567 * time.Nanosecond))
			r.service = r.onStore(unanswered)
			j := r.create(asked())
			assert.Equal(t, j, r.get(j.ID))
			end(r, j.ID)
			assert.Equal(t, []ports.ReportStatus{r.get(j.ID).Status}, r.ended)
		})
	}
}

// firstBeat replaces the result of the first beat; everything else is stored.
func firstBeat(answer func(context.Context, ports.ReportStore) error) func(context.Context, ports.ReportStore, ports.ReportChange) error {
	seen := false
	return func(ctx context.Context, to ports.ReportStore, c ports.ReportChange) error {
		if seen || c.Job.Holder == "" {
			return to.Save(ctx, c)
		}
		seen = true
		return answer(ctx, to)
	}
}

// ahead returns a report of a process whose clock is ahead: beats do not change its
// UpdatedAt.
func ahead(r *rig) string {
	j := r.create(today())
	j.UpdatedAt = j.UpdatedAt.Add(time.Hour)
	require.NoError(r.t, r.store.Reports().Save(r.t.Context(), ports.ReportChange{Job: j}))
	return j.ID
}

// A beat that was not stored must not count as stored, although only the version differs:
// with a wrong version the report could not end.
func TestALostBeatIsNotTakenForStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, realTime)
		r.source.rows, r.source.before = bubbleRows(2), slow(15*time.Second)
		id := ahead(r)
		s := r.onStore(firstBeat(func(context.Context, ports.ReportStore) error { return errUnknown }))
		require.NoError(t, s.Tick(t.Context(), time.Now()))
		j := r.get(id)
		assert.Equal(t, ports.ReportCompleted, j.Status)
		assert.Equal(t, 1, j.Attempts)
	})
}

// A beat that was not stored because another process has claimed the report must not
// count as stored: the version is that of the other process.
func TestABeatOvertakenByAClaimIsNotTakenForStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, realTime)
		r.source.rows, r.source.before = bubbleRows(2), slow(15*time.Second)
		id := ahead(r)
		var taken ports.ReportJob
		s := r.onStore(firstBeat(func(ctx context.Context, to ports.ReportStore) (err error) {
			taken, err = to.ClaimReport(ctx, "another", time.Now().Add(report.DefaultLease), time.Hour)
			require.NoError(t, err)
			return errUnknown
		}))
		require.NoError(t, s.Tick(t.Context(), time.Now()))
		assert.Equal(t, taken, r.get(id))
		assert.Empty(t, r.kept())
	})
}

// If a report completes here and is cancelled elsewhere at the same instant, the stored
// end counts, once (I22).
func TestAnEndOvertakenByACancelIsDropped(t *testing.T) {
	r := newRig(t)
	j := r.create(asked())
	s := r.onStore(func(ctx context.Context, _ ports.ReportStore, c ports.ReportChange) error {
		require.Equal(t, ports.ReportCompleted, c.Job.Status)
		_, err := r.service.Cancel(ctx, owner, j.ID)
		require.NoError(t, err)
		return errUnknown
	})
	require.ErrorIs(t, s.Tick(t.Context(), r.clock.Now()), errcodes.OutcomeUnknown)
	assert.Equal(t, ports.ReportFailed, r.get(j.ID).Status)
	assert.Equal(t, []ports.ReportStatus{ports.ReportFailed}, r.ended)
}

// Of two cancels the one that was not stored must not count as stored: its time differs.
func TestACancelOvertakenByAnotherIsNotTakenForStored(t *testing.T) {
	r := newRig(t)
	j := r.create(asked())
	s := r.onStore(func(ctx context.Context, _ ports.ReportStore, _ ports.ReportChange) error {
		r.clock.Advance(time.Millisecond)
		_, err := r.service.Cancel(ctx, owner, j.ID)
		require.NoError(t, err)
		return errUnknown
	})
	_, err := s.Cancel(t.Context(), owner, j.ID)
	require.ErrorIs(t, err, errcodes.OutcomeUnknown)
	assert.Len(t, r.ended, 1)
}

// If the read-back fails, the outcome stays unknown, whatever is returned with the error.
func TestAFailedReadBackLeavesTheOutcomeUnknown(t *testing.T) {
	r := newRig(t)
	s := r.over(func(p *report.Ports) {
		p.Reports = bentStore{p.Reports, unanswered, func(j ports.ReportJob, _ error) (ports.ReportJob, error) {
			return j, errcodes.New(errcodes.StorageUnavailable, "")
		}}
	})
	_, err := s.CreateTransactions(t.Context(), owner, asked())
	require.ErrorIs(t, err, errcodes.OutcomeUnknown)
}
