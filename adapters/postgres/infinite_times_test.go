package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// mintThree stores locks of three owners, the second of which the test damages, and
// returns their ids.
func mintThree(t *testing.T, store *postgres.Store) (ids []string) {
	t.Helper()
	for i, owner := range []string{"acme", "beta", "zenith"} {
		l := activeLock(owner, fmt.Sprintf("rl_%d", i+1), epoch.Add(time.Duration(i)*time.Second))
		require.NoError(t, store.RateLocks().Save(t.Context(), mint(bookOf(t, store, owner), l)))
		ids = append(ids, l.ID)
	}
	return ids
}

// Somebody wrote the time without the library. A listing returns the lock with a time
// that the domain rejects.
func TestALockWithAnInfiniteTimeDoesNotHideOthers(t *testing.T) {
	t.Parallel()
	dsn := emptied(t)
	pool := connect(t, dsn, nil)
	store := on(t, pool, nil)
	for _, column := range []string{"mid_at", "created_at", "expires_at"} {
		for _, value := range []string{"infinity", "-infinity", "2026-11-20 15:00:01.000500Z"} {
			t.Run(column+" "+value, func(t *testing.T) {
				empty(t, pool)
				ids := mintThree(t, store)
				query(t, dsn, "UPDATE corridor.rate_locks SET "+column+" = $1 WHERE id = 'rl_2'", value)
				require.ElementsMatch(t, ids, paged(t, func(after ports.Pos) ([]ports.RateLock, error) {
					return store.RateLocks().List(t.Context(), ports.LockQuery{Pair: usdZAR, After: after, Limit: 1})
				}, func(l ports.RateLock) time.Time { return l.CreatedAt }))
				if column == "expires_at" && value == "infinity" {
					ids = []string{"rl_1", "rl_3"} // the damaged lock is never due
				}
				require.ElementsMatch(t, ids, paged(t, func(after ports.Pos) ([]ports.RateLock, error) {
					return store.RateLocks().List(t.Context(), ports.LockQuery{DueBy: epoch.AddDate(1, 0, 0), After: after, Limit: 1})
				}, func(l ports.RateLock) time.Time { return l.ExpiresAt }))
			})
		}
	}
}

// paged reads all pages, as the domain does.
func paged(t *testing.T, page func(ports.Pos) ([]ports.RateLock, error), by func(ports.RateLock) time.Time) (ids []string) {
	t.Helper()
	var after ports.Pos
	for range 10 {
		locks, err := page(after)
		require.NoError(t, err)
		if len(locks) == 0 {
			return ids
		}
		last := locks[len(locks)-1]
		ids, after = append(ids, last.ID), ports.Pos{At: by(last), ID: last.ID}
	}
	require.Fail(t, "the pages do not end", ids)
	return nil
}

// Other records are not affected.
func TestARecordWithAnInfiniteTimeIsCorrupt(t *testing.T) {
	t.Parallel()
	dsn := emptied(t)
	store := open(t, dsn, nil)
	mintThree(t, store)
	query(t, dsn, "UPDATE corridor.rate_locks SET expires_at = 'infinity' WHERE id = 'rl_1'")
	query(t, dsn, "UPDATE corridor.books SET high_water = '-infinity' WHERE owner = 'beta'")
	_, _, err := store.RateLocks().Lock(t.Context(), "acme", "rl_1")
	requireCode(t, errcodes.CorruptRecord, err)
	_, _, err = store.RateLocks().Lock(t.Context(), "beta", "rl_2")
	requireCode(t, errcodes.CorruptRecord, err)
	_, err = store.RateLocks().Book(t.Context(), keyOf("beta"))
	requireCode(t, errcodes.CorruptRecord, err)
	_, _, err = store.RateLocks().Lock(t.Context(), "zenith", "rl_3")
	require.NoError(t, err)
}

// The event is claimed, buried and listed like the others.
func TestAnEventWithAnInfiniteTimeDoesNotDelayOthers(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"infinity", "-infinity"} {
		dsn := emptied(t)
		store := open(t, dsn, nil)
		mintThree(t, store)
		query(t, dsn, "UPDATE corridor.events SET at = $1 WHERE id = 'ev_rl_2'", value)
		events, err := store.Outbox().Claim(t.Context(), epoch, lease, 10)
		require.NoError(t, err)
		require.Len(t, events, 3)
		require.Greater(t, events[1].At.Sub(epoch).Abs(), 100*365*24*time.Hour, "the time is out of range")
		for _, e := range events {
			require.NoError(t, store.Outbox().Bury(t.Context(), e, ""))
		}
		buried, err := store.DeadLetters().Buried(t.Context(), 0, 10)
		require.NoError(t, err)
		require.Len(t, buried, 3)
	}
}
