package stores_test

import (
	"context"
	"flag"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

func TestMain(m *testing.M) {
	flag.Parse()
	checks := "8" // each has hundreds of statements; .ci/full makes more
	flag.Visit(func(f *flag.Flag) {
		if f.Name == "rapid.checks" {
			checks = f.Value.String()
		}
	})
	if err := flag.Set("rapid.checks", checks); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(pgtest.Main(m))
}

var (
	epoch, usdZAR = storemodel.Epoch, storemodel.USDZAR
	activeLock    = storemodel.ActiveLock
)

// tables is a database with this version's tables.
var tables = pgtest.NewTemplate(func(ctx context.Context, dsn string) error {
	pool, err := pgxpool.New(ctx, dsn)
	if err != nil {
		return err
	}
	defer pool.Close()
	return postgres.Migrate(ctx, pool)
})

// connect returns a pool on a database of the test.
func connect(tb testing.TB) *pgxpool.Pool {
	tb.Helper()
	c, err := pgxpool.ParseConfig(pgtest.Database(tb, tables))
	require.NoError(tb, err)
	c.MaxConns = 8
	pool, err := pgxpool.NewWithConfig(tb.Context(), c)
	require.NoError(tb, err)
	tb.Cleanup(pool.Close)
	return pool
}

func on(tb testing.TB, pool *pgxpool.Pool, config *postgres.Config) *postgres.Store {
	tb.Helper()
	store, err := postgres.New(tb.Context(), pool, config)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, store.Close()) })
	return store
}
