package sqlite_test

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/sqlite"
)

// TestPlans checks that the statements use their indexes: their work must not grow with
// what is stored. A plan may have only the steps listed here.
func TestPlans(t *testing.T) {
	db := raw(t, migrated(t))
	const (
		transactionByKey = "SEARCH transactions USING INDEX sqlite_autoindex_transactions_1 (owner=? AND id=?)"
		reportByID       = "SEARCH reports USING INDEX sqlite_autoindex_reports_1 (id=?)"
		runningReports   = "SCAN reports USING INDEX reports_running"
		validationByID   = "SEARCH validations USING INDEX sqlite_autoindex_validations_1 (id=?)"
		lockByID         = "SEARCH l USING PRIMARY KEY (id=?)"
		earlier          = "SEARCH e USING INDEX events_key (key=? AND seq<?)"
		lastSeen         = "SEARCH events USING INDEX events_seen"
		subquery         = "CORRELATED SCALAR SUBQUERY"
		claimByKey       = "SEARCH answer_claims USING PRIMARY KEY (key=?)"
		bookByKey        = "USING PRIMARY KEY (owner=? AND base=? AND quote=?)"
	)
	steps := map[string][]string{
		"Book":        {"SEARCH books " + bookByKey},
		"Lock":        {lockByID, "SEARCH b " + bookByKey},
		"Live":        {"SEARCH l USING INDEX rate_locks_live (base=? AND quote=? AND (created_at,id)>(?,?))"},
		"Owner":       {"SEARCH l USING INDEX rate_locks_owner (owner=? AND (created_at,id)>(?,?))"},
		"Due":         {"SEARCH l USING INDEX rate_locks_due ((expires_at,id)>(?,?) AND expires_at<?)"},
		"Token":       {"SEARCH tokens USING PRIMARY KEY (sha256=?)"},
		"PurgeTokens": {"SEARCH tokens USING PRIMARY KEY (sha256=?)", "LIST SUBQUERY", "SEARCH tokens USING COVERING INDEX tokens_expiry (expires_at<?)"},
		"evict tokens": {
			"SEARCH tokens USING PRIMARY KEY (sha256=?)", "LIST SUBQUERY", "SEARCH tokens USING COVERING INDEX tokens_client (client_id=?)",
		},
		"revoke all tokens": {"SEARCH tokens USING INDEX tokens_client (client_id=?)", "SEARCH tokens USING COVERING INDEX tokens_client (client_id=?)"},
		"Client": {
			"COMPOUND QUERY", "MERGE (UNION ALL)", "LEFT", "RIGHT", "LEFT-MOST SUBQUERY", "UNION ALL", "USE TEMP B-TREE FOR ORDER BY",
			"SEARCH clients USING PRIMARY KEY (id=?)", "SEARCH client_secrets USING PRIMARY KEY (client_id=?)",
			"SEARCH client_merchants USING PRIMARY KEY (client_id=?)",
		},
		"end a lock":  {"SEARCH rate_locks USING PRIMARY KEY (id=?)"},
		"save a book": {"SEARCH books " + bookByKey},
		"look for events": {
			"SCAN CONSTANT ROW", "SCALAR SUBQUERY", "SCAN events USING INDEX events_ready",
			"SEARCH events USING COVERING INDEX events_waiting (available_at<?)", lastSeen, "SEARCH events USING INTEGER PRIMARY KEY (rowid>?)",
		},
		"look for new events":  {"SEARCH events USING INTEGER PRIMARY KEY (rowid>?)", "SCALAR SUBQUERY", lastSeen},
		"count ready events":   {"CO-ROUTINE (subquery-1)", "SCAN (subquery-1)", "SCAN events USING INDEX events_ready"},
		"wake events":          {"SEARCH events USING INDEX events_waiting (available_at<?)", subquery, earlier},
		"claim events":         {"SEARCH events USING INTEGER PRIMARY KEY (rowid=?)", "LIST SUBQUERY", "SCAN events USING INDEX events_ready"},
		"ack an event":         {"SEARCH events USING INDEX events_key (key=?)"},
		"unblock an event":     {"SEARCH events USING INTEGER PRIMARY KEY (rowid=?)", "SCALAR SUBQUERY", "SEARCH events USING INDEX events_key (key=?)"},
		"admit an event":       {"SEARCH events USING INTEGER PRIMARY KEY (rowid=?)", "SCALAR SUBQUERY", "SEARCH events USING INDEX events_key (key=?)"},
		"replay an event":      {"SEARCH events USING INDEX events_buried (id=?)"},
		"discard an event":     {"SEARCH events USING INDEX events_buried (id=?)"},
		"Buried":               {"SEARCH events USING INDEX events_set_aside (seq>?)"},
		"Transaction":          {transactionByKey},
		"change a transaction": {transactionByKey},
		"Report":               {reportByID},
		"change a report":      {reportByID},
		"look for a report":    {"SCAN CONSTANT ROW", "SCALAR SUBQUERY", runningReports},
		"claim a report":       {reportByID, "SCALAR SUBQUERY", runningReports},
		"ExpiredReports":       {"SEARCH reports USING INDEX reports_ended (ended_at<?)"},
		"remove a report":      {reportByID},
		"is a report there":    {reportByID},
		"look for work":        {"SCAN CONSTANT ROW", "SCALAR SUBQUERY", "SEARCH work_items USING INDEX work_items_due (kind=? AND due_at<?)"},
		"claim work": {
			"SEARCH work_items USING INTEGER PRIMARY KEY (rowid=?)", "LIST SUBQUERY",
			"SEARCH work_items USING INDEX work_items_due (kind=? AND due_at<?)",
		},
		"finish work":         {"SEARCH work_items USING INDEX sqlite_autoindex_work_items_1 (id=?)"},
		"Validation":          {validationByID},
		"Overdue":             {"SEARCH validations USING INDEX validations_overdue ((deadline,id)>(?,?) AND deadline<?)"},
		"change a validation": {validationByID},
		"PurgeValidations": {
			"SEARCH validations USING INTEGER PRIMARY KEY (rowid=?)", "LIST SUBQUERY",
			"SEARCH validations USING INDEX validations_purge (purge_at<?)",
		},
		"Answer": {"SEARCH cached_answers USING INDEX sqlite_autoindex_cached_answers_1 (key=?)"},
		"PurgeAnswers": {
			"SEARCH cached_answers USING INTEGER PRIMARY KEY (rowid=?)", "LIST SUBQUERY",
			"SEARCH cached_answers USING COVERING INDEX cached_answers_expiry (expires_at<?)",
		},
		"look for a claim": {claimByKey},
		"release a key":    {claimByKey},
		"purge claims":     {claimByKey, "LIST SUBQUERY", "SEARCH answer_claims USING COVERING INDEX answer_claims_until (until<?)"},
		"Secret":           {"SEARCH secrets USING PRIMARY KEY (name=?)"},
	}
	for name, query := range sqlite.Queries {
		t.Run(name, func(t *testing.T) {
			for _, step := range planOf(t, db, query) {
				require.Contains(t, steps[name], step)
			}
		})
	}
}

func planOf(tb testing.TB, db *sql.DB, query string) []string {
	tb.Helper()
	args := make([]any, 32) // more than any query has
	rows, err := db.QueryContext(tb.Context(), "EXPLAIN QUERY PLAN "+query, args...)
	require.NoError(tb, err)
	var steps []string
	for rows.Next() {
		var id, parent, unused int
		var detail string
		require.NoError(tb, rows.Scan(&id, &parent, &unused, &detail))
		for _, noise := range []string{" 1", " 2", " 3", " 4"} {
			detail = strings.TrimSuffix(detail, noise)
		}
		steps = append(steps, detail)
	}
	require.NoError(tb, rows.Err())
	require.NoError(tb, rows.Close())
	require.NotEmpty(tb, steps)
	return steps
}
