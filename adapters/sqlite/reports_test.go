package sqlite_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

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

// beaten is j after a heartbeat of its holder.
func beaten(j ports.ReportJob) ports.ReportJob {
	j.Rows, j.UpdatedAt, j.LeaseUntil = j.Rows+1, j.UpdatedAt.Add(time.Second), epoch.Add(2*time.Minute)
	return j
}

func reportOf(j ports.ReportJob) ports.ReportChange {
	id := fmt.Sprint("ev_", j.ID, " ", j.Status, " ", j.Version)
	return ports.ReportChange{Job: j, Events: []ports.Event{
		{ID: id, Kind: "report.updated", Key: j.ID, Owner: j.Owner, At: epoch, Data: []byte("{}")},
	}}
}

// mustReport saves the job alone, and gives it as it is stored.
func mustReport(tb testing.TB, store *sqlite.Store, j ports.ReportJob) ports.ReportJob {
	tb.Helper()
	require.NoError(tb, store.Reports().Save(tb.Context(), ports.ReportChange{Job: j}))
	j.Version++
	return j
}

// mustClaim takes a report up for a minute.
func mustClaim(tb testing.TB, store *sqlite.Store, holder string, now time.Time) ports.ReportJob {
	tb.Helper()
	j, err := store.Reports().ClaimReport(tb.Context(), holder, now, time.Minute)
	require.NoError(tb, err)
	return j
}

func requireReport(tb testing.TB, store *sqlite.Store, want ports.ReportJob) {
	tb.Helper()
	got, err := store.Reports().Report(tb.Context(), want.Owner, want.ID)
	require.NoError(tb, err)
	require.Equal(tb, want, got)
}

// anyTexts draws none or a few texts of any bytes.
var anyTexts = rapid.Map(rapid.SliceOfN(anyText, 0, 4), func(list []string) []string {
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
		CreatedAt: anyTime.Draw(t, "created"), Attempts: rapid.IntRange(0, 1<<30).Draw(t, "attempts"), Holder: anyText.Draw(t, "holder"),
		Rows: rapid.Int64Min(0).Draw(t, "rows"), Total: rapid.Int64Min(-1).Draw(t, "total"),
	}
	for name, at := range map[string]*time.Time{"updated": &j.UpdatedAt, "lease": &j.LeaseUntil, "started": &j.StartedAt, "as of": &j.AsOf} {
		if rapid.Bool().Draw(t, "has "+name) {
			*at = anyTime.Draw(t, name)
		}
	}
	r := &j.Request
	r.MerchantID, r.Name, r.Format = anyText.Draw(t, "merchant"), anyText.Draw(t, "name"), anyText.Draw(t, "format")
	r.From = anyTime.Draw(t, "from")
	r.To = r.From.AddDate(0, 0, rapid.IntRange(0, 400).Draw(t, "days"))
	r.Columns = anyTexts.Draw(t, "columns")
	for range rapid.IntRange(0, 3).Draw(t, "filters") {
		r.Filters = append(r.Filters, ports.Filter{
			Column: anyText.Draw(t, "column"), OneOf: anyTexts.Draw(t, "one of"), From: anyText.Draw(t, "at least"), To: anyText.Draw(t, "at most"),
		})
	}
	switch j.Status {
	case ports.ReportCompleted:
		j.EndedAt, j.FileSize = anyTime.Draw(t, "ended"), rapid.Int64Min(0).Draw(t, "size")
		j.FileSHA256 = rapid.StringMatching("[0-9a-f]{64}").Draw(t, "sha")
	case ports.ReportFailed:
		j.EndedAt, j.Reason = anyTime.Draw(t, "ended"), "c"+anyText.Draw(t, "reason")
	case ports.ReportRunning:
	}
	return j
}

// TestReportsComeBackEqual saves any job, changes it to any other while it may
// change, and reads it back (I22).
func TestReportsComeBackEqual(t *testing.T) {
	store := open(t, file(t), nil)
	taken := map[string]bool{}
	rapid.Check(t, func(rt *rapid.T) {
		owner, id := anyText.Draw(rt, "owner"), anyText.Draw(rt, "id")
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

// TestTwoProcessesShareReports lets workers of two stores on one file take up,
// beat and end jobs, some of which are given up half-way: each job ends once,
// and its event alone is there (I22, I32).
func TestTwoProcessesShareReports(t *testing.T) {
	path := file(t)
	stores := []*sqlite.Store{open(t, path, nil), open(t, path, nil)}
	const n = 40
	for i := range n {
		mustReport(t, stores[i%2], runs("acme", "r"+strconv.Itoa(i)))
	}
	var g errgroup.Group
	for i := range 4 {
		g.Go(func() error { return workOff(t.Context(), stores[i%2].Reports(), fmt.Sprint("process ", i)) })
	}
	require.NoError(t, g.Wait())
	var want, got []string
	for i := range n {
		j, err := stores[0].Reports().Report(t.Context(), "acme", "r"+strconv.Itoa(i))
		require.NoError(t, err)
		require.Equal(t, ports.ReportCompleted, j.Status)
		require.GreaterOrEqual(t, j.Attempts, 2, "every first attempt is given up")
		want = append(want, fmt.Sprint(j.ID, " by ", j.Holder))
	}
	for _, e := range claimAll(t, stores[1]) {
		got = append(got, e.ID)
	}
	require.ElementsMatch(t, want, got)
}

// workOff ends jobs until none is left, an hour after each other: every first
// attempt is given up, and its late end is a conflict unless it came first.
func workOff(ctx context.Context, store ports.ReportStore, holder string) error {
	for now := epoch; ; now = now.Add(time.Hour) {
		j, err := store.ClaimReport(ctx, holder, now, time.Minute)
		if errcodes.Of(err) == errcodes.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		if j.Attempts == 1 {
			continue
		}
		change := ports.ReportChange{Job: completed(j), Events: []ports.Event{{ID: fmt.Sprint(j.ID, " by ", holder), Key: j.ID, At: epoch}}}
		if err := store.Save(ctx, change); err != nil && errcodes.Of(err) != errcodes.Conflict {
			return err
		}
	}
}

// TestReportsAtOnce is for the race detector: all methods share one file.
func TestReportsAtOnce(t *testing.T) {
	store := open(t, file(t), nil)
	ctx := context.Background()
	var g errgroup.Group
	for i := range 4 {
		g.Go(func() error {
			for n := range 10 {
				j := runs(fmt.Sprint("owner ", i), fmt.Sprint(i, " ", n))
				assert.NoError(t, store.Reports().Save(ctx, reportOf(j)))
				claimed, err := store.Reports().ClaimReport(ctx, j.Owner, epoch, time.Minute)
				assert.NoError(t, err)
				assert.NoError(t, store.Reports().Save(ctx, reportOf(completed(claimed))))
				page, err := store.Reports().ExpiredReports(ctx, epoch.Add(time.Hour), 2)
				assert.NoError(t, err)
				for _, old := range page {
					assert.NoError(t, store.Reports().RemoveReport(ctx, old.Owner, old.ID))
				}
				_, err = store.Reports().Report(ctx, j.Owner, j.ID)
				if code := errcodes.Of(err); code != errcodes.NotFound {
					assert.NoError(t, err)
				}
			}
			return nil
		})
	}
	require.NoError(t, g.Wait())
}

func TestBoundsOfReports(t *testing.T) {
	store := open(t, file(t), nil).Reports()
	for _, lease := range []time.Duration{0, -time.Second} {
		_, err := store.ClaimReport(t.Context(), "p", epoch, lease)
		requireCode(t, errcodes.InvalidRequest, err)
	}
}

// TestAClaimThatFindsNoReportWritesNothing has another process write meanwhile:
// idle workers ask often, and must not wait for it.
func TestAClaimThatFindsNoReportWritesNothing(t *testing.T) {
	path := file(t)
	store := open(t, path, &sqlite.Config{BusyTimeout: time.Millisecond})
	mustReport(t, store, completed(runs("acme", "ended")))
	mustReport(t, store, runs("acme", "held"))
	mustClaim(t, store, "p", epoch)
	stranger := raw(t, path)
	query(t, stranger, "BEGIN IMMEDIATE")
	_, err := store.Reports().ClaimReport(t.Context(), "p", epoch, time.Minute)
	requireCode(t, errcodes.NotFound, err)
	query(t, stranger, "COMMIT")
}
