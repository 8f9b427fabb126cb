package postgres_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres"
)

// TestPlansOfQueues checks that the statements on long queues use their indexes, both in
// plans for specific values and in generic plans.
func TestPlansOfQueues(t *testing.T) {
	const claimed = "'2026-11-20 15:00Z', '2026-11-20 15:01Z', "
	const audit = ", '2026-11-20 15:00Z', 'acme', '192.0.2.1', 'trace', 'act'"
	steps := map[string]struct {
		args    string
		indexes []string
	}{
		"claim an event":    {claimed + "1", []string{"events_pkey", "events_due", "events_key"}},
		"claim events":      {claimed + "100", []string{"events_pkey", "events_due", "events_key"}},
		"ack an event":      {"'w7', 'key7', 1", []string{"events_key"}},
		"retry an event":    {"'w7', 'key7', 1, '2026-11-20 15:01Z'", []string{"events_key"}},
		"bury an event":     {"'w7', 'key7', 1, 'no use'", []string{"events_key"}},
		"Buried":            {"0, 100", []string{"events_pkey"}},
		"replay events":     {"'{b7}', '2026-11-20 15:01Z'" + audit, []string{"events_buried", "events_pkey"}},
		"replay all events": {"'2026-11-20 15:01Z'" + audit, nil},
		"discard events":    {"'{b7}'" + audit, []string{"events_buried", "events_pkey"}},
		"claim work":        {"'k', " + claimed + "100", []string{"work_items_due", "work_items_pkey"}},
		"finish work":       {"'i7', 1", []string{"work_items_pkey"}},
		"retry work":        {"'i7', 1, '2026-11-20 15:01Z'", []string{"work_items_pkey"}},
		"bury work":         {"'i7', 1, 'no use'", []string{"work_items_pkey"}},
	}
	dsn := migrated(t)
	fillQueues(t, connect(t, dsn, nil))
	for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
		pool := connect(t, dsn, func(c *pgxpool.Config) { c.ConnConfig.RuntimeParams["plan_cache_mode"] = mode })
		for name, query := range postgres.QueueQueries {
			t.Run(mode+"/"+name, func(t *testing.T) {
				require.Contains(t, steps, name)
				if steps[name].indexes == nil {
					t.Skip("it changes all rows")
				}
				plan := planOf(t, pool, query, steps[name].args)
				require.NotContains(t, plan, "Seq Scan", plan)
				for _, index := range indexesOf(plan) {
					require.Contains(t, steps[name].indexes, index, plan)
				}
			})
		}
	}
}

// fillQueues creates 10,000 events of each state and as many work items.
func fillQueues(tb testing.TB, pool *pgxpool.Pool) {
	tb.Helper()
	backlog(tb, pool, 10_000)
	for _, sql := range []string{
		`INSERT INTO corridor.events (id, kind, key, owner, at, data, state, reason)
			SELECT ('b' || i)::bytea, 'k', ('buried' || i)::bytea, 'acme', $1, '{}', 'buried', '' FROM generate_series(1, 10000) i`,
		`INSERT INTO corridor.work_items (id, kind, due_at, payload)
			SELECT ('i' || i)::bytea, ('k' || (i % 3))::bytea, $1::timestamptz - i * interval '1 s', '' FROM generate_series(1, 10000) i`,
	} {
		_, err := pool.Exec(tb.Context(), sql, epoch)
		require.NoError(tb, err)
	}
	for _, table := range []string{"events", "work_items"} {
		_, err := pool.Exec(tb.Context(), "VACUUM (ANALYZE) corridor."+table)
		require.NoError(tb, err)
	}
}

// A plan that was cached while the queue was empty and vacuumed would read the whole
// backlog for each event.
func TestEachClaimIsPlannedForTheCurrentQueue(t *testing.T) {
	pool := connect(t, migrated(t), func(c *pgxpool.Config) { c.MaxConns = 1 })
	store := on(t, pool, nil)
	_, err := pool.Exec(t.Context(), "VACUUM corridor.events")
	require.NoError(t, err)
	for range 8 { // PostgreSQL caches a plan after five
		_, err := store.Outbox().Claim(t.Context(), epoch, lease, 100)
		require.NoError(t, err)
	}
	backlog(t, pool, 2_000)
	before := readInSequence(t, pool)
	claimed, err := store.Outbox().Claim(t.Context(), epoch, lease, 100)
	require.NoError(t, err)
	require.Len(t, claimed, 100)
	require.Equal(t, before, readInSequence(t, pool), "rows of events that were read by sequential scans")
}

func readInSequence(t *testing.T, pool *pgxpool.Pool) (rows int64) {
	t.Helper()
	_, err := pool.Exec(t.Context(), "SELECT pg_stat_force_next_flush()")
	require.NoError(t, err)
	require.NoError(t, pool.QueryRow(t.Context(),
		"SELECT seq_tup_read FROM pg_stat_user_tables WHERE schemaname = 'corridor' AND relname = 'events'").Scan(&rows))
	return rows
}

func planOf(t *testing.T, pool *pgxpool.Pool, query, args string) string {
	t.Helper()
	conn, err := pool.Acquire(t.Context())
	require.NoError(t, err)
	defer conn.Release()
	_, err = conn.Exec(t.Context(), "PREPARE planned AS "+query, pgx.QueryExecModeSimpleProtocol)
	require.NoError(t, err)
	rows, err := conn.Query(t.Context(), fmt.Sprintf("EXPLAIN EXECUTE planned(%s)", args), pgx.QueryExecModeSimpleProtocol)
	require.NoError(t, err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), "DEALLOCATE planned")
	require.NoError(t, err)
	return strings.Join(lines, "\n")
}

var usedIndex = regexp.MustCompile(`Index (?:Only )?Scan(?: using| on) (\w+)`)

func indexesOf(plan string) []string {
	var all []string
	for _, match := range usedIndex.FindAllStringSubmatch(plan, -1) {
		all = append(all, match[1])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// The statement must order the events: without ORDER BY the planner may store them in any
// order. One event needs no sorting, and arrays are in order.
func TestTheEventsOfAChangeAreStoredInOrder(t *testing.T) {
	pool := connect(t, migrated(t), nil)
	for n := 1; n <= 3; n++ {
		args := slices.Repeat([]string{"'e'", "'k'", "'key'", "'acme'", "'2026-11-20 15:00Z'", "'{}'"}, n)
		plan := planOf(t, pool, postgres.SaveOfEvents(n), strings.Join(args, ", "))
		require.Equal(t, n > 1, strings.Contains(plan, "Sort Key"), "%d events: %s", n, plan)
	}
	require.NotContains(t, postgres.SaveOfEvents(1), "ORDER BY")
	require.Contains(t, postgres.SaveOfEvents(4), "ORDER BY v.n")
}
