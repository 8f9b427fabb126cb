package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// mustReport saves the job without events and returns it as it is stored.
func mustReport(tb testing.TB, store *postgres.Store, j ports.ReportJob) ports.ReportJob {
	tb.Helper()
	require.NoError(tb, store.Reports().Save(tb.Context(), ports.ReportChange{Job: j}))
	j.Version++
	return j
}

// mustTakeUp claims a report for a minute.
func mustTakeUp(tb testing.TB, store *postgres.Store, holder string, now time.Time) ports.ReportJob {
	tb.Helper()
	j, err := store.Reports().ClaimReport(tb.Context(), holder, now, time.Minute)
	require.NoError(tb, err)
	return j
}

func requireReport(tb testing.TB, store *postgres.Store, want ports.ReportJob) {
	tb.Helper()
	got, err := store.Reports().Report(tb.Context(), want.Owner, want.ID)
	require.NoError(tb, err)
	require.Equal(tb, want, got)
}

// Another process has an uncommitted change of the same job: each call sees what is left
// after it commits or rolls back (I22).
func TestWritesOfReportsWaitForAnotherProcess(t *testing.T) {
	t.Parallel()
	const (
		begun = `INSERT INTO corridor.reports SELECT 'new', 'zenith', version, kind, merchant_id, name, first_day, last_day,
			columns, filters, format, status, created_at, updated_at, ended_at, attempts, holder, lease_until, started_at,
			rows_written, rows_total, as_of FROM corridor.reports WHERE id = 'running'`
		ended   = `UPDATE corridor.reports SET version = 2, status = 'FAILED', reason = 'internal', ended_at = '2026-11-20' WHERE id = 'running'`
		beaten  = `UPDATE corridor.reports SET version = 2, lease_until = '2026-11-21' WHERE id = 'running'`
		removed = `DELETE FROM corridor.reports WHERE id = 'ended'`
	)
	save := func(j ports.ReportJob, version int64) func(context.Context, ports.ReportStore) error {
		return func(ctx context.Context, store ports.ReportStore) error {
			j.Version = version
			return store.Save(ctx, reportOf(j))
		}
	}
	remove := func(ctx context.Context, store ports.ReportStore) error {
		return store.RemoveReport(ctx, "acme", "ended")
	}
	for name, c := range map[string]struct {
		theirs string
		mine   func(context.Context, ports.ReportStore) error
		want   errcodes.Code // if theirs is committed
	}{
		"both begin one":      {begun, save(runs("acme", "new"), 0), errcodes.Conflict},
		"both end one":        {ended, save(completed(runs("acme", "running")), 1), errcodes.Conflict},
		"one beats, one ends": {beaten, save(completed(runs("acme", "running")), 1), errcodes.Conflict},
		"both remove one":     {removed, remove, ""},
		"one ends, one beats": {ended, save(runs("acme", "running"), 1), errcodes.Conflict},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := emptied(t)
			atEachLevel(t, dsn, func(store *postgres.Store, holds bool) {
				mustReport(t, store, runs("acme", "running"))
				mustReport(t, store, completed(runs("acme", "ended")))
				err := whileOpen(t, dsn, c.theirs, holds, func() error { return c.mine(t.Context(), store.Reports()) })
				if holds {
					requireCode(t, c.want, err)
					require.Empty(t, storedEvents(t, dsn))
				} else {
					require.NoError(t, err)
				}
			})
		})
	}
}

func TestBoundsOfReports(t *testing.T) {
	t.Parallel()
	store := open(t, emptied(t), nil).Reports()
	for _, lease := range []time.Duration{0, -time.Second} {
		_, err := store.ClaimReport(t.Context(), "p", epoch, lease)
		requireCode(t, errcodes.InvalidRequest, err)
	}
	for _, limit := range []int{-1, 0, 1_001} {
		_, err := store.ExpiredReports(t.Context(), epoch, limit)
		requireCode(t, errcodes.InvalidRequest, err)
	}
}
