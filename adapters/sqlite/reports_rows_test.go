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

// TestCorruptReport damages one row, as a damaged page does; the neighbours must
// not notice.
func TestCorruptReport(t *testing.T) {
	for name, damage := range map[string]string{
		"a status that there is not":   "status = 'PAUSED'",
		"a kind that there is not":     "kind = 'gossip'",
		"columns cut short":            `columns = '["secret"'`,
		"columns of numbers":           "columns = '[1]'",
		"columns of another shape":     `columns = '[{"secret":"YQ=="}]'`,
		"columns of ill base64":        `columns = '[{"base64":"secret!"}]'`,
		"columns of nothing":           "columns = ''",
		"filters of another shape":     `filters = '[["secret"]]'`,
		"filters without a list":       `filters = '{"column":"secret"}'`,
		"filters whose texts are none": `filters = '[{"column":{}}]'`,
	} {
		t.Run(name, func(t *testing.T) {
			path := file(t)
			store := open(t, path, nil)
			damaged := mustReport(t, store, runs("acme", "a"))
			neighbour := mustReport(t, store, completed(runs("acme", "b")))
			db := raw(t, path)
			query(t, db, "PRAGMA ignore_check_constraints = ON")
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
				require.NoError(t, store.Reports().Save(t.Context(), reportOf(broke(damaged))), "it can be ended")
			}
		})
	}
}

// TestConstraintsBackTheRulesOfReports writes impossible jobs past the domain,
// new ones and changes (I22, I23).
func TestConstraintsBackTheRulesOfReports(t *testing.T) {
	store := open(t, file(t), nil)
	complete := func(j *ports.ReportJob) { *j = completed(*j) }
	breaks := func(j *ports.ReportJob) { *j = broke(*j) }
	stored := mustReport(t, store, runs("acme", "stored"))
	for name, spoil := range map[string]func(j *ports.ReportJob){
		"a status that there is not":      func(j *ports.ReportJob) { j.Status, j.EndedAt = "PAUSED", epoch },
		"no status":                       func(j *ports.ReportJob) { j.Status, j.EndedAt = "", epoch },
		"a kind that there is not":        func(j *ports.ReportJob) { j.Kind = "gossip" },
		"an end but running":              func(j *ports.ReportJob) { j.EndedAt = epoch },
		"completed without an end":        func(j *ports.ReportJob) { complete(j); j.EndedAt = time.Time{} },
		"failed without an end":           func(j *ports.ReportJob) { breaks(j); j.EndedAt = time.Time{} },
		"a reason but running":            func(j *ports.ReportJob) { j.Reason = "internal" },
		"a reason of a success":           func(j *ports.ReportJob) { complete(j); j.Reason = "internal" },
		"failed without a reason":         func(j *ports.ReportJob) { breaks(j); j.Reason = "" },
		"a sum but running":               func(j *ports.ReportJob) { j.FileSHA256 = strings.Repeat("0", 64) },
		"a size but running":              func(j *ports.ReportJob) { j.FileSize = 1 },
		"a file of a failure":             func(j *ports.ReportJob) { breaks(j); j.FileSHA256 = strings.Repeat("0", 64) },
		"a size of a failure":             func(j *ports.ReportJob) { breaks(j); j.FileSize = 1 },
		"completed without a sum":         func(j *ports.ReportJob) { complete(j); j.FileSHA256 = "" },
		"a sum that is too short":         func(j *ports.ReportJob) { complete(j); j.FileSHA256 = j.FileSHA256[1:] },
		"a sum that is not hexadecimal":   func(j *ports.ReportJob) { complete(j); j.FileSHA256 = strings.Repeat("g", 64) },
		"a size below zero":               func(j *ports.ReportJob) { complete(j); j.FileSize = -1 },
		"rows below zero":                 func(j *ports.ReportJob) { j.Rows = -1 },
		"a total below -1":                func(j *ports.ReportJob) { j.Total = -2 },
		"attempts below zero":             func(j *ports.ReportJob) { j.Attempts = -1 },
		"a last day before the first one": func(j *ports.ReportJob) { j.Request.To = j.Request.From.Add(-time.Millisecond) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, j := range []ports.ReportJob{runs("acme", "new"), stored} {
				spoil(&j)
				requireCode(t, errcodes.CorruptRecord, store.Reports().Save(t.Context(), reportOf(j)))
				require.True(t, store.Connected(), "a refusal costs no connection")
			}
			_, err := store.Reports().Report(t.Context(), "acme", "new")
			requireCode(t, errcodes.NotFound, err)
			requireReport(t, store, stored)
		})
	}
	require.Empty(t, claimAll(t, store))
}

// TestConstraintsKeepListsOfReportsReadable writes lists past the adapter.
func TestConstraintsKeepListsOfReportsReadable(t *testing.T) {
	path := file(t)
	mustReport(t, open(t, path, nil), runs("acme", "r"))
	db := raw(t, path)
	for _, column := range []string{"columns", "filters"} {
		for _, list := range []string{"", "[", "null", "{}", `"a"`} {
			_, err := db.ExecContext(t.Context(), "UPDATE reports SET "+column+" = ?", list)
			require.ErrorContains(t, err, "CHECK", "%s: %s", column, list)
		}
	}
}

// TestAPersonReadsReports asks the view what a shell would.
func TestAPersonReadsReports(t *testing.T) {
	path := file(t)
	store := open(t, path, nil)
	j := runs("acme", "r_1")
	j.Request.Columns = []string{"amount", "a\xff", "\x00"}
	j.Request.Filters = append(j.Request.Filters, ports.Filter{Column: "amount", From: "1.50"})
	mustReport(t, store, j)
	mustReport(t, store, completed(mustClaim(t, store, "process 1", epoch)))
	rows, err := raw(t, path).QueryContext(t.Context(), "SELECT * FROM readable_reports") //nolint:unqueryvet // whatever it shows is judged
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
		"first_day": "2026-11-13", "last_day": "2026-11-20", "columns": `["amount",{"base64":"Yf8="},"\u0000"]`,
		"filters": `[{"column":"status","oneOf":["FAILED"]},{"column":"amount","from":"1.50"}]`, "format": "csv",
		"status": "COMPLETED", "created_at": "2026-11-20T15:00:00.000Z", "updated_at": "2026-11-20T16:00:00.000Z",
		"ended_at": "2026-11-20T16:00:00.000Z", "attempts": "1", "holder": "process 1", "lease_until": "2026-11-20T15:01:00.000Z",
		"started_at": "2026-11-20T15:00:00.000Z", "rows_written": "7", "rows_total": "7", "as_of": "2026-11-20T15:00:00.000Z",
		"reason": "<nil>", "file_size": "700", "file_sha256": strings.Repeat("0f", 32),
	}, shown)
}

// TestAFileOfBeforeReportsIsMigrated takes a file back to the tables of before.
func TestAFileOfBeforeReportsIsMigrated(t *testing.T) {
	path := file(t)
	store := open(t, path, nil)
	tx := mustTransact(t, store, waiting("acme", "t"))
	require.NoError(t, store.Close())
	query(t, raw(t, path), "DROP VIEW readable_reports; DROP TABLE reports; DELETE FROM goose_db_version WHERE version_id = 6")
	store = open(t, path, nil)
	requireTransaction(t, store, tx)
	requireReport(t, store, mustReport(t, store, runs("acme", "r")))
}
