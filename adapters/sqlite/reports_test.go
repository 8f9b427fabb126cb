package sqlite_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// mustReport saves the job without events and returns it as it is stored.
func mustReport(tb testing.TB, store *sqlite.Store, j ports.ReportJob) ports.ReportJob {
	tb.Helper()
	require.NoError(tb, store.Reports().Save(tb.Context(), ports.ReportChange{Job: j}))
	j.Version++
	return j
}

// mustClaim claims a report for a minute.
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

// Workers of two stores on one file claim, beat and end jobs, and abandon some of them:
// each job ends once, and only that end's event is stored (I22, I32).
func TestTwoProcessesShareReports(t *testing.T) {
	stores := twoProcesses(t)
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
		require.GreaterOrEqual(t, j.Attempts, 2, "every first attempt is abandoned")
		want = append(want, fmt.Sprint(j.ID, " by ", j.Holder))
	}
	for _, e := range claimAll(t, stores[1]) {
		got = append(got, e.ID)
	}
	require.ElementsMatch(t, want, got)
}

// workOff ends jobs, an hour apart, until no job is left. It abandons every first
// attempt, whose late end is a conflict unless it came first.
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
	store := open(t, migrated(t), nil)
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
	store := open(t, migrated(t), nil).Reports()
	for _, lease := range []time.Duration{0, -time.Second} {
		_, err := store.ClaimReport(t.Context(), "p", epoch, lease)
		requireCode(t, errcodes.InvalidRequest, err)
	}
}

// Another process writes meanwhile: idle workers claim often and must not wait for it.
func TestAClaimWithoutReportsDoesNotWrite(t *testing.T) {
	path := migrated(t)
	store := open(t, path, &sqlite.Config{BusyTimeout: time.Millisecond})
	mustReport(t, store, completed(runs("acme", "ended")))
	mustReport(t, store, runs("acme", "held"))
	mustClaim(t, store, "p", epoch)
	other := raw(t, path)
	query(t, other, "BEGIN IMMEDIATE")
	_, err := store.Reports().ClaimReport(t.Context(), "p", epoch, time.Minute)
	requireCode(t, errcodes.NotFound, err)
	query(t, other, "COMMIT")
}
