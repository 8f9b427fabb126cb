package postgres_test

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/errcodes"
)

// requirePasswordOf makes the server ask this role for its password.
func requirePasswordOf(tb testing.TB, c *pgtest.Cluster, role string) {
	tb.Helper()
	path := filepath.Join(c.Folder(), "data", "pg_hba.conf")
	rules, err := os.ReadFile(path)
	require.NoError(tb, err)
	require.NoError(tb, os.WriteFile(path, append([]byte("local all "+role+" scram-sha-256\n"), rules...), 0o600))
	query(tb, c.DSN(), "SELECT pg_reload_conf()")
	require.Eventually(tb, func() bool { // until the postmaster has read the file
		conn, err := pgx.Connect(tb.Context(), c.DSN()+"&user="+role)
		if err == nil {
			_ = conn.Close(tb.Context())
		}
		return err != nil
	}, patience, time.Millisecond)
}

// grantedTables contains tables for a role that may only read and write them.
var grantedTables = pgtest.NewTemplate(func(ctx context.Context, dsn string) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, `CREATE ROLE worker LOGIN; CREATE SCHEMA corridor; GRANT USAGE ON SCHEMA corridor TO worker;
		ALTER DEFAULT PRIVILEGES IN SCHEMA corridor GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO worker`)
	if closed := conn.Close(ctx); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	pool, err := pgxpool.New(ctx, dsn)
	if err != nil {
		return err
	}
	defer pool.Close()
	return postgres.Migrate(ctx, pool)
})

// SELECT, INSERT, UPDATE and DELETE on the tables are enough for everything but
// migrations.
func TestOpenWithMinimalRights(t *testing.T) {
	t.Parallel()
	c := pgtest.New(t, &pgtest.Options{Dir: inMemory()})
	t.Run("each of cutOperations", func(t *testing.T) {
		t.Parallel()
		dsn := c.Database(t, grantedTables)
		query(t, dsn, emptyTables)
		beside := connect(t, dsn, nil)
		store := on(t, connect(t, dsn, as("worker")), nil)
		for _, op := range cutOperations {
			empty(t, beside)
			require.NoError(t, op.prepare(t, store)(t.Context(), store), op.name)
		}
	})
	t.Run("up to date", func(t *testing.T) {
		t.Parallel()
		store := on(t, connect(t, c.Database(t, grantedTables), as("worker")), migrating)
		require.NoError(t, store.Ping(t.Context()), "nothing was left to migrate")
	})
	t.Run("a missing right", func(t *testing.T) {
		t.Parallel()
		dsn := c.Database(t, grantedTables)
		query(t, dsn, "REVOKE SELECT ON corridor.books FROM worker")
		store := on(t, connect(t, dsn, as("worker")), skipping)
		requireCode(t, errcodes.Configuration, store.Ping(t.Context()))
	})
}

const openEnv = "CORRIDOR_TEST_OPEN_DSN"

// TestOpeningProcess is one of the processes that start at once.
func TestOpeningProcess(t *testing.T) {
	dsn := os.Getenv(openEnv)
	if dsn == "" {
		t.Skip("runs only as a process of TestManyProcessesOpenAtOnce")
	}
	require.NoError(t, open(t, dsn, migrating).Ping(t.Context()))
}

func TestManyProcessesOpenAtOnce(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, nil)
	const processes, pools = 2, 4
	var all sync.WaitGroup
	for range processes {
		all.Go(func() {
			child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestOpeningProcess$", "-test.v")
			child.Env = append(os.Environ(), openEnv+"="+dsn)
			out, err := child.CombinedOutput()
			assert.NoError(t, err, "%s", out)
			assert.Contains(t, string(out), "--- PASS: TestOpeningProcess")
		})
	}
	for range pools {
		pool := connect(t, dsn, small(1))
		all.Go(func() {
			store, err := postgres.New(t.Context(), pool, nil)
			if assert.NoError(t, err) {
				assert.NoError(t, store.Ping(t.Context()))
			}
		})
	}
	all.Wait()
	var twice, versions int
	pool := connect(t, dsn, nil)
	require.NoError(t, pool.QueryRow(t.Context(), `SELECT count(*) - count(DISTINCT version_id), count(*)
		FROM corridor.schema_versions`).Scan(&twice, &versions))
	assert.Zero(t, twice, "each migration ran once")
	assert.Greater(t, versions, 1)
}

// If two processes create the schema at the same time, the second one's CREATE fails,
// and it continues.
func TestOpenWhileAnotherProcessCreatesTheSchema(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, nil)
	pool := connect(t, dsn, nil)
	tx, err := pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.Background()) }()
	_, err = tx.Exec(t.Context(), "CREATE SCHEMA corridor")
	require.NoError(t, err)
	migrated := make(chan error, 1)
	second := connect(t, dsn, nil)
	go func() { migrated <- postgres.Migrate(context.Background(), second) }()
	require.Eventually(t, func() bool {
		var waits bool
		err := pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock')`).Scan(&waits)
		return err == nil && waits
	}, patience, time.Millisecond)
	require.NoError(t, tx.Commit(t.Context()))
	require.NoError(t, <-migrated)
}

var openStride = flag.Int("open.stride", 101, "after how many messages more the next migration is cut")

// If the connection of a migration is cut, the next process completes the migration.
func TestOpenAfterACutMigration(t *testing.T) {
	t.Parallel()
	for k, cut := 1, true; cut; k += *openStride {
		dsn := pgtest.Database(t, nil)
		proxy := pgtest.NewProxy(t, dsn)
		pool := connect(t, proxy.DSN(), nil)
		armed := proxy.Arm(pgtest.Fault{Of: pgtest.Client, Messages: k, Drop: true})
		err := postgres.Migrate(t.Context(), pool)
		if cut = armed.Disarm(); cut {
			armed.Wait()
		}
		if err != nil {
			requireCode(t, errcodes.StorageUnavailable, err)
		}
		assert.True(t, cut || err == nil, "message %d", k)
		require.NoError(t, open(t, dsn, migrating).Ping(t.Context()), "message %d", k)
		pool.Close()
	}
}
