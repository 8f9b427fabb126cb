package postgres_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/ports/portstest/storetest"
	"github.com/corridor-go/corridor/ratelock"
)

// partition returns the statements for operators from the page.
func partition() (string, error) {
	page, err := os.ReadFile("../../internal/docs/operations.md")
	_, rest, begins := strings.Cut(string(page), "```sql\nDROP VIEW corridor.readable_rate_locks;\n")
	statements, _, ends := strings.Cut(rest, "```")
	if err == nil && (!begins || !ends) {
		err = errors.New("the page has no partitions")
	}
	return "DROP VIEW corridor.readable_rate_locks;" + statements, err
}

var partitioned = pgtest.NewTemplate(func(ctx context.Context, dsn string) error {
	statements, err := partition()
	if err != nil {
		return err
	}
	return filled(ctx, dsn, statements, emptyTables)
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
