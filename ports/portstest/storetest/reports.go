package storetest

import (
	"fmt"
	"reflect"
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
	runStore(t, h, reportChecks, func(s Store) string {
		if s.Reports == nil {
			return "the store keeps no reports"
		}
		return ""
	})
}

var reportChecks = slices.Concat(
	reportRecordChecks,
	reportKeyChecks,
	reportVersionChecks,
	reportClaimChecks,
	reportExpiryChecks,
	reportQueueChecks,
	reportOutcomeChecks,
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

// saveReport stores the job and gives it as it should be now.
func (k *storeKit) saveReport(j ports.ReportJob) ports.ReportJob {
	k.Helper()
	k.OK(k.Reports.Save(k.Context(), ports.ReportChange{Job: j}), "Save")
	j.Version++
	return j
}

// hasReport reads the job and compares it.
func (k *storeKit) hasReport(want ports.ReportJob, what string) {
	k.Helper()
	got, err := k.Reports.Report(k.Context(), want.Owner, want.ID)
	k.OK(err, "Report of "+what)
	k.sameReport(got, want, what)
}

func (k *storeKit) sameReport(got, want ports.ReportJob, what string) {
	k.Helper()
	if differ := differingIn(plainReport(got), plainReport(want)); len(differ) > 0 {
		k.Fatalf("%s differs in %s:\n got %s\nwant %s", what, differ, kit.Short(got), kit.Short(want))
	}
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

// differingIn names the fields that are not the same.
func differingIn(got, want ports.ReportJob) []string {
	var names []string
	g, w := reflect.ValueOf(got), reflect.ValueOf(want)
	for i := range g.NumField() {
		if !reflect.DeepEqual(g.Field(i).Interface(), w.Field(i).Interface()) {
			names = append(names, g.Type().Field(i).Name)
		}
	}
	return names
}

// sameReports compares a list of jobs.
func (k *storeKit) sameReports(got []ports.ReportJob, want []ports.ReportJob, what string) {
	k.Helper()
	k.Same(reportIDs(got), reportIDs(want), what)
	for i := range want {
		k.sameReport(got[i], want[i], fmt.Sprint(what, ", job ", i))
	}
}

func reportIDs(jobs []ports.ReportJob) []string {
	out := []string{}
	for i := range jobs {
		out = append(out, jobs[i].ID)
	}
	return out
}

// noReport checks that the owner has no job of the id.
func (k *storeKit) noReport(owner, id, what string) {
	k.Helper()
	_, err := k.Reports.Report(k.Context(), owner, id)
	k.Code(err, errcodes.NotFound, "Report of "+what)
}

// refusedReport checks that the change is a conflict and leaves no trace.
func (k *storeKit) refusedReport(j ports.ReportJob, what string) {
	k.Helper()
	change := ports.ReportChange{
		Job:    j,
		Events: []ports.Event{reportEvent("stray-event", "stray")},
		Work:   []ports.WorkItem{job("stray-work", kit.Epoch)},
	}
	k.Code(k.Reports.Save(k.Context(), change), errcodes.Conflict, what)
	k.nothingQueued("after a conflict")
}

// reportEvent makes an event of a job.
func reportEvent(id, job string) ports.Event {
	e := kit.Event(id, job)
	e.Kind = "report.updated"
	return e
}

// queuedReport makes a change of the job with an event and a work item.
func queuedReport(j ports.ReportJob) ports.ReportChange {
	return ports.ReportChange{
		Job:    j,
		Events: []ports.Event{reportEvent("event of "+string(j.Status), j.ID)},
		Work:   []ports.WorkItem{job("work of "+string(j.Status), kit.Epoch)},
	}
}
