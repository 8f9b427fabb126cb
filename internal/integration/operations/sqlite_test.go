package operations_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

var (
	epoch = storemodel.Epoch
	token = ports.Token{SHA256: [32]byte{1}, ClientID: "acme", IssuedAt: epoch, ExpiresAt: epoch.Add(time.Hour)}
)

// live is a store in use, in a folder.
type live struct {
	folder string
	store  *sqlite.Store
}

func running(t *testing.T) live {
	t.Helper()
	folder := t.TempDir()
	return live{folder, opened(t, filepath.Join(folder, "corridor.db"))}
}

func opened(t *testing.T, path string) *sqlite.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), path, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

func mint(ctx context.Context, store ports.RateLockStore, id string) error {
	return store.Save(ctx, storemodel.Mint(ports.Book{Key: storemodel.KeyOf(id)}, storemodel.ActiveLock(id, id, epoch)))
}

// mints stores locks that are acknowledged when it returns.
func (l live) mints(t *testing.T, ids ...string) {
	t.Helper()
	for _, id := range ids {
		require.NoError(t, mint(t.Context(), l.store.RateLocks(), id))
	}
}

// goesOn mints until the returned function is called, which returns after a mint that
// began after the call of goesOn.
func (l live) goesOn(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	stopped, one := make(chan error, 1), make(chan struct{}, 1)
	go func() {
		for n := 0; ctx.Err() == nil; n++ {
			if err := mint(context.WithoutCancel(ctx), l.store.RateLocks(), fmt.Sprintf("later-%d", n)); err != nil {
				stopped <- err
				return
			}
			select {
			case one <- struct{}{}:
			default:
			}
		}
		stopped <- nil
	}()
	return func() {
		<-one
		cancel()
		require.NoError(t, <-stopped)
	}
}

func (l live) file(name string) string { return filepath.Join(l.folder, name) }

func missing(t *testing.T, path string, ids []string) (n int) {
	t.Helper()
	store := opened(t, path)
	for _, id := range ids {
		_, _, err := store.RateLocks().Lock(t.Context(), id, id)
		if errcodes.Of(err) == errcodes.NotFound {
			n++
			continue
		}
		require.NoError(t, err)
	}
	return n
}

func query(t *testing.T, path, statement string) (answer string, err error) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	err = db.QueryRowContext(t.Context(), statement).Scan(&answer)
	return answer, err
}

func numbered(n int) (ids []string) {
	for i := range n {
		ids = append(ids, fmt.Sprintf("lock-%d", i))
	}
	return ids
}

// backups are the ways to copy a file in use: a statement on another connection and, if
// SQLite's shell is installed, the commands of the page.
func backups(t *testing.T) map[string]func(l live) {
	t.Helper()
	ways := map[string]func(l live){"statement": func(l live) {
		db, err := sql.Open("sqlite", l.file("corridor.db"))
		require.NoError(t, err)
		defer func() { require.NoError(t, db.Close()) }()
		_, err = db.ExecContext(t.Context(), "VACUUM INTO ?", l.file("backup.db"))
		require.NoError(t, err)
	}}
	if _, err := exec.LookPath("sqlite3"); err != nil {
		t.Log("the shell of SQLite is not installed: its commands are not run")
		return ways
	}
	ways[".backup"] = func(l live) {
		printed, err := shell(t, l.folder, `sqlite3 corridor.db ".backup backup.db"`)
		require.NoError(t, err, printed)
	}
	ways["commands"] = func(l live) {
		printed, err := shell(t, l.folder, block(t, "sh", "VACUUM INTO"))
		require.NoError(t, err, printed)
		require.Equal(t, "ok\n", printed)
		info, err := os.Stat(l.file("backup.db"))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode(), "others must not read the backup")
	}
	return ways
}

// A copy of the main file lacks locks that were acknowledged; a backup does not, also
// while the service writes.
func TestABackupOfALiveFileHasEveryAcknowledgedLock(t *testing.T) {
	for name, backup := range backups(t) {
		t.Run(name, func(t *testing.T) {
			l, ids := running(t), numbered(20)
			l.mints(t, ids...)

			data, err := os.ReadFile(l.file("corridor.db"))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(l.file("copy.db"), data, 0o600))
			require.NotZero(t, missing(t, l.file("copy.db"), ids), "cp loses no lock: the page warns of nothing")

			stop := l.goesOn(t)
			backup(l)
			stop()
			ok, err := query(t, l.file("backup.db"), "PRAGMA integrity_check")
			require.NoError(t, err)
			require.Equal(t, "ok", ok)
			require.Zero(t, missing(t, l.file("backup.db"), ids))
		})
	}
}

// restored returns the file after the restore of a backup, with the log that a killed
// process left behind.
func restored(t *testing.T, commands string) (path string) {
	t.Helper()
	l := running(t)
	l.mints(t, "before")
	require.NoError(t, l.store.Tokens().PutToken(t.Context(), token, 10))
	backups(t)["statement"](l)
	require.NoError(t, l.store.Tokens().Revoke(t.Context(), token.SHA256, storemodel.AuditRow))
	l.mints(t, "after")

	folder := t.TempDir() // where the process was killed
	for _, name := range []string{"corridor.db", "corridor.db-wal", "backup.db"} {
		data, err := os.ReadFile(l.file(name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), data, 0o600))
	}
	printed, err := shell(t, folder, commands)
	require.NoError(t, err, printed)
	return filepath.Join(folder, "corridor.db")
}

// After a restore, later locks are unknown and tokens that were revoked since then are
// valid again, until they are removed.
func TestARestoreReturnsToTheBackup(t *testing.T) {
	path := restored(t, block(t, "sh", "rm -f corridor.db-wal"))
	require.Zero(t, missing(t, path, []string{"before"}))
	require.Equal(t, 1, missing(t, path, []string{"after"}))
	store := opened(t, path)
	_, err := store.Tokens().Token(t.Context(), token.SHA256)
	require.NoError(t, err)

	_, err = query(t, path, "DELETE FROM tokens RETURNING 'removed'")
	require.NoError(t, err)
	_, err = store.Tokens().Token(t.Context(), token.SHA256)
	require.Equal(t, errcodes.NotFound, errcodes.Of(err))
}

// The page says to remove the old log first: this is why.
func TestALogThatStaysIsAppliedToTheRestoredFile(t *testing.T) {
	path := restored(t, "cp backup.db corridor.db")
	ok, err := query(t, path, "PRAGMA integrity_check")
	if err != nil || ok != "ok" {
		return // damaged
	}
	require.Zero(t, missing(t, path, []string{"after"}), "the log did no harm")
}
