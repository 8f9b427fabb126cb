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
// A report is a job that always ends: RUNNING, then COMPLETED or FAILED, for
// good (I22). It is claimed under a lease that its process extends; when that
// process dies another begins it anew, Config.MaxAttempts times at the most, and
// no attempt may take longer than Config.MaxRun. Rows stream from the source to
// the writer, so that memory does not grow with the report, and the file stands
// under its name only when it is whole: no crash doubles a row or leaves half a
// file. [Transitions] is the table of states.
//
// Sources promise an order, and the report checks it: a source that repeats or
// reorders rows, or gives one of another day, fails its report rather than
// making a wrong one (I23).
//
// A [Manifest] stands beside each file: columns with types and units, the range
// as instants, UTC, the number of rows, the checksum, and up to when the data
// were complete. [Service.DownloadURL] signs a link anew at each call.
//
// An unmatched report holds what package match finds: an unmatched line always has a
// reason and, where there is one, the nearest candidate; a line that cannot be read is
// a row with a reason, and the report goes on.
package report
