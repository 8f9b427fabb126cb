// Package report writes reports over transactions and settlements: the
// transactions of a range of days, and the settlement lines that match no
// transaction (SPEC 2.4 to 2.6, 4.5 and 4.6).
//
//	reports, err := report.New(report.Ports{…}, report.Policy{SettleWithin: 72 * time.Hour}, nil)
//	if err != nil { … }
//	go reports.Run(ctx)
//	job, err := reports.CreateTransactions(ctx, owner, report.Request{
//		MerchantID: merchant, Name: "October", Columns: []string{"transactionId", "amount", "currency"},
//		StartDate: "2026-10-01", EndDate: "2026-10-31",
//	})
//
// A report is a job that always ends: it is RUNNING, then COMPLETED or FAILED, and
// both are final (I22). A process claims it under a lease and extends that; if the
// process dies, another starts again, at most Config.MaxAttempts times, and no
// attempt may take longer than Config.MaxRun. Rows stream from the source to the
// writer, so memory does not grow with the report. The file appears under its name
// only when it is complete: a crash neither repeats a row nor leaves half a file.
// [Transitions] is the table of states.
//
// Sources promise an order, and the report checks it: if a source repeats or
// reorders rows, or returns one of another day, the report fails (I23).
//
// A [Manifest] is stored beside each file: columns with types and units, the range
// as instants in UTC, the number of rows, the checksum, and the instant up to which
// the data were complete. [Service.LinkToken] signs a new download link at each call.
//
// An unmatched report has what package match finds: each unmatched line with a
// reason and, if there is one, the nearest candidate. A line that cannot be read is
// a row with a reason, and the report goes on.
package report
