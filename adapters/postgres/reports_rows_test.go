package postgres_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// TestCorruptReport damages one row; the neighbours must not notice. A job that
// cannot be read is claimed, and leaves the next claim to the next job.
func TestCorruptReport(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]string{
		"a status that there is not":   "status = 'secret'",
		"a kind that there is not":     "kind = 'secret'",
		"a creation without a time":    "created_at = '-infinity'",
		"columns of numbers":           "columns = '[1]'",
		"columns of nothing":           "columns = '[null]'",
		"columns of another shape":     `columns = '[{"secret":"YQ=="}]'`,
		"columns of ill base64":        `columns = '[{"base64":"secret!"}]'`,
		"columns without a list":       `columns = '"secret"'`,
		"filters of another shape":     `filters = '[["secret"]]'`,
		"filters without a list":       `filters = '{"column":"secret"}'`,
		"filters whose texts are none": `filters = '[{"column":{}}]'`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := migrated(t)
			store := open(t, dsn, nil)
			damaged := mustReport(t, store, runs("acme", "a"))
			next := mustReport(t, store, runs("acme", "b"))
			ended := mustReport(t, store, completed(runs("acme", "c")))
			unchecked(t, dsn, "reports")
			query(t, dsn, "UPDATE corridor.reports SET "+damage+" WHERE id = 'a'")

			_, err := store.Reports().Report(t.Context(), "acme", "a")
			requireCode(t, errcodes.CorruptRecord, err)
			require.NotContains(t, err.Error(), "secret")
			requireReport(t, store, ended)
			require.NoError(t, store.Ping(t.Context()))
			if strings.HasPrefix(damage, "status") {
				requireCode(t, errcodes.Conflict, store.Reports().Save(t.Context(), reportOf(completed(damaged))))
				require.Equal(t, next.ID, mustTakeUp(t, store, "p", epoch).ID)
				return
			}
			_, err = store.Reports().ClaimReport(t.Context(), "p", epoch, time.Minute)
			requireCode(t, errcodes.CorruptRecord, err)
			require.Equal(t, next.ID, mustTakeUp(t, store, "p", epoch).ID)
			damaged.Version++
			require.NoError(t, store.Reports().Save(t.Context(), reportOf(broke(damaged))), "it can be ended")
		})
	}
}

// TestADamagedReportExpiresBesideTheOthers: its lists are no reason to keep it,
// and it does not keep the others.
func TestADamagedReportExpiresBesideTheOthers(t *testing.T) {
	t.Parallel()
	for _, damage := range []string{"columns = '[1]'", `columns = '[{"base64":"secret!"}]'`, `filters = '[["secret"]]'`} {
		dsn := migrated(t)
		store := open(t, dsn, nil)
		mustReport(t, store, completed(runs("acme", "a")))
		next := mustReport(t, store, completed(runs("acme", "b")))
		query(t, dsn, "UPDATE corridor.reports SET "+damage+" WHERE id = 'a'")
		expired, err := store.Reports().ExpiredReports(t.Context(), epoch.Add(time.Hour), 10)
		require.NoError(t, err)
		require.Len(t, expired, 2)
		require.Equal(t, []string{"acme", "a"}, []string{expired[0].Owner, expired[0].ID})
		require.True(t, len(expired[0].Request.Columns) == 0 || len(expired[0].Request.Filters) == 0)
		require.Equal(t, next, expired[1])
		require.NoError(t, store.Reports().RemoveReport(t.Context(), "acme", "a"))
	}
}

// TestConstraintsBackTheRulesOfReports writes impossible jobs past the domain,
// new ones and changes (I22, I23).
func TestConstraintsBackTheRulesOfReports(t *testing.T) {
	dsn := migrated(t)
	store := open(t, dsn, nil)
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
		"a sum that is too long":          func(j *ports.ReportJob) { complete(j); j.FileSHA256 += "0" },
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
			}
			_, err := store.Reports().Report(t.Context(), "acme", "new")
			requireCode(t, errcodes.NotFound, err)
			requireReport(t, store, stored)
		})
	}
	require.Empty(t, storedEvents(t, dsn))
}

// TestConstraintsKeepReportsReadable writes lists and times past the adapter.
func TestConstraintsKeepReportsReadable(t *testing.T) {
	t.Parallel()
	dsn := migrated(t)
	mustReport(t, open(t, dsn, nil), completed(runs("acme", "r")))
	pool := connect(t, dsn, nil)
	refused := func(column, value, why string) {
		_, err := pool.Exec(t.Context(), "UPDATE corridor.reports SET "+column+" = '"+value+"'")
		require.ErrorContains(t, err, why, "%s = %s", column, value)
	}
	for _, column := range []string{"columns", "filters"} {
		for _, list := range []string{"null", "{}", `"a"`, "1"} {
			refused(column, list, "reports_"+column+"_check")
		}
		for _, list := range []string{"", "[", `["\u0000"]`} {
			refused(column, list, "SQLSTATE 22P0")
		}
	}
	refused("version", "0", "reports_version_check")
	refused("first_day", "-infinity", "reports_first_day_check")
	for _, column := range []string{"last_day", "created_at", "updated_at", "ended_at", "lease_until", "started_at", "as_of"} {
		refused(column, "infinity", "reports_"+column+"_check")
	}
	query(t, dsn, "UPDATE corridor.reports SET status = 'FAILED', reason = 'internal', file_size = NULL, file_sha256 = NULL")
	refused("reason", "", "reports_reason_check")
}

// TestAPersonReadsReports asks the view what psql would.
func TestAPersonReadsReports(t *testing.T) {
	t.Parallel()
	dsn := migrated(t)
	store := open(t, dsn, nil)
	j := runs("acme", "r_1")
	j.Request.Columns = []string{"amount", "a\xff", "\x00", "<"}
	j.Request.Filters = append(j.Request.Filters, ports.Filter{Column: "amount", From: "1.50"})
	mustReport(t, store, j)
	mustReport(t, store, completed(mustTakeUp(t, store, "process 1", epoch)))
	require.Equal(t, map[string]string{
		"id": "r_1", "owner": "acme", "version": "3", "kind": "transactions", "merchant_id": "m_1", "name": "sales",
		"first_day": "2026-11-13", "last_day": "2026-11-20", "columns": `["amount", {"base64": "Yf8="}, {"base64": "AA=="}, "<"]`,
		"filters": `[{"oneOf": ["FAILED"], "column": "status"}, {"from": "1.50", "column": "amount"}]`, "format": "csv",
		"status": "COMPLETED", "created_at": "2026-11-20 15:00:00+00", "updated_at": "2026-11-20 16:00:00+00",
		"ended_at": "2026-11-20 16:00:00+00", "attempts": "1", "holder": "process 1", "lease_until": "2026-11-20 15:01:00+00",
		"started_at": "2026-11-20 15:00:00+00", "rows_written": "7", "rows_total": "7", "as_of": "2026-11-20 15:00:00+00",
		"reason": "", "file_size": "700", "file_sha256": strings.Repeat("0f", 32),
	}, readable(t, dsn, "reports"))
}
