package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Eight workers of two processes claim at once: each job is claimed once, and each worker
// gets jobs in the order of their creation (I22), except if the server rolls a claim
// back: then others have skipped the job that it had locked.
func TestManyProcessesClaimReports(t *testing.T) {
	t.Parallel()
	for _, level := range settings(levels...) {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			const workers = 8
			n := rounds(20)
			dsn := emptied(t)
			stores := []*postgres.Store{storeAt(t, dsn, level), storeAt(t, dsn, level)}
			for i := range n {
				j := runs("acme", fmt.Sprintf("%03d", n-i))
				j.CreatedAt = epoch.Add(time.Duration(i*37%n) * time.Millisecond)
				mustReport(t, stores[i%2], j)
			}
			var claimed [workers][]ports.ReportJob
			var g errgroup.Group
			for i := range claimed {
				g.Go(func() (err error) {
					claimed[i], err = claimUntilNone(t.Context(), stores[i%2].Reports(), strconv.Itoa(i))
					return err
				})
			}
			require.NoError(t, g.Wait())
			seen := map[string]bool{}
			for i, jobs := range claimed {
				require.True(t, level != "read committed" || slices.IsSortedFunc(jobs, byCreation), "order")
				for _, j := range jobs {
					require.False(t, seen[j.ID], "claimed twice")
					seen[j.ID] = true
					require.Equal(t, strconv.Itoa(i), j.Holder)
					require.Equal(t, 1, j.Attempts)
					require.EqualValues(t, 2, j.Version)
					requireReport(t, stores[0], j)
				}
			}
			require.Len(t, seen, n)
		})
	}
}

func byCreation(a, b ports.ReportJob) int { return a.CreatedAt.Compare(b.CreatedAt) }

func claimUntilNone(ctx context.Context, store ports.ReportStore, holder string) (claimed []ports.ReportJob, err error) {
	for {
		var j ports.ReportJob
		err := insisting(func() (err error) {
			j, err = store.ClaimReport(ctx, holder, epoch, time.Minute)
			return err
		})
		if errcodes.Of(err) == errcodes.NotFound {
			return claimed, nil
		}
		if err != nil {
			return nil, err
		}
		claimed = append(claimed, j)
	}
}

// Workers of two processes claim, beat and end jobs, and abandon some of them: each job
// ends once, and only that end's event is stored (I22, I32).
func TestProcessesShareReports(t *testing.T) {
	t.Parallel()
	for _, level := range settings(levels...) {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			dsn := emptied(t)
			stores := []*postgres.Store{storeAt(t, dsn, level), storeAt(t, dsn, level)}
			n := rounds(8)
			for i := range n {
				mustReport(t, stores[i%2], runs("acme", "r"+strconv.Itoa(i)))
			}
			var g errgroup.Group
			for i := range 8 {
				g.Go(func() error { return workOff(t.Context(), stores[i%2].Reports(), fmt.Sprint("process ", i)) })
			}
			require.NoError(t, g.Wait())
			var want []string
			for i := range n {
				j, err := stores[0].Reports().Report(t.Context(), "acme", "r"+strconv.Itoa(i))
				require.NoError(t, err)
				require.Equal(t, ports.ReportCompleted, j.Status)
				require.GreaterOrEqual(t, j.Attempts, 2, "every first attempt is abandoned")
				want = append(want, fmt.Sprint(j.ID, " by ", j.Holder))
			}
			require.ElementsMatch(t, want, storedEvents(t, dsn))
		})
	}
}

// workOff ends jobs, an hour apart, until no job is left. It abandons every first
// attempt, whose late end is a conflict unless it came first.
func workOff(ctx context.Context, store ports.ReportStore, holder string) error {
	for now := epoch; ; now = now.Add(time.Hour) {
		var j ports.ReportJob
		err := insisting(func() (err error) {
			j, err = store.ClaimReport(ctx, holder, now, time.Minute)
			return err
		})
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
		err = insisting(func() error { return store.Save(ctx, change) })
		if err != nil && errcodes.Of(err) != errcodes.Conflict {
			return err
		}
	}
}

// Another process has an uncommitted change of the oldest job: the next job is claimed
// meanwhile.
func TestAClaimSkipsALockedReport(t *testing.T) {
	t.Parallel()
	dsn := emptied(t)
	store := open(t, dsn, nil)
	mustReport(t, store, runs("acme", "a"))
	mustReport(t, store, runs("acme", "b"))
	other, err := connect(t, dsn, nil).Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = other.Rollback(t.Context()) }()
	_, err = other.Exec(t.Context(), "UPDATE corridor.reports SET version = version + 1 WHERE id = 'a'")
	require.NoError(t, err)
	require.Equal(t, "b", mustTakeUp(t, store, "p", epoch).ID)
	_, err = store.Reports().ClaimReport(t.Context(), "p", epoch, time.Minute)
	requireCode(t, errcodes.NotFound, err)
	require.NoError(t, other.Rollback(t.Context()))
	require.Equal(t, "a", mustTakeUp(t, store, "p", epoch).ID)
}

// The holder extends an expired lease while claims look at it: only the last one that got
// the lease holds it (I22).
func TestAClaimSeesAConcurrentHeartbeat(t *testing.T) {
	t.Parallel()
	dsn := emptied(t)
	stores := []*postgres.Store{open(t, dsn, nil), open(t, dsn, nil)}
	for i := range rounds(12) {
		mustReport(t, stores[0], runs("acme", strconv.Itoa(i)))
		j := mustTakeUp(t, stores[0], "holder", epoch)
		now := j.LeaseUntil
		beat := j
		beat.LeaseUntil = now.Add(time.Minute)
		var beaten, taken error
		var g errgroup.Group
		g.Go(func() error {
			beaten = stores[0].Reports().Save(t.Context(), ports.ReportChange{Job: beat})
			return nil
		})
		g.Go(func() error {
			_, taken = stores[1].Reports().ClaimReport(t.Context(), "thief", now, time.Minute)
			return nil
		})
		require.NoError(t, g.Wait())
		got, err := stores[0].Reports().Report(t.Context(), "acme", j.ID)
		require.NoError(t, err)
		require.NotEqual(t, beaten == nil, taken == nil, "one of them has it: %v, %v", beaten, taken)
		require.Equal(t, beaten == nil, got.Holder == "holder")
		require.Equal(t, j.Version+1, got.Version)
		mustReport(t, stores[0], broke(got))
	}
}

// The server may not use its indexes: the order comes from the statements, not the plan.
func TestOrderOfReportsByAnyPlan(t *testing.T) {
	t.Parallel()
	store := on(t, connect(t, emptied(t), func(c *pgxpool.Config) {
		c.ConnConfig.RuntimeParams["enable_indexscan"] = "off"
		c.ConnConfig.RuntimeParams["enable_bitmapscan"] = "off"
	}), nil)
	order := []string{"d", "b", "c", "a", "e"}
	for _, i := range []int{3, 0, 4, 2, 1} {
		j := runs("acme", order[i])
		j.CreatedAt = epoch.Add(time.Duration(i/2*2) * time.Millisecond)
		mustReport(t, store, j)
	}
	want := []string{"b", "d", "a", "c", "e"} // at 0, 0, 2, 2 and 4 ms
	for i, id := range want {
		j := mustTakeUp(t, store, "p", epoch)
		require.Equal(t, id, j.ID)
		j = broke(j)
		j.EndedAt = epoch.Add(time.Duration(-i/2) * time.Millisecond)
		mustReport(t, store, j)
	}
	ended, err := store.Reports().ExpiredReports(t.Context(), epoch, 10)
	require.NoError(t, err)
	var got []string
	for i := range ended {
		got = append(got, ended[i].ID)
	}
	require.Equal(t, []string{"e", "a", "c", "b", "d"}, got)
}
