package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/ports/portstest/storetest"
)

// TestConforms runs the suites that lose a commit twice: in one run the lost commit
// takes effect, in the other it does not.
func TestConforms(t *testing.T) {
	for name, before := range map[string]bool{"lost commits take effect": false, "lost commits do not": true} {
		h := harness(before)
		t.Run(name, func(t *testing.T) {
			t.Run("RateLockStore", func(t *testing.T) { storetest.RateLockStore(t, h) })
		})
	}
}

// harness opens stores that lose commits before or after they take effect.
func harness(before bool) storetest.Harness {
	return storetest.Harness{
		Parallel: true,
		Open: func(tb testing.TB) storetest.Store {
			tb.Helper()
			return conforming(tb, migrated(tb), before)
		},
	}
}

func conforming(tb testing.TB, dsn string, before bool) storetest.Store {
	tb.Helper()
	network := &losing{before: before}
	pool := connect(tb, dsn, network.dial)
	store := on(tb, pool, &postgres.Config{SkipMigrate: true})
	return storetest.Store{
		RateLocks: store.RateLocks(),
		Close:     store.Close,
		Reopen: func() storetest.Store {
			require.NoError(tb, store.Close())
			pool.Close()
			return conforming(tb, dsn, before)
		},
		LoseNextCommit: network.arm,
		Fill:           func() (empty func()) { return fill(tb, dsn) },
	}
}

// fill makes every insert and update fail as on a full disk.
func fill(tb testing.TB, dsn string) (empty func()) {
	tb.Helper()
	query(tb, dsn, `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql
		AS $$ BEGIN RAISE EXCEPTION 'no space left on device' USING ERRCODE = '53100'; END $$`)
	query(tb, dsn, `DO $$ DECLARE t text; BEGIN
		FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'corridor' LOOP
			EXECUTE format('CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON corridor.%I EXECUTE FUNCTION full_disk()', t);
		END LOOP; END $$`)
	return func() { query(tb, dsn, "DROP FUNCTION full_disk CASCADE") }
}
