package pgtest_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
)

// writes is an operation of two statements in one transaction.
func writes(ctx context.Context, dsn string) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		for _, text := range []string{"one", "two"} {
			if _, err := tx.Exec(ctx, "INSERT INTO notes VALUES ($1)", text); err != nil {
				return err
			}
		}
		return nil
	})
	_ = conn.Close(ctx) // the changes are already committed
	return err
}

// beside is a connection that is not cut. A new one would cost more than its statements.
type beside struct{ *pgx.Conn }

func besides(tb testing.TB, dsn string) beside {
	tb.Helper()
	conn, err := pgx.Connect(tb.Context(), dsn)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, conn.Close(context.Background())) })
	return beside{conn}
}

func (b beside) empty(tb testing.TB) {
	tb.Helper()
	_, err := b.Exec(tb.Context(), "DELETE FROM notes")
	require.NoError(tb, err)
}

func (b beside) count(tb testing.TB) (rows int) {
	tb.Helper()
	require.NoError(tb, b.QueryRow(tb.Context(), "SELECT count(*) FROM notes").Scan(&rows))
	return rows
}

// I10: an operation that is cut at any message or byte is stored completely or not at
// all, and completely if it was acknowledged.
func TestCutsAtEveryMessage(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]struct {
		of       pgtest.Side
		drop     bool
		outcomes map[bool]bool // whether rows are stored after an error: the cases that must occur, all true
	}{
		"after each request":  {of: pgtest.Client, outcomes: map[bool]bool{false: true, true: true}},
		"before each request": {of: pgtest.Client, drop: true, outcomes: map[bool]bool{false: true}},
		"after each answer":   {of: pgtest.Backend, outcomes: map[bool]bool{false: true, true: true}},
		"before each answer":  {of: pgtest.Backend, drop: true, outcomes: map[bool]bool{false: true, true: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := pgtest.Database(t, notes)
			proxy, beside := pgtest.NewProxy(t, dsn), besides(t, dsn)
			seen, k := make(map[bool]bool), 1
			for ; ; k++ {
				beside.empty(t)
				fault := proxy.Arm(pgtest.Fault{Of: kind.of, Messages: k, Drop: kind.drop})
				err := writes(t.Context(), proxy.DSN())
				if !fault.Disarm() {
					require.NoError(t, err)
					break
				}
				fault.Wait()
				rows := beside.count(t)
				assert.Contains(t, []int{0, 2}, rows, "message %d", k)
				if err == nil {
					assert.Equal(t, 2, rows, "message %d", k)
				} else {
					seen[rows == 2] = true
				}
			}
			assert.Greater(t, k, 10, "the operation has more messages")
			assert.Equal(t, kind.outcomes, seen)
		})
	}
}

func TestCutsAtEveryByte(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, notes)
	proxy, beside := pgtest.NewProxy(t, dsn), besides(t, dsn)
	stride := 131 // each connection starts a server process
	if *full {
		stride = 1
	}
	for n := 1; ; n += stride {
		beside.empty(t)
		fault := proxy.Arm(pgtest.Fault{Of: pgtest.Client, Bytes: n})
		err := writes(t.Context(), proxy.DSN())
		if !fault.Disarm() {
			require.NoError(t, err)
			assert.Greater(t, n, 100)
			return
		}
		fault.Wait()
		rows := beside.count(t)
		assert.Contains(t, []int{0, 2}, rows, "byte %d", n)
		assert.True(t, err != nil || rows == 2, "byte %d", n)
	}
}

// A statement runs if all of its bytes arrive, and not if one is missing.
func TestTheLastByteDecides(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, notes)
	proxy := pgtest.NewProxy(t, dsn)
	const sql = "INSERT INTO notes VALUES ('x')"
	const size = 1 + 4 + len(sql) + 1 // Query: type, length, text, NUL
	for n, want := range map[int]int{size - 1: 0, size: 1} {
		require.NoError(t, run(t.Context(), dsn, "TRUNCATE notes"))
		conn, err := pgx.Connect(t.Context(), proxy.DSN())
		require.NoError(t, err)
		fault := proxy.Arm(pgtest.Fault{Of: pgtest.Client, Bytes: n})
		_, err = conn.Exec(t.Context(), sql, pgx.QueryExecModeSimpleProtocol)
		require.Error(t, err)
		<-fault.Fired()
		fault.Wait()
		assert.Equal(t, want, ask[int](t, dsn, "SELECT count(*)::int FROM notes"), "%d of %d bytes", n, size)
	}
}

func TestCutEndsOpenConnectionsAndTakesNewOnes(t *testing.T) {
	t.Parallel()
	proxy := pgtest.NewProxy(t, pgtest.Database(t, nil))
	conn, err := pgx.Connect(t.Context(), proxy.DSN())
	require.NoError(t, err)
	proxy.Cut()
	_, err = conn.Exec(t.Context(), "SELECT 1")
	require.Error(t, err)
	require.NoError(t, run(t.Context(), proxy.DSN(), "SELECT 1"))
}

func TestRefuseTurnsAwayNewClientsOnly(t *testing.T) {
	t.Parallel()
	proxy := pgtest.NewProxy(t, pgtest.Database(t, nil))
	conn, err := pgx.Connect(t.Context(), proxy.DSN())
	require.NoError(t, err)
	proxy.Refuse()
	require.Error(t, run(t.Context(), proxy.DSN(), "SELECT 1"))
	_, err = conn.Exec(t.Context(), "SELECT 1")
	require.NoError(t, err)
	require.NoError(t, proxy.Accept())
	require.NoError(t, run(t.Context(), proxy.DSN(), "SELECT 1"))
	require.NoError(t, conn.Close(t.Context()))
}

func TestStallHoldsBackUntilResume(t *testing.T) {
	t.Parallel()
	proxy := pgtest.NewProxy(t, pgtest.Database(t, nil))
	var conns [2]*pgx.Conn
	for i := range conns {
		var err error
		conns[i], err = pgx.Connect(t.Context(), proxy.DSN())
		require.NoError(t, err)
	}
	proxy.Stall()
	answered := make(chan error, 1)
	go func() {
		_, err := conns[0].Exec(context.WithoutCancel(t.Context()), "SELECT 1")
		answered <- err
	}()
	soon, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := conns[1].Exec(soon, "SELECT 1")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Empty(t, answered)
	proxy.Resume()
	require.NoError(t, <-answered)
	require.NoError(t, conns[0].Close(t.Context()))
	proxy.Stall() // closing works on a stalled proxy
}

func TestALaterFaultReplacesAnEarlierOne(t *testing.T) {
	t.Parallel()
	proxy := pgtest.NewProxy(t, pgtest.Database(t, nil))
	first := proxy.Arm(pgtest.Fault{Of: pgtest.Client, Messages: 1})
	second := proxy.Arm(pgtest.Fault{})
	require.NoError(t, run(t.Context(), proxy.DSN(), "SELECT 1"))
	assert.False(t, first.Disarm())
	assert.False(t, second.Disarm(), "a fault without Messages and Bytes never happens")
}
