package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/ports/portstest/storetest"
	"github.com/corridor-go/corridor/ratelock"
)

// partition contains the statements of internal/docs/capacity.md for operators.
const partition = `
DROP VIEW corridor.readable_rate_locks;
ALTER TABLE corridor.rate_locks RENAME TO rate_locks_before;
CREATE TABLE corridor.rate_locks (LIKE corridor.rate_locks_before INCLUDING ALL) PARTITION BY RANGE (id);
CREATE TABLE corridor.rate_locks_2027 PARTITION OF corridor.rate_locks FOR VALUES FROM ('rl_06hcx2ym') TO ('rl_06n2cf8');
ALTER TABLE corridor.rate_locks ATTACH PARTITION corridor.rate_locks_before DEFAULT;
CREATE VIEW corridor.readable_rate_locks AS
SELECT encode(id, 'escape') AS id, encode(owner, 'escape') AS owner, base, quote,
       mid_rate::numeric AS mid_rate, markup_bps, all_in_rate::numeric AS all_in_rate, mid_source, mid_at,
       tolerance_bps, created_at, expires_at, status, cancellation_reason, ended_at,
       observed_mid::numeric AS observed_mid, deviation_bps
FROM corridor.rate_locks;`

var partitioned = pgtest.NewTemplate(func(ctx context.Context, dsn string) error {
	return filled(ctx, dsn, partition, emptyTables)
}).EmptiedBy("SELECT empty_tables()")

// Ids begin with the time, so a table of locks can be partitioned by them and keep its
// key.
func TestLocksCanBePartitionedByID(t *testing.T) {
	t.Run("RateLockStore", func(t *testing.T) {
		onlyInFull(t, "TestConforms runs the suite on one table")
		storetest.RateLockStore(t, way{}.harnessOn(partitioned))
	})
	dsn := pgtest.Database(t, partitioned)
	store := open(t, dsn, nil)
	l := activeLock("acme", ratelock.FirstID(time.Date(2027, time.May, 1, 0, 0, 0, 0, time.UTC)), epoch)
	require.NoError(t, store.RateLocks().Save(t.Context(), mint(bookOf(t, store, "acme"), l)))
	got, _, err := store.RateLocks().Lock(t.Context(), "acme", l.ID)
	require.NoError(t, err)
	require.Equal(t, l, got)
	var id string
	require.NoError(t, connect(t, dsn, nil).QueryRow(t.Context(), "SELECT id FROM corridor.readable_rate_locks").Scan(&id))
	require.Equal(t, l.ID, id)
}
