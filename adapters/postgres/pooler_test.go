package postgres_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/ports/portstest/storetest"
)

// A pooler that shares connections between transactions does not support prepared
// statements.
func TestConformsWithoutPreparedStatements(t *testing.T) {
	h := storetest.Harness{
		Parallel: true,
		Open: func(tb testing.TB) storetest.Store {
			tb.Helper()
			store := on(tb, connect(tb, migrated(tb), func(c *pgxpool.Config) {
				c.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
			}), &postgres.Config{SkipMigrate: true})
			return storetest.Store{
				RateLocks: store.RateLocks(), Outbox: store.Outbox(), Reports: store.Reports(), Close: store.Close,
			}
		},
	}
	t.Run("RateLockStore", func(t *testing.T) { storetest.RateLockStore(t, h) })
	t.Run("ReportStore", func(t *testing.T) { storetest.ReportStore(t, h) })
}
