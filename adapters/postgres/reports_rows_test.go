package postgres_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// TestCorruptReport damages one row; other rows must not be affected. A damaged job is
// claimed, and the next claim returns the next job.
func TestCorruptReport(t *testing.T) {
	t.Parallel()
	dsn := migrated(t)
	unchecked(t, dsn, "reports")
	store := open(t, dsn, nil)
	for name, damage := range map[string]string{
		"an unknown status":              "status = 'secret'",
		"an unknown kind":                "kind = 'secret'",
		"a creation without a time":      "created_at = '-infinity'",
		"columns of numbers":             "columns = '[1]'",
		"columns of null":                "columns = '[null]'",
		"columns of another shape":       `columns = '[{"secret":"YQ=="}]'`,
		"columns of invalid base64":      `columns = '[{"base64":"secret!"}]'`,
		"columns without a list":         `columns = '"secret"'`,
		"filters of another shape":       `filters = '[["secret"]]'`,
		"filters without a list":         `filters = '{"column":"secret"}'`,
		"filters with an object as text": `filters = '[{"column":{}}]'`,
	} {
		t.Run(name, func(t *testing.T) {
			query(t, dsn, "TRUNCATE corridor.reports")
			damaged := mustReport(t, store, runs("acme", "a"))
			next := mustReport(t, store, runs("acme", "b"))
			ended := mustReport(t, store, completed(runs("acme", "c")))
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
			require.NoError(t, store.Reports().Save(t.Context(), reportOf(broke(damaged))), "the record can be ended")
		})
	}
}

// TestADamagedReportExpiresLikeTheOthers damages a report's lists: it still expires, and
// so do the others.
func TestADamagedReportExpiresLikeTheOthers(t *testing.T) {
	t.Parallel()
	dsn := emptied(t)
	store := open(t, dsn, nil)
	for _, damage := range []string{"columns = '[1]'", `columns = '[{"base64":"secret!"}]'`, `filters = '[["secret"]]'`} {
		mustReport(t, store, completed(runs("acme", "a")))
		next := mustReport(t, store, completed(runs("acme", "b")))
		query(t, dsn, "UPDATE corridor.reports SET "+damage+" WHERE id = 'a'")
		expired, err := store.Reports().ExpiredReports(t.Context(), epoch.Add(time.Hour), 10)
		require.NoError(t, err)
		require.Len(t, expired, 2)
		require.Equal(t, []string{"acme", "a"}, []string{expired[0].Owner, expired[0].ID})
		require.True(t, len(expired[0].Request.Columns) == 0 || len(expired[0].Request.Filters) == 0)
		require.Equal(t, next, expired[1])
		for _, id := range []string{"a", "b"} {
			require.NoError(t, store.Reports().RemoveReport(t.Context(), "acme", id))
		}
	}
}

// TestConstraintsRejectUnreadableReports writes lists and times without the adapter.
func TestConstraintsRejectUnreadableReports(t *testing.T) {
	t.Parallel()
	dsn := emptied(t)
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

// TestTheReportViewIsReadable queries the view as a person would with psql.
func TestTheReportViewIsReadable(t *testing.T) {
	t.Parallel()
	dsn := emptied(t)
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
