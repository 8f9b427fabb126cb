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

var emptied = notes.EmptiedBy("DELETE FROM notes")

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
	server := pgtest.Server(t)
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
	assert.Equal(t, 0, ask[int](t, server.DSN(), "SELECT count(*)::int FROM pg_database WHERE datname = '"+name+"'"))
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

// A template's databases are used again after they were emptied, except for those of failed
// tests. What a test has left running is over by then.
func TestDatabasesAreEmptiedAndUsedAgain(t *testing.T) {
	t.Parallel() // no other test has such databases
	c := pgtest.Server(t)
	var names []string
	for range 3 {
		passed := &endingTest{TB: t}
		dsn := c.Database(passed, emptied)
		names = append(names, ask[string](t, dsn, "SELECT current_database()::text"))
		assert.Equal(t, 0, ask[int](t, dsn, "SELECT count(*)::int FROM notes"), "it is empty")
		require.NoError(t, run(t.Context(), dsn, "INSERT INTO notes VALUES ('mine')"))
		conn, err := pgx.Connect(t.Context(), dsn)
		require.NoError(t, err)
		_, err = conn.Exec(t.Context(), "BEGIN; INSERT INTO notes VALUES ('left open')")
		require.NoError(t, err)
		passed.end()
		require.Error(t, conn.Ping(t.Context()), "its session has ended")
		require.NoError(t, conn.Close(t.Context()))
	}
	assert.Equal(t, []string{names[0], names[0], names[0]}, names)

	sharing := &endingTest{TB: t}
	kept, err := pgx.Connect(t.Context(), c.Database(sharing, emptied)+"&application_name="+pgtest.Kept)
	require.NoError(t, err)
	sharing.end()
	require.NoError(t, kept.Ping(t.Context()), "its session is kept")
	require.NoError(t, kept.Close(t.Context()))

	failed := &endingTest{TB: t, failed: true}
	require.Contains(t, c.Database(failed, emptied), names[0])
	failed.end()
	assert.NotContains(t, c.Database(t, emptied), names[0], "of a failed test")
}

// endingTest is a test that ends before the one that it stands in.
type endingTest struct {
	testing.TB

	failed   bool
	cleanups []func()
}

func (e *endingTest) Failed() bool      { return e.failed }
func (e *endingTest) Cleanup(fn func()) { e.cleanups = append(e.cleanups, fn) }

func (e *endingTest) end() {
	for _, fn := range e.cleanups {
		fn()
	}
}
