package report_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report"
)

// bubble returns a rig with the time of the bubble and Run in the background.
func bubble(t *testing.T, r *rig) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.service.Run(ctx) }()
	return func() error {
		cancel()
		return <-done
	}
}

func realTime(c *report.Config) { c.Clock = ports.SystemClock() }

// today returns a request for the bubble's day.
func today() report.Request {
	q := asked()
	q.StartDate = time.Now().UTC().Format("2006-01-02")
	q.EndDate = q.StartDate
	return q
}

func TestRunMakesAReportAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, realTime)
		stop := bubble(t, r)
		synctest.Wait()
		begun := time.Now()
		j := r.create(today())
		synctest.Wait()
		assert.Equal(t, ports.ReportCompleted, r.get(j.ID).Status)
		assert.Zero(t, time.Since(begun), "Run does not wait for the next tick")
		require.ErrorIs(t, stop(), context.Canceled)
	})
}

// slow waits for each row, or until its context is done.
func slow(each time.Duration) func(context.Context, int) error {
	return func(ctx context.Context, _ int) error {
		select {
		case <-time.After(each):
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func bubbleRows(n int) []map[string]string {
	rows := transactions(n)
	for i := range rows {
		rows[i]["createdAt"] = time.Now().UTC().Truncate(24 * time.Hour).Add(time.Duration(i) * time.Second).Format(ports.TimeLayout)
	}
	return rows
}

// A report that takes longer than its lease extends it and reports its progress.
func TestALongReportKeepsItsLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, realTime)
		r.source.rows, r.source.before = bubbleRows(10), slow(20*time.Second)
		stop := bubble(t, r)
		j := r.create(today())
		<-time.After(95 * time.Second)
		synctest.Wait()
		at := r.get(j.ID)
		assert.Equal(t, ports.ReportRunning, at.Status)
		assert.Equal(t, 1, at.Attempts)
		assert.Equal(t, int64(4), at.Rows)
		_, err := r.store.Reports().ClaimReport(t.Context(), "another", time.Now(), time.Minute)
		require.ErrorIs(t, err, errcodes.NotFound, "it is held")
		<-time.After(3 * time.Minute)
		synctest.Wait()
		assert.Equal(t, ports.ReportCompleted, r.get(j.ID).Status)
		require.ErrorIs(t, stop(), context.Canceled)
	})
}

func TestAnEndlessSourceFailsAfterMaxRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, realTime, func(c *report.Config) { c.MaxRun = 10 * time.Minute })
		r.source.before = func(ctx context.Context, _ int) error {
			<-ctx.Done()
			return context.Cause(ctx)
		}
		stop := bubble(t, r)
		j := r.create(today())
		<-time.After(10*time.Minute + time.Second)
		synctest.Wait()
		j = r.get(j.ID)
		assert.Equal(t, ports.ReportFailed, j.Status)
		assert.Equal(t, string(errcodes.DeadlineExceeded), j.Reason)
		r.nothingUnder(j.ID)
		require.ErrorIs(t, stop(), context.Canceled)
	})
}

// setOff is a clock that is set while it runs.
type setOff struct {
	ports.Clock

	by *atomic.Int64
}

func (c setOff) Now() time.Time { return c.Clock.Now().Round(0).Add(time.Duration(c.by.Load())) }

// I22: an attempt gets exactly MaxRun, however the clock is set in the meantime.
func TestAnAttemptGetsMaxRunHoweverTheClockIsSet(t *testing.T) {
	for _, by := range []time.Duration{-48 * time.Hour, -time.Hour, time.Hour, 48 * time.Hour} {
		t.Run(by.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var off atomic.Int64
				r := newRig(t, func(c *report.Config) { c.Clock, c.MaxRun = setOff{ports.SystemClock(), &off}, time.Minute })
				r.source.before = func(ctx context.Context, _ int) error {
					<-ctx.Done()
					return context.Cause(ctx)
				}
				id, begun := r.create(today()).ID, time.Now()
				time.AfterFunc(15*time.Second, func() { off.Store(int64(by)) })
				require.ErrorIs(t, r.service.Tick(t.Context(), begun), errcodes.DeadlineExceeded)
				assert.Equal(t, time.Minute, time.Since(begun))
				assert.Equal(t, string(errcodes.DeadlineExceeded), r.get(id).Reason)
			})
		})
	}
}

// A report that is cancelled while it runs stops and leaves no files.
func TestARunningReportCanBeCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, realTime)
		r.source.rows, r.source.before = bubbleRows(1000), slow(time.Second)
		stop := bubble(t, r)
		j := r.create(today())
		<-time.After(15 * time.Second)
		synctest.Wait()
		c, err := r.service.Cancel(t.Context(), owner, j.ID)
		require.NoError(t, err)
		<-time.After(report.DefaultLease)
		synctest.Wait()
		assert.Equal(t, c, r.get(j.ID))
		r.nothingUnder(j.ID)
		assert.Equal(t, []ports.ReportStatus{ports.ReportFailed}, r.ended)
		require.ErrorIs(t, stop(), context.Canceled)
	})
}

// Stop releases the report, so that the next process begins it at once.
func TestStopReleasesAReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, realTime)
		r.source.rows, r.source.before = bubbleRows(100), slow(time.Second)
		j := r.create(today())
		for range report.DefaultMaxAttempts + 1 { // these attempts do not count
			s, done := r.another(), make(chan error, 1)
			go func() { done <- s.Run(t.Context()) }()
			<-time.After(5 * time.Second)
			require.NoError(t, s.Stop(t.Context()))
			require.NoError(t, <-done)
			r.nothingUnder(j.ID)
		}
		require.NoError(t, r.service.Stop(t.Context()))
		r.source.before = nil
		require.NoError(t, r.another().Tick(t.Context(), time.Now()))
		j = r.get(j.ID)
		assert.Equal(t, ports.ReportCompleted, j.Status)
		assert.Equal(t, 1, j.Attempts)
		require.NoError(t, r.service.Run(t.Context()), "after Close there is nothing to run")
	})
}

// If the result of a commit is lost, it is read back: only one report is created.
func TestALostResultOfACreateIsReadBack(t *testing.T) {
	for _, point := range []string{"before commit", "after commit"} {
		t.Run(point, func(t *testing.T) {
			r := newRig(t)
			r.faults[points[point]] = errcodes.New(errcodes.OutcomeUnknown, "")
			j, err := r.service.CreateTransactions(t.Context(), owner, asked())
			if point == "before commit" {
				require.ErrorIs(t, err, errcodes.OutcomeUnknown)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, j, r.get(j.ID))
		})
	}
}

// A full disk leaves no partial file.
func TestAFullDiskLeavesNoFile(t *testing.T) {
	r := newRig(t)
	r.source.rows = transactions(3)
	r.files = fullDisk{r.files}
	r.service = r.another()
	j := r.create(asked())
	for range report.DefaultMaxAttempts {
		_ = r.tick()
		r.clock.Advance(time.Minute)
	}
	j = r.get(j.ID)
	assert.Equal(t, ports.ReportFailed, j.Status)
	assert.Equal(t, string(errcodes.StorageUnavailable), j.Reason)
	r.nothingUnder(j.ID)
}

type fullDisk struct{ ports.ReportFiles }

func (f fullDisk) Create(ctx context.Context, name string) (ports.NewReportFile, error) {
	file, err := f.ReportFiles.Create(ctx, name)
	return fullFile{file}, err
}

type fullFile struct{ ports.NewReportFile }

func (fullFile) Write([]byte) (int, error) {
	return 0, errcodes.Wrap(errcodes.StorageUnavailable, "", errors.New("no space left on device"))
}
