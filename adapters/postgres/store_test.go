package postgres_test

import (
	"cmp"
	"context"
	"flag"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

var full = flag.Bool("full", false, "also run what .ci/full runs")

// onlyInFull skips a test that the gate leaves out.
func onlyInFull(t *testing.T, why string) {
	t.Helper()
	if !*full {
		t.Skip("runs with -full: " + why)
	}
}

// settings returns all settings of a test with -full, and otherwise the first.
func settings[T any](all ...T) []T {
	if *full {
		return all
	}
	return all[:1]
}

// rounds is how often racers meet: n times, and with -full five times as often.
func rounds(n int) int {
	if *full {
		return 5 * n
	}
	return n
}

func TestMain(m *testing.M) {
	flag.Parse()
	for name, value := range map[string]string{
		"test.parallel": "4",  // they also wait for the server
		"rapid.checks":  "10", // each runs some dozens of statements
	} {
		if !given(name) {
			if err := flag.Set(name, value); err != nil {
				panic(err)
			}
		}
	}
	goleak.VerifyTestMain(pgtest.Main(linedTests{m}))
}

// given reports whether the command line has the flag.
func given(name string) (yes bool) {
	flag.Visit(func(f *flag.Flag) { yes = yes || f.Name == name })
	return yes
}

// These records are the same in the tests of all stores.
var (
	epoch, usdZAR           = storemodel.Epoch, storemodel.USDZAR
	activeLock, mint, keyOf = storemodel.ActiveLock, storemodel.Mint, storemodel.KeyOf
	mintedEvent             = storemodel.MintedEvent
	pendingAt, endedWith    = storemodel.PendingValidation, storemodel.EndedValidation
	waiting, failed, landed = storemodel.PendingTransaction, storemodel.FailedTransaction, storemodel.LandedTransaction
	runs, completed, broke  = storemodel.RunningReport, storemodel.CompletedReport, storemodel.FailedReport

	withEvent, moveOf, reportOf = storemodel.ValidationOf, storemodel.TransactionOf, storemodel.ReportOf
)

// tables is a template with this version's tables.
var tables = pgtest.NewTemplate(func(ctx context.Context, dsn string) error { return filled(ctx, dsn) })

// filled migrates a database and runs the statements.
func filled(ctx context.Context, dsn string, statements ...string) error {
	pool, err := pgxpool.New(ctx, dsn)
	if err != nil {
		return err
	}
	defer pool.Close()
	if err := postgres.Migrate(ctx, pool); err != nil {
		return err
	}
	for _, sql := range statements {
		if _, err := pool.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

// migrated returns the DSN of a new database with tables.
func migrated(tb testing.TB) string { return pgtest.Database(tb, tables) }

// emptied returns the DSN of a database with empty tables, which later tests use again:
// the test may not change the tables themselves.
func emptied(tb testing.TB) string { return pgtest.Database(tb, reused) }

var reused = pgtest.NewTemplate(func(ctx context.Context, dsn string) error {
	return filled(ctx, dsn, emptyTables)
}).EmptiedBy("SELECT empty_tables()")

// emptyTables creates a function, whose sessions plan its statements only once.
const emptyTables = `DO $do$ BEGIN
	EXECUTE (SELECT 'CREATE FUNCTION public.empty_tables() RETURNS void LANGUAGE plpgsql AS $$ BEGIN '
		|| string_agg(format('DELETE FROM corridor.%I;', tablename), ' ') || ' END $$'
		FROM pg_tables WHERE schemaname = 'corridor' AND tablename <> 'schema_versions');
	END $do$`

// connect opens a pool; configure may be nil.
func connect(tb testing.TB, dsn string, configure func(*pgxpool.Config)) *pgxpool.Pool {
	tb.Helper()
	c, err := pgxpool.ParseConfig(dsn)
	require.NoError(tb, err)
	c.MaxConns = 8
	if configure != nil {
		configure(c)
	}
	pool, err := pgxpool.NewWithConfig(tb.Context(), c)
	require.NoError(tb, err)
	tb.Cleanup(pool.Close)
	return pool
}

// open returns a store on the database of dsn.
func open(tb testing.TB, dsn string, config *postgres.Config) *postgres.Store {
	tb.Helper()
	return on(tb, connect(tb, dsn, nil), config)
}

// on returns a store; with a nil config it takes the tables as they are. Calls may take as
// long as they do on a busy machine, unless config says otherwise.
func on(tb testing.TB, pool *pgxpool.Pool, config *postgres.Config) *postgres.Store {
	tb.Helper()
	c := *cmp.Or(config, skipping)
	c.AcquireTimeout, c.Timeout = cmp.Or(c.AcquireTimeout, patience), cmp.Or(c.Timeout, patience)
	store, err := postgres.New(tb.Context(), pool, &c)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, store.Close()) })
	return store
}

// query runs SQL without the store, as a person with psql does.
func query(tb testing.TB, dsn, sql string, args ...any) {
	tb.Helper()
	_, err := connect(tb, dsn, nil).Exec(tb.Context(), sql, args...)
	require.NoError(tb, err)
}

func requireCode(tb testing.TB, want errcodes.Code, err error) {
	tb.Helper()
	require.Equal(tb, want, errcodes.Of(err), "%v", err)
}

func bookOf(tb testing.TB, store *postgres.Store, owner string) ports.Book {
	tb.Helper()
	b, err := store.RateLocks().Book(tb.Context(), keyOf(owner))
	require.NoError(tb, err)
	return b
}

// empty empties the tables of an emptied database.
func empty(tb testing.TB, pool *pgxpool.Pool) {
	tb.Helper()
	_, err := pool.Exec(tb.Context(), "SELECT empty_tables()")
	require.NoError(tb, err)
}
