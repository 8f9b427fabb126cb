package report_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// beaten extends a report before each of the next n cancels, as beats do, and counts the
// cancels.
func beaten(r *rig, n int) (save func(context.Context, ports.ReportStore, ports.ReportChange) error, cancels *int) {
	cancels = new(int)
	return func(ctx context.Context, to ports.ReportStore, c ports.ReportChange) error {
		if *cancels++; *cancels <= n {
			j, err := to.Report(ctx, c.Job.Owner, c.Job.ID)
			require.NoError(r.t, err)
			j.Rows++
			require.NoError(r.t, to.Save(ctx, ports.ReportChange{Job: j}))
		}
		return to.Save(ctx, c)
	}, cancels
}

// A report that changes in the meantime can still be cancelled, unless it changes ten
// times in a row.
func TestACancelRetriesAfterBeats(t *testing.T) {
	for name, c := range map[string]struct {
		beats, cancels int
		status         ports.ReportStatus
		code           error
	}{
		"none":          {0, 1, ports.ReportFailed, nil},
		"one":           {1, 2, ports.ReportFailed, nil},
		"nine in a row": {9, 10, ports.ReportFailed, nil},
		"ten in a row":  {10, 10, ports.ReportRunning, errcodes.Conflict},
		"endlessly":     {1 << 30, 10, ports.ReportRunning, errcodes.Conflict},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			id := r.create(asked()).ID
			save, cancels := beaten(r, c.beats)
			j, err := r.onStore(save).Cancel(t.Context(), owner, id)
			assert.Equal(t, c.cancels, *cancels)
			assert.Equal(t, c.status, r.get(id).Status)
			if c.code != nil {
				require.ErrorIs(t, err, c.code)
				assert.Zero(t, j)
				assert.Empty(t, r.ended)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, r.get(id), j)
			assert.Equal(t, int64(c.beats), j.Rows, "the progress of the beats is kept")
			assert.Equal(t, []ports.ReportStatus{ports.ReportFailed}, r.ended)
		})
	}
}

// If the report completes between the read and the write of Cancel, Cancel returns the
// completed report.
func TestALateCancelReturnsTheCompletedReport(t *testing.T) {
	r := newRig(t)
	id := r.create(asked()).ID
	s := r.onStore(func(ctx context.Context, to ports.ReportStore, c ports.ReportChange) error {
		require.NoError(t, r.service.Tick(ctx, r.clock.Now()))
		return to.Save(ctx, c)
	})
	r.clock.Advance(time.Second)
	j, err := s.Cancel(t.Context(), owner, id)
	require.NoError(t, err)
	assert.Equal(t, ports.ReportCompleted, j.Status)
	assert.Equal(t, r.get(id), j)
	assert.Equal(t, []ports.ReportStatus{ports.ReportCompleted}, r.ended)
}

// Cancel retries only after conflicts.
func TestACancelThatCannotBeStoredFails(t *testing.T) {
	r := newRig(t)
	id := r.create(asked()).ID
	tries := 0
	s := r.onStore(func(context.Context, ports.ReportStore, ports.ReportChange) error {
		tries++
		return errcodes.New(errcodes.StorageUnavailable, "")
	})
	_, err := s.Cancel(t.Context(), owner, id)
	require.ErrorIs(t, err, errcodes.StorageUnavailable)
	assert.Equal(t, 1, tries)
	assert.Equal(t, ports.ReportRunning, r.get(id).Status)
}
