package sqlite_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// TestCorruptReport damages one row; other rows must not be affected.
func TestCorruptReport(t *testing.T) {
	path := migrated(t)
	store, db := open(t, path, nil), raw(t, path)
	query(t, db, "PRAGMA ignore_check_constraints = ON")
	for name, damage := range map[string]string{
		"an unknown status":              "status = 'PAUSED'",
		"an unknown kind":                "kind = 'gossip'",
		"columns cut short":              `columns = '["secret"'`,
		"columns of numbers":             "columns = '[1]'",
		"columns of another shape":       `columns = '[{"secret":"YQ=="}]'`,
		"columns of invalid base64":      `columns = '[{"base64":"secret!"}]'`,
		"empty columns":                  "columns = ''",
		"filters of another shape":       `filters = '[["secret"]]'`,
		"filters without a list":         `filters = '{"column":"secret"}'`,
		"filters with an object as text": `filters = '[{"column":{}}]'`,
	} {
		t.Run(name, func(t *testing.T) {
			wipe(t, store)
			damaged := mustReport(t, store, runs("acme", "a"))
			neighbour := mustReport(t, store, completed(runs("acme", "b")))
			query(t, db, "UPDATE reports SET "+damage+" WHERE id = ?", []byte("a"))

			_, err := store.Reports().Report(t.Context(), "acme", "a")
			requireCode(t, errcodes.CorruptRecord, err)
			require.NotContains(t, errcodes.MessageOf(err), "secret")
			require.NotContains(t, err.Error(), "secret")
			requireReport(t, store, neighbour)
			require.NoError(t, store.Ping(t.Context()))
			if strings.HasPrefix(damage, "status") {
				requireCode(t, errcodes.Conflict, store.Reports().Save(t.Context(), reportOf(completed(damaged))))
				_, err = store.Reports().ClaimReport(t.Context(), "p", epoch, time.Minute)
				requireCode(t, errcodes.NotFound, err)
			} else {
				_, err = store.Reports().ClaimReport(t.Context(), "p", epoch, time.Minute)
				requireCode(t, errcodes.CorruptRecord, err)
				damaged.Version++
				require.NoError(t, store.Reports().Save(t.Context(), reportOf(broke(damaged))), "the job can be ended")
			}
		})
	}
}

// TestConstraintsRejectUnreadableLists writes lists without the adapter.
func TestConstraintsRejectUnreadableLists(t *testing.T) {
	path := migrated(t)
	mustReport(t, open(t, path, nil), runs("acme", "r"))
	db := raw(t, path)
	for _, column := range []string{"columns", "filters"} {
		for _, list := range []string{"", "[", "null", "{}", `"a"`} {
			_, err := db.ExecContext(t.Context(), "UPDATE reports SET "+column+" = ?", list)
			require.ErrorContains(t, err, "CHECK", "%s: %s", column, list)
		}
	}
}

// TestTheReportViewIsReadable queries the view as a person would.
func TestTheReportViewIsReadable(t *testing.T) {
	path := migrated(t)
	store := open(t, path, nil)
	j := runs("acme", "r_1")
	j.Request.Columns = []string{"amount", "a\xff", "\x00"}
	j.Request.Filters = append(j.Request.Filters, ports.Filter{Column: "amount", From: "1.50"})
	mustReport(t, store, j)
	mustReport(t, store, completed(mustClaim(t, store, "process 1", epoch)))
	rows, err := raw(t, path).QueryContext(t.Context(), "SELECT * FROM readable_reports") //nolint:unqueryvet // all columns are checked
	require.NoError(t, err)
	defer rows.Close()
	columns, err := rows.Columns()
	require.NoError(t, err)
	require.True(t, rows.Next())
	values, targets := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	require.NoError(t, rows.Scan(targets...))
	require.NoError(t, rows.Err())
	shown := map[string]string{}
	for i, column := range columns {
		shown[column] = fmt.Sprint(values[i])
	}
	require.Equal(t, map[string]string{
		"id": "r_1", "owner": "acme", "version": "3", "kind": "transactions", "merchant_id": "m_1", "name": "sales",
		"first_day": "2026-11-13", "last_day": "2026-11-20", "columns": `["amount",{"base64":"Yf8="},{"base64":"AA=="}]`,
		"filters": `[{"column":"status","oneOf":["FAILED"]},{"column":"amount","from":"1.50"}]`, "format": "csv",
		"status": "COMPLETED", "created_at": "2026-11-20T15:00:00.000Z", "updated_at": "2026-11-20T16:00:00.000Z",
		"ended_at": "2026-11-20T16:00:00.000Z", "attempts": "1", "holder": "process 1", "lease_until": "2026-11-20T15:01:00.000Z",
		"started_at": "2026-11-20T15:00:00.000Z", "rows_written": "7", "rows_total": "7", "as_of": "2026-11-20T15:00:00.000Z",
		"reason": "<nil>", "file_size": "700", "file_sha256": strings.Repeat("0f", 32),
	}, shown)
}

// withoutTokenSecrets reverses the migration of token secrets.
const withoutTokenSecrets = `DROP INDEX tokens_client; ALTER TABLE tokens DROP COLUMN secret_sha256;
	ALTER TABLE clients DROP COLUMN revoked_before; `

// TestAFileWithoutReportTablesIsMigrated migrates a file back to the earlier tables.
func TestAFileWithoutReportTablesIsMigrated(t *testing.T) {
	path := migrated(t)
	store := open(t, path, nil)
	tx := mustTransact(t, store, waiting("acme", "t"))
	require.NoError(t, store.Close())
	query(t, raw(t, path), withoutTokenSecrets+"DROP INDEX rate_locks_owner; DROP VIEW readable_reports; DROP TABLE reports; DROP VIEW readable_audit; DROP TABLE audit; DELETE FROM goose_db_version WHERE version_id >= 6")
	store = open(t, path, nil)
	requireTransaction(t, store, tx)
	requireReport(t, store, mustReport(t, store, runs("acme", "r")))
}
