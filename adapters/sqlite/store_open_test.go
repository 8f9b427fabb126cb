package sqlite_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

func TestOpenRejects(t *testing.T) {
	garbage := file(t)
	require.NoError(t, os.WriteFile(garbage, []byte("id,amount\n1,2\nthis is a table, but not a database\n"), 0o600))
	newer := file(t)
	require.NoError(t, sqlite.Migrate(t.Context(), newer))
	query(t, raw(t, newer), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (999999, 1)")
	empty := file(t)
	require.NoError(t, os.WriteFile(empty, nil, 0o600))

	for name, c := range map[string]struct {
		path   string
		config *sqlite.Config
	}{
		"no path":                       {path: ""},
		"a database in memory":          {path: ":memory:"},
		"memory with settings":          {path: ":memory:?cache=shared"},
		"a URI":                         {path: "file:corridor.db"},
		"a NUL in the path":             {path: file(t) + "\x00.db"},
		"a folder":                      {path: t.TempDir()},
		"a missing folder":              {path: filepath.Join(t.TempDir(), "none", "corridor.db")},
		"a file that is not a database": {path: garbage},
		"a newer version's file":        {path: newer},
		"no tables and no migration":    {path: empty, config: &sqlite.Config{SkipMigrate: true}},
		"no file and no migration":      {path: file(t), config: &sqlite.Config{SkipMigrate: true}},
		"a negative busy time-out":      {path: file(t), config: &sqlite.Config{BusyTimeout: -1}},
		"a busy time-out of an hour":    {path: file(t), config: &sqlite.Config{BusyTimeout: time.Hour}},
		"a negative number of readers":  {path: file(t), config: &sqlite.Config{Readers: -1}},
		"a thousand readers":            {path: file(t), config: &sqlite.Config{Readers: 1000}},
	} {
		t.Run(name, func(t *testing.T) {
			store, err := sqlite.Open(t.Context(), c.path, c.config)
			requireCode(t, errcodes.Configuration, err)
			require.Nil(t, store)
			if c.path != "" {
				assert.NotContains(t, errcodes.MessageOf(err), c.path, "the public message does not name the path")
			}
		})
	}
}

func TestOnlyTheOwnerCanReadTheFiles(t *testing.T) {
	path := file(t)
	mustMint(t, open(t, path, nil), "acme", "rl_1", epoch)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		info, err := os.Stat(path + suffix)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), suffix)
	}
}

func TestOpenWithACancelledContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := sqlite.Open(ctx, file(t), nil)
	requireCode(t, errcodes.Canceled, err)
}

func TestMigrateIsIdempotent(t *testing.T) {
	path := file(t)
	require.NoError(t, sqlite.Migrate(t.Context(), path))
	db := raw(t, path)
	before := schemaOf(t, path)
	require.NoError(t, sqlite.Migrate(t.Context(), path))
	require.NoError(t, sqlite.Migrate(t.Context(), path))
	require.Equal(t, before, schemaOf(t, path))
	var runs, versions int
	row := db.QueryRowContext(t.Context(), "SELECT count(*), count(DISTINCT version_id) FROM goose_db_version")
	require.NoError(t, row.Scan(&runs, &versions))
	require.Equal(t, versions, runs, "each migration ran once")
	open(t, path, &sqlite.Config{SkipMigrate: true})
}

// internal/docs/adapters/store.md says so to embedders.
func TestOtherTablesInTheFileAreLeftAlone(t *testing.T) {
	path := file(t)
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	_, err := raw(t, path).ExecContext(t.Context(), "CREATE TABLE shop_orders (id INTEGER PRIMARY KEY); INSERT INTO shop_orders VALUES (7)")
	require.NoError(t, err)
	want := schemaOf(t, path)["shop_orders"]
	open(t, path, nil)
	require.Equal(t, want, schemaOf(t, path)["shop_orders"])
	var id int
	require.NoError(t, raw(t, path).QueryRowContext(t.Context(), "SELECT id FROM shop_orders").Scan(&id))
	require.Equal(t, 7, id)
}

func schemaOf(tb testing.TB, path string) map[string]string {
	tb.Helper()
	schema := map[string]string{}
	rows, err := raw(tb, path).QueryContext(tb.Context(), "SELECT name, coalesce(sql, '') FROM sqlite_schema")
	require.NoError(tb, err)
	for rows.Next() {
		var name, sql string
		require.NoError(tb, rows.Scan(&name, &sql))
		schema[name] = sql
	}
	require.NoError(tb, rows.Err())
	require.NoError(tb, rows.Close())
	return schema
}

func TestFourOpenOneNewFileAtOnce(t *testing.T) {
	t.Parallel()
	for range 2 {
		path := file(t)
		var wg sync.WaitGroup
		errs := make([]error, 4)
		for i := range errs {
			wg.Go(func() {
				store, err := sqlite.Open(t.Context(), path, &sqlite.Config{BusyTimeout: sqlite.MaxBusyTimeout})
				if err == nil {
					err = store.Close()
				}
				errs[i] = err
			})
		}
		wg.Wait()
		for _, err := range errs {
			require.NoError(t, err)
		}
		mustMint(t, open(t, path, nil), "acme", "rl_1", epoch)
	}
}

func TestAfterCloseEverythingIsClosed(t *testing.T) {
	store, err := sqlite.Open(t.Context(), migrated(t), nil)
	require.NoError(t, err)
	require.NoError(t, store.Ping(t.Context()))
	require.NoError(t, store.Close())
	require.NoError(t, store.Close(), "a second Close")
	requireCode(t, errcodes.Closed, store.Ping(t.Context()))
	requireCode(t, errcodes.Closed, store.Clients().PutClient(t.Context(), ports.Client{ID: "c"}, storemodel.AuditRow))
	_, err = store.RateLocks().Book(t.Context(), keyOf("acme"))
	requireCode(t, errcodes.Closed, err)
}

// TestCloseDuringACall closes the store after the call has checked that it is open: at
// the call's first check of its context.
func TestCloseDuringACall(t *testing.T) {
	for name, call := range map[string]func(ctx context.Context, s *sqlite.Store) error{
		"one row": func(ctx context.Context, s *sqlite.Store) error {
			_, err := s.RateLocks().Book(ctx, keyOf("acme"))
			return err
		},
		"a listing": func(ctx context.Context, s *sqlite.Store) error {
			_, err := s.RateLocks().List(ctx, ports.LockQuery{Owner: "acme", Limit: 1})
			return err
		},
		"a write": func(ctx context.Context, s *sqlite.Store) error {
			return s.RateLocks().Save(ctx, ports.RateLockChange{Book: ports.Book{Key: keyOf("acme")}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := open(t, migrated(t), nil)
			ctx := &closesAtLook{Context: t.Context(), store: store}
			requireCode(t, errcodes.Closed, call(ctx, store))
			require.NoError(t, ctx.err)
		})
	}
}

type closesAtLook struct {
	context.Context
	store *sqlite.Store
	err   error
}

func (c *closesAtLook) Err() error {
	if c.store != nil {
		c.err, c.store = c.store.Close(), nil
	}
	return nil
}

// TestSettings checks the settings on which durability depends.
func TestSettings(t *testing.T) {
	store := open(t, file(t), nil)
	for name, want := range map[string]string{
		"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "wal_autocheckpoint": "4000",
	} {
		got, err := store.Pragma(t.Context(), name)
		require.NoError(t, err)
		require.Equal(t, want, got, name)
	}
}

// TestCloseUnderLoad closes while others read and write: each of them succeeds or gets
// errcodes.Closed.
func TestCloseUnderLoad(t *testing.T) {
	store, err := sqlite.Open(t.Context(), migrated(t), nil)
	require.NoError(t, err)
	var wg sync.WaitGroup
	started := make(chan struct{}, 4)
	for i := range 4 {
		wg.Go(func() {
			owner := string(rune('a' + i))
			for n := 0; ; n++ {
				b, err := store.RateLocks().Book(t.Context(), keyOf(owner))
				if err == nil {
					b.HighWater = epoch.Add(time.Duration(n))
					err = store.RateLocks().Save(t.Context(), ports.RateLockChange{Book: b})
				}
				if err != nil {
					assert.Equal(t, errcodes.Closed, errcodes.Of(err), "%v", err)
					return
				}
				if n == 3 {
					started <- struct{}{}
				}
			}
		})
	}
	for range 4 {
		<-started
	}
	require.NoError(t, store.Close())
	wg.Wait()
}
