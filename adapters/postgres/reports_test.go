package postgres_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

// TestReportsConform runs the suite twice: a lost commit takes effect, or not.
func TestReportsConform(t *testing.T) {
	for name, before := range map[string]bool{"lost commits take effect": false, "lost commits do not": true} {
		t.Run(name, func(t *testing.T) { portstest.ReportStore(t, recordsHarness(before)) })
	}
}

// runs makes a report job that was never saved.
func runs(owner, id string) ports.ReportJob {
	day := epoch.Truncate(24 * time.Hour)
	return ports.ReportJob{
		ID: id, Owner: owner, Kind: ports.ReportTransactions, Status: ports.ReportRunning,
		Request: ports.ReportRequest{
			MerchantID: "m_1", Name: "sales", From: day.AddDate(0, 0, -7), To: day, Format: "csv",
			Columns: []string{"transactionId", "amount"}, Filters: []ports.Filter{{Column: "status", OneOf: []string{"FAILED"}}},
		},
		CreatedAt: epoch, UpdatedAt: epoch, Total: -1,
	}
}

// completed gives j its file.
func completed(j ports.ReportJob) ports.ReportJob {
	j.Status, j.EndedAt, j.UpdatedAt = ports.ReportCompleted, epoch.Add(time.Hour), epoch.Add(time.Hour)
	j.Rows, j.Total, j.AsOf, j.FileSize, j.FileSHA256 = 7, 7, epoch, 700, strings.Repeat("0f", 32)
	return j
}

// broke gives j a bad end.
func broke(j ports.ReportJob) ports.ReportJob {
	j.Status, j.EndedAt, j.Reason = ports.ReportFailed, epoch.Add(time.Hour), string(errcodes.Internal)
	return j
}

// reportOf makes a change with an event.
func reportOf(j ports.ReportJob) ports.ReportChange {
	id := fmt.Sprint("ev_", j.ID, " ", j.Status, " ", j.Version)
	return ports.ReportChange{Job: j, Events: []ports.Event{
		{ID: id, Kind: "report.updated", Key: j.ID, Owner: j.Owner, At: epoch, Data: []byte("{}")},
	}}
}

// mustReport saves the job alone, and gives it as it is stored.
func mustReport(tb testing.TB, store *postgres.Store, j ports.ReportJob) ports.ReportJob {
	tb.Helper()
	require.NoError(tb, store.Reports().Save(tb.Context(), ports.ReportChange{Job: j}))
	j.Version++
	return j
}

// mustTakeUp takes a report up for a minute.
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

// anyList draws none or a few texts of any bytes.
var anyList = rapid.Map(rapid.SliceOfN(anyBytes, 0, 4), func(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	return list
})

// anyReport draws a job that the rules allow, of any texts and times.
func anyReport(t *rapid.T, owner, id string) ports.ReportJob {
	j := ports.ReportJob{
		ID: id, Owner: owner, Kind: rapid.SampledFrom([]ports.ReportKind{ports.ReportTransactions, ports.ReportUnmatched}).Draw(t, "kind"),
		Status:    rapid.SampledFrom([]ports.ReportStatus{ports.ReportRunning, ports.ReportRunning, ports.ReportCompleted, ports.ReportFailed}).Draw(t, "status"),
		CreatedAt: anyInstant.Draw(t, "created"), Attempts: rapid.IntMin(0).Draw(t, "attempts"), Holder: anyBytes.Draw(t, "holder"),
		Rows: rapid.Int64Min(0).Draw(t, "rows"), Total: rapid.Int64Min(-1).Draw(t, "total"),
	}
	for name, at := range map[string]*time.Time{"updated": &j.UpdatedAt, "lease": &j.LeaseUntil, "started": &j.StartedAt, "as of": &j.AsOf} {
		if rapid.Bool().Draw(t, "has "+name) {
			*at = anyInstant.Draw(t, name)
		}
	}
	r := &j.Request
	r.MerchantID, r.Name, r.Format = anyBytes.Draw(t, "merchant"), anyBytes.Draw(t, "name"), anyBytes.Draw(t, "format")
	r.From = anyInstant.Draw(t, "from")
	r.To = r.From.AddDate(0, 0, rapid.IntRange(0, 400).Draw(t, "days"))
	r.Columns = anyList.Draw(t, "columns")
	for range rapid.IntRange(0, 3).Draw(t, "filters") {
		r.Filters = append(r.Filters, ports.Filter{
			Column: anyBytes.Draw(t, "column"), OneOf: anyList.Draw(t, "one of"), From: anyBytes.Draw(t, "at least"), To: anyBytes.Draw(t, "at most"),
		})
	}
	switch j.Status {
	case ports.ReportCompleted:
		j.EndedAt, j.FileSize = anyInstant.Draw(t, "ended"), rapid.Int64Min(0).Draw(t, "size")
		j.FileSHA256 = rapid.StringMatching("[0-9a-f]{64}").Draw(t, "sha")
	case ports.ReportFailed:
		j.EndedAt, j.Reason = anyInstant.Draw(t, "ended"), string(errcodes.Unprocessable)
	case ports.ReportRunning:
	}
	return j
}

// TestReportsComeBackEqual saves any job, changes it to any other while it may
// change, and reads it back by each way there is (I22).
func TestReportsComeBackEqual(t *testing.T) {
	t.Parallel()
	store := open(t, migrated(t), nil)
	taken := map[string]bool{}
	rapid.Check(t, func(rt *rapid.T) {
		owner, id := anyBytes.Draw(rt, "owner"), anyBytes.Draw(rt, "id")
		if taken[id] {
			rt.Skip("taken")
		}
		taken[id] = true
		save := func(j ports.ReportJob, want errcodes.Code) {
			err := store.Reports().Save(t.Context(), ports.ReportChange{Job: j})
			require.Equal(rt, want, errcodes.Of(err), "%v", err)
		}
		read := func(want ports.ReportJob) {
			got, err := store.Reports().Report(context.Background(), owner, id)
			require.NoError(rt, err)
			require.Equal(rt, want, got)
			if !want.Status.Terminal() {
				return
			}
			ended, err := store.Reports().ExpiredReports(context.Background(), want.EndedAt, 1_000)
			require.NoError(rt, err)
			require.Contains(rt, ended, want)
		}
		j := anyReport(rt, owner, id)
		save(j, "")
		j.Version = 1
		read(j)
		next := anyReport(rt, owner, id)
		next.Version = 1
		if j.Status.Terminal() {
			save(next, errcodes.Conflict)
			read(j)
			return
		}
		save(next, "")
		next.Version = 2
		read(next)
	})
}

// TestReportsWaitForAnotherProcess has another process write the same job, and
// not yet say whether that holds: each call judges what is left then (I22).
func TestReportsWaitForAnotherProcess(t *testing.T) {
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
		want   errcodes.Code // if theirs holds
	}{
		"both begin one":      {begun, save(runs("acme", "new"), 0), errcodes.Conflict},
		"both end one":        {ended, save(completed(runs("acme", "running")), 1), errcodes.Conflict},
		"one beats, one ends": {beaten, save(completed(runs("acme", "running")), 1), errcodes.Conflict},
		"both remove one":     {removed, remove, ""},
		"one ends what beats": {ended, save(runs("acme", "running"), 1), errcodes.Conflict},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := migrated(t)
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
	store := open(t, migrated(t), nil).Reports()
	for _, lease := range []time.Duration{0, -time.Second} {
		_, err := store.ClaimReport(t.Context(), "p", epoch, lease)
		requireCode(t, errcodes.InvalidRequest, err)
	}
	for _, limit := range []int{-1, 0, 1_001} {
		_, err := store.ExpiredReports(t.Context(), epoch, limit)
		requireCode(t, errcodes.InvalidRequest, err)
	}
}
