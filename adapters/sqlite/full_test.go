package sqlite_test

import (
	"bytes"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// TestFullFile fills the file to a page limit, which is portable; a full disk is in
// full_linux_test.go.
func TestFullFile(t *testing.T) {
	store := open(t, migrated(t), nil)
	mustMint(t, store, "acme", "rl_1", epoch)
	lift, err := store.Limit("max_page_count(1)")
	require.NoError(t, err)

	change := mint(bookOf(t, store, "acme"), activeLock("acme", "rl_2", epoch.Add(1e9)))
	change.Events[0].Data = bytes.Repeat([]byte("x"), 64<<10)
	for range 2 {
		err := store.RateLocks().Save(t.Context(), change)
		requireCode(t, errcodes.StorageUnavailable, err)
		require.False(t, store.Connected(), "the connection that met the error is used again")
		require.NotContains(t, errcodes.MessageOf(err), "INSERT")
		requireAbsent(t, store, change)
		bookOf(t, store, "acme") // a full store still reads
	}

	lift()
	require.NoError(t, store.RateLocks().Save(t.Context(), change), "with free space again, without a restart")
	requireStored(t, store, *change.Minted)
}

// fill sets a page limit and saves smaller and smaller events until none fits. The
// returned function removes the limit.
func fill(tb testing.TB, store *sqlite.Store, path string) (empty func()) {
	tb.Helper()
	lift, err := store.Limit("max_page_count(1)")
	require.NoError(tb, err)
	b, n := bookOf(tb, store, "ballast"), 0
	for size := 4096; ; size /= 8 { // each step costs a connection
		for {
			n++
			e := ports.Event{ID: "ballast" + strconv.Itoa(n), Data: make([]byte, size)}
			err := store.RateLocks().Save(tb.Context(), ports.RateLockChange{Book: b, Events: []ports.Event{e}})
			if err != nil {
				requireCode(tb, errcodes.StorageUnavailable, err)
				break
			}
			b.Version++
		}
		if size == 0 {
			break
		}
	}
	return func() {
		lift()
		query(tb, raw(tb, path), "DELETE FROM events WHERE kind = ''")
	}
}

func TestReadOnlyFile(t *testing.T) {
	store := open(t, migrated(t), nil)
	lift, err := store.Limit("query_only(ON)")
	require.NoError(t, err)
	change := mint(bookOf(t, store, "acme"), activeLock("acme", "rl_1", epoch))
	requireCode(t, errcodes.StorageUnavailable, store.RateLocks().Save(t.Context(), change))
	require.False(t, store.Connected(), "the connection that met the error is used again")
	requireAbsent(t, store, ports.RateLockChange{Book: change.Book, Minted: change.Minted})
	lift()
	require.NoError(t, store.RateLocks().Save(t.Context(), change))
	requireStored(t, store, *change.Minted)
}

// TestUnexpectedError renames a table: SQLite then returns an error that is not in the
// table of codes.
func TestUnexpectedError(t *testing.T) {
	path := migrated(t)
	store := open(t, path, nil)
	db := raw(t, path)
	query(t, db, "ALTER TABLE events RENAME TO gone")
	change := mint(bookOf(t, store, "acme"), activeLock("acme", "rl_1", epoch))
	err := store.RateLocks().Save(t.Context(), change)
	requireCode(t, errcodes.Internal, err)
	require.NotContains(t, errcodes.MessageOf(err), "events", "the public message does not name a table")
	require.False(t, store.Connected(), "the connection that met the error is used again")
	query(t, db, "ALTER TABLE gone RENAME TO events")
	requireAbsent(t, store, change)
	require.NoError(t, store.RateLocks().Save(t.Context(), change))
}
