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

// bentStore answers Save, and Report where it is set, in its own way.
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

// onStore is a service of another process, whose store saves so.
func (r *rig) onStore(save func(ctx context.Context, to ports.ReportStore, c ports.ReportChange) error) *report.Service {
	return r.over(func(p *report.Ports) { p.Reports = bentStore{ReportStore: p.Reports, save: save} })
}

// unanswered stores, and never says so.
func unanswered(ctx context.Context, to ports.ReportStore, c ports.ReportChange) error {
	if err := to.Save(ctx, c); err != nil {
		return err
	}
	return errUnknown
}

// A store whose answers are all lost holds nothing up: what is read back is ours.
// So it is where the clock counts finer than a store.
func TestAStoreWhoseAnswersAreAllLost(t *testing.T) {
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

// firstBeat answers the first beat so; all else is stored.
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

// ahead is a report that a process made whose clock is ahead: beats do not move
// its UpdatedAt.
func ahead(r *rig) string {
	j := r.create(today())
	j.UpdatedAt = j.UpdatedAt.Add(time.Hour)
	require.NoError(r.t, r.store.Reports().Save(r.t.Context(), ports.ReportChange{Job: j}))
	return j.ID
}

// A beat that was not stored is not taken for stored, although all but the
// version looks so: with a version that is not there the report could not end.
func TestABeatThatWasLost(t *testing.T) {
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

// A beat that was not stored because another process took the report up is not
// taken for stored: the version is the other's.
func TestABeatThatAnotherOvertook(t *testing.T) {
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

// Completed here and cancelled elsewhere in the same instant: the end that is
// stored counts, once (I22).
func TestAnEndThatACancelOvertook(t *testing.T) {
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

// Of two cancels the one that was not stored is not taken for stored: its time
// is another.
func TestACancelThatAnotherOvertook(t *testing.T) {
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

// What cannot be read back stays unknown, whatever comes with the error.
func TestAReadBackThatFails(t *testing.T) {
	r := newRig(t)
	s := r.over(func(p *report.Ports) {
		p.Reports = bentStore{p.Reports, unanswered, func(j ports.ReportJob, _ error) (ports.ReportJob, error) {
			return j, errcodes.New(errcodes.StorageUnavailable, "")
		}}
	})
	_, err := s.CreateTransactions(t.Context(), owner, asked())
	require.ErrorIs(t, err, errcodes.OutcomeUnknown)
}
