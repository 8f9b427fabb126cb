package pgtest_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
)

var notes = pgtest.NewTemplate(func(ctx context.Context, dsn string) error {
	return run(ctx, dsn, "CREATE TABLE notes (text text PRIMARY KEY)")
})

func run(ctx context.Context, dsn, sql string) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, sql)
	return errors.Join(err, conn.Close(ctx))
}

func ask[T any](tb testing.TB, dsn, sql string) T {
	tb.Helper()
	conn, err := pgx.Connect(tb.Context(), dsn)
	require.NoError(tb, err)
	rows, err := conn.Query(tb.Context(), sql)
	require.NoError(tb, err)
	value, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[T])
	require.NoError(tb, err)
	require.NoError(tb, conn.Close(tb.Context()))
	return value
}

func TestAnEmptyDatabaseTakesConnections(t *testing.T) {
	t.Parallel()
	assert.Equal(t, 0, ask[int](t, pgtest.Database(t, nil), "SELECT count(*)::int FROM pg_stat_user_tables"))
}

func TestTwoCopiesOfATemplateAreApart(t *testing.T) {
	t.Parallel()
	var fills atomic.Int32
	counted := pgtest.NewTemplate(func(ctx context.Context, dsn string) error {
		fills.Add(1)
		return run(ctx, dsn, "CREATE TABLE notes (text text PRIMARY KEY)")
	})
	one, two := pgtest.Database(t, counted), pgtest.Database(t, counted)
	require.NoError(t, run(t.Context(), one, "INSERT INTO notes VALUES ('mine')"))
	assert.Equal(t, 1, ask[int](t, one, "SELECT count(*)::int FROM notes"))
	assert.Equal(t, 0, ask[int](t, two, "SELECT count(*)::int FROM notes"))
	assert.Equal(t, int32(1), fills.Load(), "a template is filled once a cluster")
}

func TestADatabaseIsDroppedWithItsTest(t *testing.T) {
	var name string
	var conn *pgx.Conn
	t.Run("with a connection left open", func(t *testing.T) {
		dsn := pgtest.Database(t, notes)
		name = ask[string](t, dsn, "SELECT current_database()::text")
		var err error
		conn, err = pgx.Connect(t.Context(), dsn)
		require.NoError(t, err)
	})
	_ = conn.Close(t.Context()) // the server has
	assert.Equal(t, 0, ask[int](t, pgtest.Server(t).DSN(), "SELECT count(*)::int FROM pg_database WHERE datname = '"+name+"'"))
}

func TestATemplateThatFailsIsTriedAgain(t *testing.T) {
	t.Parallel()
	tries := 0
	flaky := pgtest.NewTemplate(func(ctx context.Context, dsn string) error {
		if tries++; tries == 1 {
			return errors.New("not yet")
		}
		return run(ctx, dsn, "CREATE TABLE notes (text text)")
	})
	c := pgtest.Server(t)
	_, err := c.Source(t.Context(), flaky)
	require.EqualError(t, err, "not yet")
	assert.Equal(t, 0, ask[int](t, c.Database(t, flaky), "SELECT count(*)::int FROM notes"))
}
