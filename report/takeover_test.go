package report_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/report"
)

// overtaken makes another service complete the report while the first one is blocked at
// its third row, past its lease. Then the first continues with the result of after.
func overtaken(t *testing.T, after error) (*rig, string) {
	t.Helper()
	r := newRig(t)
	r.source.rows = transactions(4)
	inside := false
	r.source.before = func(ctx context.Context, row int) error {
		if row != 2 || inside {
			return nil
		}
		inside = true
		// The clock of this service does not move, so it makes no beat.
		require.NoError(t, r.another().Tick(ctx, r.clock.Now().Add(2*report.DefaultLease)))
		r.source.rows = transactions(3)
		return after
	}
	id := r.create(asked()).ID
	require.NoError(t, r.tick())
	return r, id
}

// An attempt that has lost its lease without noticing does not change the files of the
// new attempt, whether it continues or fails.
func TestAnOvertakenAttemptChangesNothing(t *testing.T) {
	for name, after := range map[string]error{
		"it continues": nil, "it fails": errcodes.New(errcodes.Unprocessable, ""),
	} {
		t.Run(name, func(t *testing.T) {
			r, id := overtaken(t, after)
			j := r.get(id)
			require.Equal(t, ports.ReportCompleted, j.Status)
			require.Equal(t, 2, j.Attempts)
			text := r.file(id)
			sum := sha256.Sum256([]byte(text))
			assert.Equal(t, j.FileSHA256, hex.EncodeToString(sum[:]))
			assert.Equal(t, 5, strings.Count(text, "\n"))
			m, err := r.service.Manifest(t.Context(), owner, id)
			require.NoError(t, err)
			assert.Equal(t, j.FileSHA256, m.SHA256)
			rows, few, err := r.service.Rows(t.Context(), owner, id)
			require.NoError(t, err)
			assert.True(t, few)
			assert.Len(t, rows, 4)
			r.nothingOf(id, 1)
			assert.Equal(t, []ports.ReportStatus{ports.ReportCompleted}, r.ended, "it ends once")
		})
	}
}

// If a report is cancelled at its last row, with no further beat, its file is removed.
func TestACancelAtTheLastRowRemovesTheFile(t *testing.T) {
	r := newRig(t)
	r.source.rows = transactions(1)
	var id string
	r.source.before = func(ctx context.Context, row int) error {
		if row == 1 {
			_, err := r.service.Cancel(ctx, owner, id)
			require.NoError(t, err)
		}
		return nil
	}
	id = r.create(asked()).ID
	require.NoError(t, r.tick())
	assert.Equal(t, ports.ReportFailed, r.get(id).Status)
	r.nothingUnder(id)
}

// Files of a process that died before its commit are removed when the next attempt ends.
func TestFilesOfADeadProcessAreRemoved(t *testing.T) {
	r := newRig(t)
	r.source.rows = transactions(1)
	id := r.create(asked()).ID
	_, err := r.store.Reports().ClaimReport(t.Context(), "dead", r.clock.Now(), report.DefaultLease)
	require.NoError(t, err)
	f, err := r.files.Create(t.Context(), id+"/1/report.csv")
	require.NoError(t, err)
	require.NoError(t, f.Commit(t.Context()))
	r.clock.Advance(report.DefaultLease)
	require.NoError(t, r.tick())
	assert.Equal(t, ports.ReportCompleted, r.get(id).Status)
	r.nothingOf(id, 1)
	assert.NotEmpty(t, r.file(id))
}

// slowStore takes a while to return from a stored beat.
type slowStore struct{ ports.ReportStore }

func (s slowStore) Save(ctx context.Context, c ports.ReportChange) error {
	err := s.ReportStore.Save(ctx, c)
	if err != nil || c.Job.Version == 0 || c.Job.Status != ports.ReportRunning {
		return err
	}
	select {
	case <-time.After(5 * time.Second):
		return nil
	case <-ctx.Done():
		return errcodes.Wrap(errcodes.OutcomeUnknown, "", ctx.Err())
	}
}

func (s slowStore) Report(ctx context.Context, owner, id string) (ports.ReportJob, error) {
	if ctx.Err() != nil {
		return ports.ReportJob{}, ctx.Err()
	}
	return s.ReportStore.Report(ctx, owner, id)
}

// A report that finishes during a beat is completed with the version that the beat
// stores.
func TestTheEndWaitsForTheBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, realTime)
		r.source.rows, r.source.before = bubbleRows(1), slow(6*time.Second) // 12 s; the beat is at 10 s
		s, err := report.New(report.Ports{
			Reports: slowStore{r.store.Reports()}, Transactions: r.source, Writers: []ports.ReportWriter{lines{}}, Files: r.files,
			Scratch: fake.NewScratch(),
		}, report.Policy{}, &r.config)
		require.NoError(t, err)
		j, err := s.CreateTransactions(t.Context(), owner, today())
		require.NoError(t, err)
		require.NoError(t, s.Tick(t.Context(), time.Now()))
		assert.Equal(t, ports.ReportCompleted, r.get(j.ID).Status)
	})
}

// A process with other formats, columns or sources leaves the report to a process that
// can make it.
func TestAReportIsLeftToAProcessThatCanMakeIt(t *testing.T) {
	for name, bend := range map[string]func(*ports.ReportJob){
		"format":    func(j *ports.ReportJob) { j.Request.Format = "xlsx" },
		"column":    func(j *ports.ReportJob) { j.Request.Columns = []string{"fee"} },
		"filter":    func(j *ports.ReportJob) { j.Request.Filters = []ports.Filter{{Column: "fee", OneOf: []string{"1"}}} },
		"unmatched": func(j *ports.ReportJob) { j.Kind, j.Request.Columns = ports.ReportUnmatched, []string{"reason"} },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			j := r.create(asked())
			bend(&j)
			require.NoError(t, r.store.Reports().Save(t.Context(), ports.ReportChange{Job: j}))
			require.ErrorIs(t, r.tick(), errcodes.Unavailable)
			assert.Equal(t, ports.ReportRunning, r.get(j.ID).Status, "it is left to another")
			for range report.DefaultMaxAttempts {
				r.clock.Advance(time.Minute)
				_ = r.tick()
			}
			assert.Equal(t, ports.ReportFailed, r.get(j.ID).Status)
			assert.Equal(t, string(errcodes.Unavailable), r.get(j.ID).Reason)
		})
	}
}

// endless returns rows that pass no filter, and ignores its context.
type endless struct{ *source }

func (endless) Rows(_ context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		for id := []byte("tx"); ; id = append(id, '0') {
			<-time.After(time.Second)
			row := make([]string, len(q.Columns))
			for i, name := range q.Columns {
				switch name {
				case ports.ColumnTransactionID:
					row[i] = string(id)
				case ports.ColumnCreatedAt:
					row[i] = q.From.Format(ports.TimeLayout)
				}
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

func TestAnEndlessSourceWithoutMatchesIsInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, realTime, func(c *report.Config) { c.MaxRun = time.Minute })
		s, err := report.New(report.Ports{
			Reports: r.store.Reports(), Transactions: endless{r.source}, Writers: []ports.ReportWriter{lines{}}, Files: r.files,
			Scratch: fake.NewScratch(),
		}, report.Policy{}, &r.config)
		require.NoError(t, err)
		q := today()
		q.Filters = []ports.Filter{{Column: "status", OneOf: []string{"SUCCEEDED"}}}
		j, err := s.CreateTransactions(t.Context(), owner, q)
		require.NoError(t, err)
		if err := s.Tick(t.Context(), time.Now()); err != nil {
			require.ErrorIs(t, err, errcodes.DeadlineExceeded)
		}
		assert.Equal(t, string(errcodes.DeadlineExceeded), r.get(j.ID).Reason)
	})
}
