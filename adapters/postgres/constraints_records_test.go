package postgres_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// breach is an update of one row that violates one constraint and no other.
type breach struct{ id, set string }

const longer = "convert_to(repeat('x', 65537), 'UTF8')" // one byte longer than a raw code or message may be (I26)

// The rows are wait (pending), fail (failed), late (failed and then paid) and win
// (succeeded).
var breachesOfTransactions = map[string][]breach{
	"transactions_check": { // an end, if and only if ended
		{"wait", "ended_at = created_at"}, {"fail", "ended_at = NULL"}, {"win", "ended_at = NULL"},
	},
	"transactions_check1": { // a code, if and only if failed or errored
		{"wait", "code = 'declined'"}, {"win", "code = 'declined'"}, {"fail", "code = NULL"}, {"fail", "status = 'ERRORED', code = NULL"},
	},
	"transactions_check2":             {{"wait", "raw_code = 'x'"}, {"wait", "raw_message = 'x'"}},         // no raw code or message while pending
	"transactions_check3":             {{"wait", "late_at = created_at"}, {"win", "late_at = created_at"}}, // a late payment only after a failure (I27)
	"transactions_check4":             {{"fail", "late_code = 'x'"}, {"fail", "late_message = 'x'"}},       // a late code or message only with a late payment
	"transactions_code_check":         {{"fail", "code = ''"}},
	"transactions_created_at_check":   {{"fail", "created_at = 'infinity'"}, {"fail", "created_at = '-infinity'"}},
	"transactions_direction_check":    {{"fail", "direction = 'sideways'"}, {"fail", "direction = ''"}},
	"transactions_ended_at_check":     {{"fail", "ended_at = 'infinity'"}, {"fail", "ended_at = '-infinity'"}},
	"transactions_late_at_check":      {{"late", "late_at = 'infinity'"}, {"late", "late_at = '-infinity'"}},
	"transactions_late_code_check":    {{"late", "late_code = " + longer}},
	"transactions_late_message_check": {{"late", "late_message = " + longer}},
	"transactions_raw_code_check":     {{"fail", "raw_code = " + longer}},
	"transactions_raw_message_check":  {{"fail", "raw_message = " + longer}},
	"transactions_respond_by_check":   {{"wait", "respond_by = 'infinity'"}, {"wait", "respond_by = '-infinity'"}},
	"transactions_status_check":       {{"win", "status = 'PAID'"}, {"win", "status = ''"}, {"win", "status = 'succeeded'"}},
	"transactions_version_check":      {{"fail", "version = 0"}, {"fail", "version = -1"}},
}

// The rows are run (running), done (completed) and bad (failed).
var breachesOfReports = map[string][]breach{
	"reports_check":              {{"run", "ended_at = created_at"}, {"done", "ended_at = NULL"}, {"bad", "ended_at = NULL"}},        // an end, if and only if ended
	"reports_check1":             {{"run", "reason = 'internal'"}, {"done", "reason = 'internal'"}, {"bad", "reason = NULL"}},        // a reason, if and only if failed
	"reports_check2":             {{"run", "file_sha256 = " + sum}, {"bad", "file_sha256 = " + sum}, {"done", "file_sha256 = NULL"}}, // a file, if and only if completed (I23)
	"reports_check3":             {{"run", "file_size = 0"}, {"bad", "file_size = 0"}, {"done", "file_size = NULL"}},
	"reports_check4":             {{"run", "first_day = last_day + interval '1 ms'"}},
	"reports_as_of_check":        {{"done", "as_of = 'infinity'"}, {"done", "as_of = '-infinity'"}},
	"reports_attempts_check":     {{"run", "attempts = -1"}},
	"reports_columns_check":      {{"run", "columns = '{}'"}, {"run", "columns = 'null'"}, {"run", `columns = '"a"'`}},
	"reports_created_at_check":   {{"run", "created_at = 'infinity'"}, {"run", "created_at = '-infinity'"}},
	"reports_ended_at_check":     {{"done", "ended_at = 'infinity'"}, {"bad", "ended_at = '-infinity'"}},
	"reports_file_sha256_check":  {{"done", "file_sha256 = ''"}, {"done", "file_sha256 = repeat('g', 64)"}, {"done", "file_sha256 = repeat('0', 65)"}},
	"reports_file_size_check":    {{"done", "file_size = -1"}},
	"reports_filters_check":      {{"run", "filters = '{}'"}, {"run", "filters = 'null'"}},
	"reports_first_day_check":    {{"run", "first_day = '-infinity'"}},
	"reports_kind_check":         {{"run", "kind = 'gossip'"}, {"run", "kind = ''"}},
	"reports_last_day_check":     {{"run", "last_day = 'infinity'"}},
	"reports_lease_until_check":  {{"run", "lease_until = 'infinity'"}, {"run", "lease_until = '-infinity'"}},
	"reports_reason_check":       {{"bad", "reason = ''"}},
	"reports_rows_total_check":   {{"run", "rows_total = -2"}},
	"reports_rows_written_check": {{"run", "rows_written = -1"}},
	"reports_started_at_check":   {{"run", "started_at = 'infinity'"}, {"run", "started_at = '-infinity'"}},
	"reports_status_check":       {{"run", "status = 'PAUSED', ended_at = created_at"}, {"run", "status = '', ended_at = created_at"}},
	"reports_updated_at_check":   {{"run", "updated_at = 'infinity'"}, {"run", "updated_at = '-infinity'"}},
	"reports_version_check":      {{"run", "version = 0"}, {"run", "version = -1"}},
}

const sum = "repeat('0', 64)"

// Without the constraint, the row would be stored.
func TestEachConstraintOfRecordsRejects(t *testing.T) {
	t.Parallel()
	dsn := migrated(t)
	store := open(t, dsn, nil)
	storeOneOfEach(t, store)
	conn, err := connect(t, dsn, nil).Acquire(t.Context())
	require.NoError(t, err)
	defer conn.Release()
	for table, breaches := range map[string]map[string][]breach{"transactions": breachesOfTransactions, "reports": breachesOfReports} {
		for _, name := range constraintsOf(t, conn.Conn(), table) {
			require.NotEmpty(t, breaches[name], "%s has no test", name)
			for _, b := range breaches[name] {
				update := "UPDATE corridor." + table + " SET " + b.set + " WHERE id = '" + b.id + "'"
				_, err := conn.Exec(t.Context(), update)
				refusal, _ := err.(*pgconn.PgError) //nolint:errorlint // nil if the update succeeded
				require.NotNil(t, refusal, "%s accepts %s: %s", name, b.id, b.set)
				require.Equal(t, name, refusal.ConstraintName, "%s: %s", b.id, b.set)
				require.NoError(t, without(t.Context(), conn.Conn(), table, name, update), "%s: %s", b.id, b.set)
			}
		}
	}
}

func storeOneOfEach(t *testing.T, store *postgres.Store) {
	t.Helper()
	won := failed(waiting("acme", "win"))
	won.Status, won.Code = ports.TransactionSucceeded, errcodes.TransactionCode("")
	for _, tx := range []ports.Transaction{waiting("acme", "wait"), failed(waiting("acme", "fail")), landed(failed(waiting("acme", "late"))), won} {
		mustTransact(t, store, tx)
	}
	for _, j := range []ports.ReportJob{runs("acme", "run"), completed(runs("acme", "done")), broke(runs("acme", "bad"))} {
		mustReport(t, store, j)
	}
}

// constraintsOf returns a table's CHECK constraints.
func constraintsOf(t *testing.T, conn *pgx.Conn, table string) []string {
	t.Helper()
	rows, err := conn.Query(t.Context(),
		"SELECT conname FROM pg_constraint WHERE contype = 'c' AND conrelid = $1::text::regclass", "corridor."+table)
	require.NoError(t, err)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return names
}

// without runs an update without a constraint, and rolls both back.
func without(ctx context.Context, conn *pgx.Conn, table, constraint, update string) error {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }()
	if _, err := tx.Exec(ctx, "ALTER TABLE corridor."+table+" DROP CONSTRAINT "+constraint); err != nil {
		return err
	}
	tag, err := tx.Exec(ctx, update)
	if err == nil && tag.RowsAffected() != 1 {
		return pgx.ErrNoRows
	}
	return err
}
