package sqlite_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// TestCorruptBook damages one owner's row; other owners must not be affected.
func TestCorruptBook(t *testing.T) {
	path := migrated(t)
	store, db := open(t, path, nil), raw(t, path)
	for name, damage := range map[string]string{
		"another format": "x'ff'",
		"nothing":        "x''",
		"cut short":      "substr(live, 1, length(live) - 1)",
		"too long":       "CAST(live || x'00' AS BLOB)",
		"too many locks": "CAST(x'0103' || substr(live, 3) AS BLOB)",
	} {
		t.Run(name, func(t *testing.T) {
			wipe(t, store)
			mustMint(t, store, "acme", "rl_1", epoch)
			neighbour := mustMint(t, store, "zenith", "rl_2", epoch)
			query(t, db, "UPDATE books SET live = "+damage+" WHERE owner = ?", []byte("acme"))

			_, err := store.RateLocks().Book(t.Context(), keyOf("acme"))
			requireCode(t, errcodes.CorruptRecord, err)
			_, _, err = store.RateLocks().Lock(t.Context(), "acme", "rl_1")
			requireCode(t, errcodes.CorruptRecord, err)

			neighbour.Book.Version++
			require.Equal(t, neighbour.Book, bookOf(t, store, "zenith"))
			requireStored(t, store, *neighbour.Minted)
			live, err := store.RateLocks().List(t.Context(), ports.LockQuery{Pair: usdZAR, Limit: 10})
			require.NoError(t, err)
			require.Len(t, live, 2, "a listing reads the locks' own rows")
			require.NoError(t, store.Ping(t.Context()))
		})
	}
}

// TestConstraintsRejectImpossibleRateLocks writes records that the domain never makes.
func TestConstraintsRejectImpossibleRateLocks(t *testing.T) {
	store := open(t, migrated(t), nil)
	cancel := func(l *ports.RateLock, reason ports.CancellationReason) {
		l.Status, l.CancellationReason, l.EndedAt = ports.LockCancelled, reason, epoch
	}
	for name, spoil := range map[string]func(l *ports.RateLock){
		"an unknown status":                 func(l *ports.RateLock) { l.Status, l.EndedAt = "paused", epoch },
		"an unknown reason":                 func(l *ports.RateLock) { cancel(l, "whim") },
		"cancelled without a reason":        func(l *ports.RateLock) { cancel(l, "") },
		"a reason but not cancelled":        func(l *ports.RateLock) { l.CancellationReason = ports.CancelledRequested },
		"an end but active":                 func(l *ports.RateLock) { l.EndedAt = epoch },
		"expired without an end":            func(l *ports.RateLock) { l.Status = ports.LockExpired },
		"drifted without an observed mid":   func(l *ports.RateLock) { cancel(l, ports.CancelledMarketDrift) },
		"an observed mid but not drifted":   func(l *ports.RateLock) { cancel(l, ports.CancelledRequested); l.ObservedMid = "17.9" },
		"an observed mid but not cancelled": func(l *ports.RateLock) { l.ObservedMid = "17.9" },
		"a deviation but not drifted":       func(l *ports.RateLock) { l.DeviationBps = -324 },
		"expired before its creation":       func(l *ports.RateLock) { l.ExpiresAt = l.CreatedAt },
		"a negative markup":                 func(l *ports.RateLock) { l.MarkupBps = -1 },
	} {
		t.Run(name, func(t *testing.T) {
			l := activeLock("acme", "rl_1", epoch)
			spoil(&l)
			change := mint(bookOf(t, store, "acme"), l)
			requireCode(t, errcodes.CorruptRecord, store.RateLocks().Save(t.Context(), change))
			require.True(t, store.Connected(), "the connection is still used")
			requireAbsent(t, store, change)
		})
	}
	mustMint(t, store, "acme", "rl_1", epoch)
}

// TestCorruptValidation sets the status of one row to an unknown one, as a damaged
// page can; other rows must not be affected.
func TestCorruptValidation(t *testing.T) {
	path := migrated(t)
	store := open(t, path, nil)
	damaged := mustValidate(t, store, pending("acme", "a"))
	neighbour := mustValidate(t, store, pending("acme", "b"))
	db := raw(t, path)
	query(t, db, "PRAGMA ignore_check_constraints = ON")
	query(t, db, "UPDATE validations SET status = 'paid' WHERE id = ?", []byte("a"))

	_, err := store.Validations().Validation(t.Context(), "acme", "a")
	requireCode(t, errcodes.CorruptRecord, err)
	require.NotContains(t, errcodes.MessageOf(err), "paid")
	requireCode(t, errcodes.Conflict, store.Validations().Save(t.Context(), changeOf(ended(damaged, ports.StatusError))))

	requireValidation(t, store, neighbour)
	overdue, err := store.Validations().Overdue(t.Context(), neighbour.Deadline, ports.Pos{}, 10)
	require.NoError(t, err)
	require.Equal(t, []ports.ValidationRecord{neighbour}, overdue)
	mustValidate(t, store, ended(neighbour, ports.StatusVerified))
	purged, err := store.Validations().PurgeValidations(t.Context(), neighbour.PurgeAt, 10)
	require.NoError(t, err)
	require.Equal(t, 2, purged)
}

// TestTheViewsAreReadable queries the views as a person would.
func TestTheViewsAreReadable(t *testing.T) {
	path := migrated(t)
	store := open(t, path, nil)
	mustMint(t, store, "acme", "rl_1", epoch.Add(123e6))
	db := raw(t, path)
	var owner, created, ended string
	row := db.QueryRowContext(t.Context(),
		"SELECT owner, created_at, coalesce(ended_at, 'live') FROM readable_rate_locks WHERE id = 'rl_1' AND owner = 'acme'")
	require.NoError(t, row.Scan(&owner, &created, &ended))
	require.Equal(t, []string{"acme", "2026-11-20T15:00:00.123Z", "live"}, []string{owner, created, ended})
	mustValidate(t, store, pending("acme", "v_1"))
	var status, deadline string
	row = db.QueryRowContext(t.Context(),
		"SELECT status, deadline FROM readable_validations WHERE id = 'v_1' AND owner = 'acme' AND country = 'NGA' AND sealed_bytes = 13")
	require.NoError(t, row.Scan(&status, &deadline))
	require.Equal(t, []string{"pending", "2026-11-20T15:00:30.000Z"}, []string{status, deadline})
	for _, view := range []string{
		"readable_books", "readable_events", "readable_work_items", "readable_tokens", "readable_audit", "readable_cached_answers", "readable_answer_claims",
	} {
		var n int
		require.NoError(t, db.QueryRowContext(t.Context(), "SELECT count(*) FROM "+view).Scan(&n), view)
	}
}
