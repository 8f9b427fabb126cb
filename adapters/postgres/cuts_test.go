package postgres_test

import (
	"context"
	"flag"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// cutOperation is one change during which the connection may be cut.
type cutOperation struct {
	name string
	// prepare stores what the operation needs, on a connection that is not cut. It returns
	// the operation, whose connection is.
	prepare func(tb testing.TB, plain *postgres.Store) func(ctx context.Context, cut *postgres.Store) error
}

// cutModes are the places of a cut, the k-th of each. To the server, every cut looks like
// one of the first mode or one before its first answer.
var cutModes = []struct {
	name  string
	fault func(k int) pgtest.Fault
}{
	{"before a request", func(k int) pgtest.Fault { return pgtest.Fault{Of: pgtest.Client, Messages: k, Drop: true} }},
	{"before an answer", func(k int) pgtest.Fault { return pgtest.Fault{Of: pgtest.Backend, Messages: k, Drop: true} }},
	{"after a request", func(k int) pgtest.Fault { return pgtest.Fault{Of: pgtest.Client, Messages: k} }},
	{"after an answer", func(k int) pgtest.Fault { return pgtest.Fault{Of: pgtest.Backend, Messages: k} }},
	{"within a request", func(k int) pgtest.Fault { return pgtest.Fault{Of: pgtest.Client, Bytes: 1 + 199*(k-1)} }},
}

var cutStride = flag.Int("cuts.stride", 4, "after how many messages more the next cut of most operations is")

// I10, I32: wherever the connection is cut, all of a change is stored or nothing: all if
// the error is nil, nothing if the error is definite.
func TestCutsLeaveAllOrNothing(t *testing.T) {
	t.Parallel()
	c := newCutting(t)
	for i, op := range cutOperations {
		modes, stride := cutModes[:1], *cutStride
		if i < cutThoroughly {
			modes, stride = cutModes[:2], 1
			if *full {
				modes = cutModes
			}
		}
		before, after := c.reference(t, op)
		seen := map[string]bool{}
		c.once(t, op, pgtest.Fault{Of: pgtest.Backend, Messages: 1, Drop: true}, before, after, seen)
		for _, mode := range modes {
			k := 1
			for c.once(t, op, mode.fault(k), before, after, seen) {
				k += stride
			}
			assert.Greater(t, k, 1, "%s, %s", op.name, mode.name)
		}
		assert.True(t, seen["unknown, stored"] && seen["unknown, not stored"], "%s: %v", op.name, seen)
	}
}

// TestCutsOfNewConnections also cuts while the connection is opened and its statements
// are prepared.
func TestCutsOfNewConnections(t *testing.T) {
	t.Parallel()
	c := newCutting(t)
	c.cold = true
	for _, op := range cutOperations[:cutThoroughly] {
		before, after := c.reference(t, op)
		for _, mode := range cutModes[:2] {
			k := 1
			for c.once(t, op, mode.fault(k), before, after, map[string]bool{}) {
				k += *cutStride
			}
			assert.Greater(t, k, 5, "%s, %s: the connection, and what is prepared", op.name, mode.name)
		}
	}
}

// cutting is a database with one connection that is cut and one that is not.
type cutting struct {
	proxy  *pgtest.Proxy
	pool   *pgxpool.Pool
	cut    *postgres.Store
	plain  *postgres.Store
	beside *pgxpool.Pool
	tables []string
	cold   bool // operations open a connection and prepare their statements
}

func newCutting(tb testing.TB) *cutting {
	tb.Helper()
	dsn := migrated(tb)
	query(tb, dsn, "CREATE TABLE corridor.noted (id bytea)")
	query(tb, dsn, emptyTables)
	c := &cutting{proxy: pgtest.NewProxy(tb, dsn), beside: connect(tb, dsn, nil)}
	c.pool = connect(tb, c.proxy.DSN(), func(c *pgxpool.Config) {
		c.MaxConns = 1
		c.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false }
	})
	c.cut = on(tb, c.pool, &postgres.Config{SkipMigrate: true, Hook: notes{}})
	c.plain = on(tb, c.beside, nil)
	rows, err := c.beside.Query(tb.Context(),
		"SELECT tablename::text FROM pg_tables WHERE schemaname = 'corridor' AND tablename <> 'schema_versions'")
	require.NoError(tb, err)
	c.tables, err = pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(tb, err)
	return c
}

// notes is a queue in the same database that wants the kind noted.
type notes struct{}

func (notes) Wants(kind string) bool { return kind == "noted" }

func (notes) Enqueue(ctx context.Context, tx pgx.Tx, events []ports.Event, work []ports.WorkItem) error {
	for _, w := range work {
		if _, err := tx.Exec(ctx, "INSERT INTO corridor.noted VALUES ($1)", []byte(w.ID)); err != nil {
			return err
		}
	}
	return nil
}

// reference returns the tables before and after the operation without a cut.
func (c *cutting) reference(tb testing.TB, op cutOperation) (before, after string) {
	tb.Helper()
	c.empty(tb)
	do := op.prepare(tb, c.plain)
	before = c.stored(tb)
	require.NoError(tb, do(tb.Context(), c.cut))
	after = c.stored(tb)
	require.NotEqual(tb, before, after, "the operation changes something")
	return before, after
}

// once runs the operation with one cut. It returns false if the operation does not have
// that message, so that it was not cut.
func (c *cutting) once(tb testing.TB, op cutOperation, fault pgtest.Fault, before, after string, seen map[string]bool) bool {
	tb.Helper()
	c.pool.Reset()
	if !c.cold {
		c.empty(tb)
		require.NoError(tb, op.prepare(tb, c.plain)(tb.Context(), c.cut))
	}
	c.empty(tb)
	do := op.prepare(tb, c.plain)
	armed := c.proxy.Arm(fault)
	err := do(tb.Context(), c.cut)
	if !armed.Disarm() {
		require.NoError(tb, err, "%s: not cut", op.name)
		return false
	}
	armed.Wait()
	stored := c.stored(tb)
	require.Contains(tb, []string{before, after}, stored, "%s, %+v: half a change is stored after %v", op.name, fault, err)
	what := "not stored"
	if stored == after {
		what = "stored"
	}
	switch errcodes.Of(err) {
	case "":
		require.Equal(tb, after, stored, "%s, %+v: acknowledged but lost (I10)", op.name, fault)
	case errcodes.OutcomeUnknown:
		seen["unknown, "+what] = true
	default:
		requireCode(tb, errcodes.StorageUnavailable, err)
		require.Equal(tb, before, stored, "%s, %+v: rejected but stored: %v", op.name, fault, err)
	}
	return true
}

func (c *cutting) empty(tb testing.TB) {
	tb.Helper()
	empty(tb, c.beside)
}

// stored returns all rows of all tables. It omits numbers of sequences: an attempt that
// was rolled back has used some.
func (c *cutting) stored(tb testing.TB) string {
	tb.Helper()
	parts := make([]string, len(c.tables))
	for i, table := range c.tables {
		parts[i] = "SELECT '" + table + " ' || (to_jsonb(t) - 'seq')::text AS r FROM corridor." + table + " t"
	}
	var all string
	err := c.beside.QueryRow(tb.Context(), "SELECT coalesce(string_agg(r, E'\n' ORDER BY r), '') FROM ("+
		strings.Join(parts, " UNION ALL ")+") rows").Scan(&all)
	require.NoError(tb, err)
	return all
}
