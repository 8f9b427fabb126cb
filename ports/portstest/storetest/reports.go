package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// ReportStore checks a ports.ReportStore.
func ReportStore(t *testing.T, h Harness) {
	t.Helper()
	runStore(t, h, reportChecks, "the store keeps no reports", func(s Store) bool { return s.Reports != nil })
}

var reportChecks = slices.Concat(
	reportRecordChecks,
	reportKeyChecks,
	reportVersionChecks,
	reportClaimChecks,
	reportExpiryChecks,
	reports.queueChecks(),
	reports.outcomeChecks(reportsReopened),
)

var (
	reportEnds  = []ports.ReportStatus{ports.ReportCompleted, ports.ReportFailed}
	reportKinds = []ports.ReportKind{ports.ReportTransactions, ports.ReportUnmatched}
)

// runningReport makes a job that nobody has taken up.
func runningReport(owner, id string) ports.ReportJob {
	day := kit.Epoch.Truncate(24 * time.Hour)
	return ports.ReportJob{
		ID: id, Owner: owner, Kind: ports.ReportTransactions, Status: ports.ReportRunning,
		Request: ports.ReportRequest{
			MerchantID: "merchant-1", Name: "sales of " + id, From: day.AddDate(0, 0, -7), To: day,
			Columns: []string{"transactionId", "amount", "currency"},
			Filters: []ports.Filter{{Column: "status", OneOf: []string{"FAILED", "ERRORED"}}, {Column: "amount", From: "1.50", To: "20"}},
			Format:  "csv",
		},
		CreatedAt: kit.Epoch, UpdatedAt: kit.Epoch, Total: -1,
	}
}

// bornAt is a new job as of another instant.
func bornAt(j ports.ReportJob, at time.Time) ports.ReportJob {
	j.CreatedAt, j.UpdatedAt = at, at
	return j
}

// heldReport is a job that a process has taken up and works at.
func heldReport(j ports.ReportJob, holder string) ports.ReportJob {
	j.Attempts, j.Holder, j.StartedAt, j.LeaseUntil = j.Attempts+1, holder, kit.Epoch.Add(time.Second), kit.Epoch.Add(lease)
	j.UpdatedAt, j.Rows, j.Total, j.AsOf = kit.Epoch.Add(2*time.Second), 17, 170, kit.Epoch.Add(-time.Minute)
	return j
}

// endedReport gives a running job its end, an hour after its creation.
func endedReport(j ports.ReportJob, status ports.ReportStatus) ports.ReportJob {
	j.Status, j.EndedAt = status, j.CreatedAt.Add(time.Hour)
	j.UpdatedAt, j.LeaseUntil = j.EndedAt, time.Time{}
	switch status {
	case ports.ReportCompleted:
		j.Rows, j.Total, j.AsOf = 170, 170, j.CreatedAt
		j.FileSize, j.FileSHA256 = 4321, strings.Repeat("0123456789abcdef", 4)
	case ports.ReportFailed:
		j.Reason = string(errcodes.Unprocessable)
	case ports.ReportRunning:
	}
	return j
}

// plainReport makes empty lists the same as none.
func plainReport(j ports.ReportJob) ports.ReportJob {
	j.Request.Columns = kit.OrNil(j.Request.Columns)
	j.Request.Filters = kit.OrNil(slices.Clone(j.Request.Filters))
	for i := range j.Request.Filters {
		j.Request.Filters[i].OneOf = kit.OrNil(j.Request.Filters[i].OneOf)
	}
	return j
}

var reports = &records[ports.ReportJob]{
	name: "Report", stem: "report-",
	write: func(ctx context.Context, s Store, c change[ports.ReportJob]) error {
		return s.Reports.Save(ctx, ports.ReportChange{Job: c.record, Events: c.events, Work: c.work})
	},
	read: func(ctx context.Context, s Store, owner, id string) (ports.ReportJob, error) {
		return s.Reports.Report(ctx, owner, id)
	},
	calls: func(s Store, have ports.ReportJob) map[string]func(ctx context.Context) error {
		return map[string]func(ctx context.Context) error{
			"ClaimReport": func(ctx context.Context) error {
				return errOf(s.Reports.ClaimReport(ctx, "process-9", kit.Epoch.AddDate(1, 0, 0), lease))
			},
			"ExpiredReports": func(ctx context.Context) error {
				return errOf(s.Reports.ExpiredReports(ctx, kit.Epoch.AddDate(1, 0, 0), 10))
			},
			"RemoveReport": func(ctx context.Context) error { return s.Reports.RemoveReport(ctx, have.Owner, have.ID) },
		}
	},
	head: func(j *ports.ReportJob) header { return header{&j.Owner, &j.ID, &j.Version} },
	times: func(j *ports.ReportJob) []*time.Time {
		return []*time.Time{&j.Request.From, &j.Request.To, &j.CreatedAt, &j.UpdatedAt, &j.EndedAt, &j.LeaseUntil, &j.StartedAt, &j.AsOf}
	},
	plain: plainReport,
	open:  runningReport,
	change: step[ports.ReportJob]{"a change", func(j ports.ReportJob, i int) ports.ReportJob {
		j = heldReport(j, fmt.Sprint("process-", i))
		j.Rows, j.UpdatedAt = int64(i), j.UpdatedAt.Add(time.Duration(i)*time.Second)
		return j
	}},
	ends: endsAs(reportEnds, func(j ports.ReportJob, status ports.ReportStatus, i int) ports.ReportJob {
		j = endedReport(j, status)
		j.Rows = min(int64(i), j.Rows)
		return j
	}),
	samples: func() []ports.ReportJob {
		return []ports.ReportJob{runningReport("acme", "running"), endedReport(runningReport("acme", "done"), ports.ReportCompleted)}
	},
	long: func(j ports.ReportJob, long string) ports.ReportJob {
		j.Request.MerchantID, j.Request.Name, j.Holder = long+"merchant", long+"name", long+"holder"
		j.Request.Columns = []string{long + "column"}
		return j
	},
}

func reportsReopened(k *storeKit) {
	k.Need(k.Reopen != nil, "Reopen: it is not durable")
	free := reports.save(k, runningReport("acme", "free"))
	held := k.takesUp("process-1", kit.Epoch, free)
	other := runningReport("zenith", "other")
	other = bornAt(other, kit.Epoch.Add(time.Millisecond))
	other = reports.save(k, other)
	ended := reports.save(k, endedReport(runningReport("acme", "ended"), ports.ReportCompleted))
	k.endsAt("acme", "removed", kit.Epoch)
	k.removeReport("acme", "removed")
	k.Store = k.Reopen()
	for _, j := range []ports.ReportJob{held, other, ended} {
		reports.has(k, j, "the report after opening again")
	}
	reports.absent(k, "acme", "removed", "what was removed before")
	reports.sameList(k, k.expired(ended.EndedAt, 10), []ports.ReportJob{ended}, "ExpiredReports after opening again")
	reports.refused(k, ended, "a change of what ended before")
	other = k.takesUp("process-2", other.CreatedAt, other)
	k.nobody(kit.Epoch, "while the leases hold after opening again")
	k.takesUp("process-2", held.LeaseUntil, held)
	reports.keeps(k, endedReport(other, ports.ReportFailed), "an end after opening again")
}
