package operations_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/adapters/river"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

const (
	workKind = "notify"
	within   = time.Minute // a limit that only a hang reaches
)

var bare = pgtest.NewTemplate(func(context.Context, string) error { return nil })

// as returns the address of the database for a role.
func as(tb testing.TB, dsn, role string) string {
	tb.Helper()
	changed := strings.Replace(dsn, "user=postgres", "user="+role, 1)
	require.NotEqual(tb, dsn, changed)
	return changed
}

func connect(tb testing.TB, dsn string) *pgxpool.Pool {
	tb.Helper()
	config, err := pgxpool.ParseConfig(dsn)
	require.NoError(tb, err)
	config.MaxConns = 5
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	require.NoError(tb, err)
	tb.Cleanup(pool.Close)
	return pool
}

func execute(tb testing.TB, pool *pgxpool.Pool, statements string) {
	tb.Helper()
	_, err := pool.Exec(tb.Context(), statements)
	require.NoError(tb, err)
}

// migrated sets a database up as the page says.
func migrated(t *testing.T, dsn string) (owner *pgxpool.Pool) {
	t.Helper()
	execute(t, connect(t, dsn), block(t, "sql", "CREATE ROLE"))
	owner = connect(t, as(t, dsn, "corridor_owner"))
	require.NoError(t, postgres.Migrate(t.Context(), owner))
	require.NoError(t, river.Migrate(t.Context(), owner))
	return owner
}

// serves checks that a process of the serving role can do its work: it mints a lock, and a
// job of a worker and a round of a ticker run.
func serves(t *testing.T, dsn, lock string, skipMigrate bool) {
	t.Helper()
	pool := connect(t, as(t, dsn, "corridor_app"))
	queue, err := river.New(t.Context(), pool, &river.Config{Kinds: []string{workKind}, SkipMigrate: skipMigrate, Poll: 100 * time.Millisecond})
	require.NoError(t, err)
	store, err := postgres.New(t.Context(), pool, &postgres.Config{Hook: queue, SkipMigrate: skipMigrate, AcquireTimeout: within, Timeout: within})
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()

	done, round := make(chan struct{}, 1), make(chan struct{}, 1)
	ran := make(chan error, 1)
	go func() {
		ran <- queue.Run(context.Background(), river.Jobs{
			Work: map[string]river.Tick{workKind: func(ctx context.Context, now time.Time) error {
				claimed, err := store.Work().Claim(ctx, workKind, now, within, 1)
				if err != nil || len(claimed) == 0 {
					return err
				}
				signal(done)
				return store.Work().Done(ctx, claimed[0])
			}},
			Tickers: []river.Ticker{{Name: "often", Every: time.Second, Tick: func(context.Context, time.Time) error { signal(round); return nil }}},
		})
	}()
	change := storemodel.Mint(ports.Book{Key: storemodel.KeyOf(lock)}, storemodel.ActiveLock(lock, lock, epoch))
	change.Work = []ports.WorkItem{{ID: lock, Kind: workKind, DueAt: time.Now()}}
	require.NoError(t, store.RateLocks().Save(t.Context(), change))
	for _, c := range []chan struct{}{done, round} {
		select {
		case <-c:
		case err := <-ran:
			t.Fatal("the queue ended", err)
		case <-time.After(within):
			t.Fatal("nothing ran")
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	require.NoError(t, queue.Stop(ctx))
	require.NoError(t, <-ran)
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// The roles and statements of the page work as they are written. The serving role needs no
// more, with and without SkipMigrate, also on partitions.
func TestRolesQueriesAndABackup(t *testing.T) {
	t.Parallel()
	server := pgtest.New(t, nil)
	dsn := server.Database(t, bare)
	owner := migrated(t, dsn)
	serves(t, dsn, "migrating", false)
	execute(t, owner, block(t, "sql", "-- live locks"))
	t.Run("backup", func(t *testing.T) { restores(t, dsn, server.Database(t, bare)) })
	execute(t, owner, block(t, "sql", "PARTITION BY RANGE"))
	serves(t, dsn, "not-migrating", true)
}

// restores checks that the serving role cannot make a backup, that the role of the page can,
// and that what it made is restored with its roles' rights, and serves.
func restores(t *testing.T, dsn, other string) {
	t.Helper()
	path := tools(t)
	printed, err := dump(t, path, dsn, other, "corridor_app")
	require.Error(t, err)
	require.Contains(t, printed, "permission denied for sequence")
	printed, err = dump(t, path, dsn, other, "corridor_backup")
	require.NoError(t, err, printed)

	serves(t, other, "after", false)
	store, err := postgres.New(t.Context(), connect(t, other), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	for _, id := range []string{"migrating", "after"} {
		_, _, err := store.RateLocks().Lock(t.Context(), id, id)
		require.NoError(t, err)
	}
}

// buried stores an item of work that cannot be done.
func buried(t *testing.T, store *postgres.Store) ports.WorkItem {
	t.Helper()
	change := storemodel.Mint(ports.Book{Key: storemodel.KeyOf("ended")}, storemodel.ActiveLock("ended", "rl_00ended", epoch))
	change.Work = []ports.WorkItem{{ID: "damaged", Kind: "k", DueAt: epoch}, {ID: "waiting", Kind: "k", DueAt: epoch.Add(time.Second)}}
	require.NoError(t, store.RateLocks().Save(t.Context(), change))
	claimed, err := store.Work().Claim(t.Context(), "k", epoch, time.Hour, 1)
	require.NoError(t, err)
	require.Len(t, claimed, 1)
	require.NoError(t, store.Work().Bury(t.Context(), claimed[0], "the record is damaged"))
	return claimed[0]
}

// The statements of the page remove what it says and nothing else.
func TestOldRowsAreRemoved(t *testing.T) {
	t.Parallel()
	pool := connect(t, pgtest.Database(t, bare))
	store, err := postgres.New(t.Context(), pool, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	item := buried(t, store)
	list, remove, both := strings.Cut(block(t, "sql", "reason IS NOT NULL"), "\n")
	require.True(t, both)
	rows, err := pool.Query(t.Context(), list)
	require.NoError(t, err)
	found, err := pgx.CollectRows(rows, pgx.RowToMap)
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, item.ID, found[0]["id"])
	require.Equal(t, "the record is damaged", found[0]["reason"])
	requireRemoved(t, pool, remove, "work_items")

	execute(t, pool, "UPDATE corridor.rate_locks SET status = 'expired', ended_at = now()")
	require.NoError(t, store.RateLocks().Save(t.Context(), storemodel.Mint(ports.Book{Key: storemodel.KeyOf("live")},
		storemodel.ActiveLock("live", "rl_00live", epoch))))
	execute(t, pool, block(t, "sql", "-- ended locks"))
	for owner, want := range map[string]errcodes.Code{"ended": errcodes.NotFound, "live": ""} {
		_, _, err := store.RateLocks().Lock(t.Context(), owner, "rl_00"+owner)
		require.Equal(t, want, errcodes.Of(err), owner)
	}

	require.NoError(t, store.Tokens().PutToken(t.Context(), token, 10))
	requireRemoved(t, pool, block(t, "sql", "DELETE FROM corridor.tokens"), "tokens")
}

// requireRemoved checks that a statement removes one row of a table.
func requireRemoved(t *testing.T, pool *pgxpool.Pool, statement, table string) {
	t.Helper()
	tag, err := pool.Exec(t.Context(), statement)
	require.NoError(t, err)
	require.EqualValues(t, 1, tag.RowsAffected(), table)
}

// tools skips a test on a machine without pg_dump, or returns the folders where it is.
func tools(t *testing.T) (path string) {
	t.Helper()
	folders, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	require.NoError(t, err)
	path = strings.Join(append(folders, os.Getenv("PATH")), ":")
	if _, err := shell(t, t.TempDir(), "command -v pg_dump pg_restore", "PATH="+path); err != nil {
		if required := os.Getenv("CORRIDOR_REQUIRE_POSTGRES"); required != "" && required != "0" {
			t.Fatal("pg_dump or pg_restore is missing")
		}
		t.Skip("pg_dump or pg_restore is missing")
	}
	return path
}

// dump runs the commands of the page for a backup, with names in place of the page's.
func dump(t *testing.T, path, from, to, role string) (string, error) {
	t.Helper()
	config, err := pgx.ParseConfig(from)
	require.NoError(t, err)
	target, err := pgx.ParseConfig(to)
	require.NoError(t, err)
	commands := strings.NewReplacer(
		"corridor.dump payments", "corridor.dump "+config.Database, "-d payments", "-d "+target.Database, "-U corridor_backup", "-U "+role,
	).Replace(block(t, "sh", "pg_dump"))
	return shell(t, t.TempDir(), commands, "PATH="+path, "PGHOST="+config.Host, "PGPORT="+strconv.Itoa(int(config.Port)))
}
