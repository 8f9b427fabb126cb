package sqlite_test

import (
	"context"
	"database/sql"
	"flag"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	_ "modernc.org/sqlite"

	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

func TestMain(m *testing.M) {
	// A check of a model makes some dozens of calls to two stores; .ci/full makes more checks.
	if err := flag.Set("rapid.checks", "20"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// These records are what all stores are tested with.
var (
	epoch, usdZAR           = storemodel.Epoch, storemodel.USDZAR
	activeLock, mint, keyOf = storemodel.ActiveLock, storemodel.Mint, storemodel.KeyOf
	mintedEvent             = storemodel.MintedEvent
	pending, ended          = storemodel.PendingValidation, storemodel.EndedValidation
	waiting, failed, landed = storemodel.PendingTransaction, storemodel.FailedTransaction, storemodel.LandedTransaction
	runs, completed, broke  = storemodel.RunningReport, storemodel.CompletedReport, storemodel.FailedReport
	beaten                  = storemodel.BeatenReport

	changeOf, moveOf, reportOf = storemodel.ValidationOf, storemodel.TransactionOf, storemodel.ReportOf
)

func file(tb testing.TB) string { return filepath.Join(tb.TempDir(), "corridor.db") }

// migrated returns a file that has its tables already: creating them is most of the time
// of a small test.
func migrated(tb testing.TB) string {
	tb.Helper()
	data, err := emptyFile()
	require.NoError(tb, err)
	path := file(tb)
	require.NoError(tb, os.WriteFile(path, data, 0o600))
	return path
}

var emptyFile = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "corridor")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "corridor.db")
	if err := sqlite.Migrate(context.Background(), path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func open(tb testing.TB, path string, config *sqlite.Config) *sqlite.Store {
	tb.Helper()
	store, err := sqlite.Open(tb.Context(), path, config)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, store.Close()) })
	return store
}

// raw opens the file without the store, as a person with the sqlite3 shell does.
func raw(tb testing.TB, path string) *sql.DB {
	tb.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(tb, err)
	db.SetMaxOpenConns(1)
	tb.Cleanup(func() { require.NoError(tb, db.Close()) })
	return db
}

// wipe removes everything that the store contains: the cases of a table use one store in
// turn, because opening it takes longer than most of them.
func wipe(tb testing.TB, store *sqlite.Store) {
	tb.Helper()
	require.NoError(tb, store.Empty(tb.Context()))
}

// twoProcesses returns two stores on one file. They wait for one another as long as a
// busy machine needs.
func twoProcesses(tb testing.TB) []*sqlite.Store {
	tb.Helper()
	path, patient := migrated(tb), &sqlite.Config{BusyTimeout: sqlite.MaxBusyTimeout}
	return []*sqlite.Store{open(tb, path, patient), open(tb, path, patient)}
}

func query(tb testing.TB, db *sql.DB, query string, args ...any) {
	tb.Helper()
	_, err := db.ExecContext(tb.Context(), query, args...)
	require.NoError(tb, err)
}

func bookOf(tb testing.TB, store *sqlite.Store, owner string) ports.Book {
	tb.Helper()
	b, err := store.RateLocks().Book(tb.Context(), keyOf(owner))
	require.NoError(tb, err)
	return b
}

// mustMint stores an active lock in the owner's book and returns the change.
func mustMint(tb testing.TB, store *sqlite.Store, owner, id string, created time.Time) ports.RateLockChange {
	tb.Helper()
	c := mint(bookOf(tb, store, owner), activeLock(owner, id, created))
	require.NoError(tb, store.RateLocks().Save(tb.Context(), c))
	return c
}

func requireCode(tb testing.TB, want errcodes.Code, err error) {
	tb.Helper()
	require.Equal(tb, want, errcodes.Of(err), "%v", err)
}

// requireAbsent checks by each port that nothing of the change is stored.
func requireAbsent(tb testing.TB, store *sqlite.Store, c ports.RateLockChange) {
	tb.Helper()
	require.Equal(tb, c.Book.Version, bookOf(tb, store, c.Book.Key.Owner).Version)
	if c.Minted != nil {
		_, _, err := store.RateLocks().Lock(tb.Context(), c.Minted.Owner, c.Minted.ID)
		requireCode(tb, errcodes.NotFound, err)
	}
	if len(c.Events) == 0 {
		return // a claim writes, and a full store cannot
	}
	for _, e := range claimAll(tb, store) {
		for _, of := range c.Events {
			require.NotEqual(tb, of.ID, e.ID)
		}
	}
}

func requireStored(tb testing.TB, store *sqlite.Store, want ports.RateLock) {
	tb.Helper()
	got, _, err := store.RateLocks().Lock(tb.Context(), want.Owner, want.ID)
	require.NoError(tb, err)
	require.Equal(tb, want, got)
}

func claimAll(tb testing.TB, store *sqlite.Store) []ports.Event {
	tb.Helper()
	events, err := store.Outbox().Claim(context.WithoutCancel(tb.Context()), epoch.AddDate(1, 0, 0), time.Millisecond, 1000)
	require.NoError(tb, err)
	return events
}
