// Package report writes two kinds of reports: the transactions of a range of days, and
// the settlement lines that match no transaction (SPEC 2.4 to 2.6, 4.5 and 4.6).
//
//	reports, err := report.New(report.Ports{…}, report.Policy{SettleWithin: 72 * time.Hour}, nil)
//	if err != nil { … }
//	go reports.Run(ctx)
//	job, err := reports.CreateTransactions(ctx, owner, report.Request{
//		MerchantID: merchant, Name: "October", Columns: []string{"transactionId", "amount", "currency"},
//		StartDate: "2026-10-01", EndDate: "2026-10-31",
//	})
//
// A report is a job that always ends: it is RUNNING, then COMPLETED or FAILED, which are
// final (I22). A process claims it under a lease and extends the lease. If the process
// dies, another one starts the report again, until Config.MaxAttempts attempts have been
// made; no attempt takes longer than Config.MaxRun. Rows stream from the source to the
// writer, so memory does not grow with the report. The file appears under its name only when it is
// complete, so a crash neither repeats rows nor leaves a partial file. [Transitions]
// returns the table of states.
//
// A report fails if its source repeats or reorders rows, or returns one outside the range
// (I23).
//
// A [Manifest] is stored beside each file: columns with types and units, the range in
// UTC, the number of rows, the checksum, and the instant up to which the data were
// complete. [Service.LinkToken] returns a new token for a download link at each call.
//
// An unmatched report contains the result of package match: each unmatched line with a
// reason and, if there is one, the most likely payment. A line that cannot be read
// becomes a row with a reason.
package report
