package postgres_test

import (
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

func TestMain(m *testing.M) {
	flag.Parse()
	for name, value := range map[string]string{
		"test.parallel": "4",  // they also wait for the server
		"rapid.checks":  "25", // each runs some dozens of statements
	} {
		if !given(name) {
			if err := flag.Set(name, value); err != nil {
				panic(err)
			}
		}
	}
	goleak.VerifyTestMain(pgtest.Main(m))
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
var tables = pgtest.NewTemplate(func(ctx context.Context, dsn string) error {
	pool, err := pgxpool.New(ctx, dsn)
	if err != nil {
		return err
	}
	defer pool.Close()
	return postgres.Migrate(ctx, pool)
})

// migrated returns the DSN of a new database with tables.
func migrated(tb testing.TB) string { return pgtest.Database(tb, tables) }

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

func on(tb testing.TB, pool *pgxpool.Pool, config *postgres.Config) *postgres.Store {
	tb.Helper()
	store, err := postgres.New(tb.Context(), pool, config)
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

// emptyTables empties a database.
func emptyTables(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	_, err := pool.Exec(t.Context(), `DO $$ DECLARE t text; BEGIN
		FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'corridor' AND tablename NOT LIKE '%migration%'
			AND tablename NOT LIKE 'goose%' LOOP
			EXECUTE format('DELETE FROM corridor.%I', t);
		END LOOP; END $$`)
	require.NoError(t, err)
}
