package postgres_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres"
)

// TestPlansOfRecords checks that the statements use their indexes among 10,000 rows, both
// in plans for specific values and in generic plans: their work must not grow with what is
// stored. A plan may read tables only in the ways listed here.
func TestPlansOfRecords(t *testing.T) {
	dsn := migrated(t)
	conn, err := connect(t, dsn, nil).Acquire(t.Context())
	require.NoError(t, err)
	defer conn.Release()
	_, err = conn.Exec(t.Context(), fillRecords)
	require.NoError(t, err)
	const (
		key     = "Index Scan using transactions_pkey on transactions"
		id      = "Index Scan using reports_pkey on reports"
		saved   = "CTE Scan on saved"
		instant = "'2026-11-20'"
	)
	ways := map[string]struct {
		args string
		ways []string
	}{
		"Transaction":          {"'acme', '77'", []string{key}},
		"begin a transaction":  {transactionValues, []string{saved}},
		"change a transaction": {transactionValues, []string{saved, key}},
		"Report":               {"'77', 'acme'", []string{id}},
		"begin a report":       {reportValues, []string{saved}},
		"change a report":      {reportValues, []string{saved, id}},
		"claim a report":       {instant + ", 'p', " + instant, []string{"CTE Scan on free", id, "Index Scan using reports_running on reports"}},
		"ExpiredReports":       {instant + ", 100", []string{"Index Scan using reports_ended on reports"}},
		"remove a report":      {"'77', 'acme'", []string{id}},
	}
	require.Len(t, ways, len(postgres.RecordQueries))
	for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
		for name, query := range postgres.RecordQueries {
			t.Run(name+", "+mode, func(t *testing.T) {
				taken := waysOf(t, conn.Conn(), mode, query, ways[name].args)
				require.NotEmpty(t, taken)
				require.Subset(t, ways[name].ways, taken)
			})
		}
	}
}

const (
	transactionValues = `'acme', '77', 1, 'payin', 'PENDING', NULL, '', '', '', '', '2026-11-20', NULL, NULL, NULL, '', ''`

	reportValues = `'77', 'acme', 1, 'transactions', '', '', NULL, NULL, '[]', '[]', 'csv', 'RUNNING', '2026-11-20', NULL, NULL,
		0, '', NULL, NULL, 0, -1, NULL, NULL, NULL, NULL`

	// fillRecords creates 10,000 transactions and as many reports: one in a hundred is
	// running, and half of those are leased.
	fillRecords = `
		INSERT INTO corridor.transactions (owner, id, version, direction, status, raw_code, raw_message, scheme, tables,
			created_at, late_code, late_message)
		SELECT ('owner ' || n % 100)::bytea, n::text::bytea, 1, 'payin', 'PENDING', '', '', '', '',
			'2026-11-20'::timestamptz - n * interval '1 minute', '', ''
		FROM generate_series(1, 10000) n;
		INSERT INTO corridor.reports (id, owner, version, kind, merchant_id, name, columns, filters, format, status,
			created_at, ended_at, attempts, holder, lease_until, rows_written, rows_total, reason)
		SELECT n::text::bytea, ('owner ' || n % 100)::bytea, 1, 'transactions', '', '', '[]', '[]', 'csv',
			CASE WHEN n % 100 = 0 THEN 'RUNNING' ELSE 'FAILED' END, at, CASE WHEN n % 100 = 0 THEN NULL ELSE at END, 0, '',
			CASE WHEN n % 200 = 0 THEN at + interval '1 year' END, 0, -1, CASE WHEN n % 100 = 0 THEN NULL ELSE 'internal' END
		FROM (SELECT n, '2026-11-20'::timestamptz - n * interval '1 minute' AS at FROM generate_series(1, 10000) n) numbered;
		ANALYZE corridor.transactions, corridor.reports`
)

var reading = regexp.MustCompile(`(?:\w+ )*Scan(?: using \w+)? on \w+|(?:\w+ )?Sort\b`)

// waysOf returns how the plan of a statement reads tables and what it sorts.
func waysOf(tb testing.TB, conn *pgx.Conn, mode, query, args string) []string {
	tb.Helper()
	results, err := conn.PgConn().Exec(tb.Context(), strings.Join([]string{
		"SET plan_cache_mode = " + mode, "PREPARE p AS " + query, "EXPLAIN (COSTS off) EXECUTE p(" + args + ")", "DEALLOCATE p",
	}, "; ")).ReadAll()
	require.NoError(tb, err)
	return readings(results[2])
}

func readings(plan *pgconn.Result) []string {
	var ways []string
	for _, line := range plan.Rows {
		ways = append(ways, reading.FindAllString(string(line[0]), -1)...)
	}
	return ways
}
