package postgres

// RecordQueries are the statements on transactions and reports, for the test of their
// plans.
var RecordQueries = map[string]string{
	"Transaction":          selectTransaction,
	"begin a transaction":  beginTransaction.bare(),
	"change a transaction": changeTransaction.bare(),
	"Report":               selectReport,
	"begin a report":       beginReport.bare(),
	"change a report":      changeReport.bare(),
	"claim a report":       claimReport,
	"ExpiredReports":       selectExpired,
	"remove a report":      removeReport,
}

// bare returns the statement of a change without events, work and audit rows.
func (q saveStatement) bare() string { return partList{q.with, q.result}.text() }
