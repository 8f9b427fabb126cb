package storetest

import (
	"context"
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

// reportQueueChecks: what a change asks for comes with it (I32).
var reportQueueChecks = []storeCheck{
	{"events become claimable with their change, in its order", reportEvents},
	{"work becomes claimable with its change", reportWork},
	{"of many racers only the winner's events and work are stored", reportRacersQueue},
	{queuedTwice, reportQueuedTwice},
}

// reportOutcomeChecks: how it ends when it does not go well.
var reportOutcomeChecks = []storeCheck{
	{"a context that is done gives its own code and changes nothing", reportsCancelled},
	{"a closed store says so", reportsClosed},
	{"a lost acknowledgement is an unknown outcome, and the change whole or absent", reportLost},
	{"a full store says so, stores nothing, and goes on when there is room", reportFull},
	{"a store that is opened again has everything", reportsReopened},
}

// reportCalls makes every call of the port.
func (k *storeKit) reportCalls(change ports.ReportChange, have ports.ReportJob) map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"Save": func(ctx context.Context) error { return k.Reports.Save(ctx, change) },
		"Report": func(ctx context.Context) error {
			_, err := k.Reports.Report(ctx, have.Owner, have.ID)
			return err
		},
		"ClaimReport": func(ctx context.Context) error {
			_, err := k.Reports.ClaimReport(ctx, "process-9", kit.Epoch.AddDate(1, 0, 0), lease)
			return err
		},
		"ExpiredReports": func(ctx context.Context) error {
			_, err := k.Reports.ExpiredReports(ctx, kit.Epoch.AddDate(1, 0, 0), 10)
			return err
		},
		"RemoveReport": func(ctx context.Context) error { return k.Reports.RemoveReport(ctx, have.Owner, have.ID) },
	}
}

func reportEvents(k *storeKit) {
	k.Need(k.Outbox != nil, "Outbox")
	j := runningReport("acme", "report-1")
	created, other := reportEvent("created", j.ID), reportEvent("other", "another key")
	created.Attempt, created.Claim = 7, 7 // set by Claim: what was saved does not count
	k.nothingQueued("before the save")
	k.OK(k.Reports.Save(k.Context(), ports.ReportChange{Job: j, Events: []ports.Event{created, other}}), "Save")
	created.Attempt, other.Attempt = 1, 1
	got := k.claimEvents(kit.Epoch, 10)
	k.Same(eventIDs(got), []string{"created", "other"}, "the events of a new report")
	k.Same(got[0], created, "the first event")
	k.Same(got[1], other, "the second event")

	j.Version++
	j = k.takesUp("process-1", kit.Epoch, j)
	beat := ports.ReportChange{Job: heldReport(j, "process-1"), Events: []ports.Event{reportEvent("progress", j.ID)}}
	k.OK(k.Reports.Save(k.Context(), beat), "Save")
	beat.Job.Version++
	end := ports.ReportChange{Job: endedReport(beat.Job, ports.ReportCompleted), Events: []ports.Event{reportEvent("ended", j.ID)}}
	k.OK(k.Reports.Save(k.Context(), end), "Save")
	k.Same(len(k.claimEvents(kit.Epoch, 10)), 0, "the number of events while an earlier one of the key is out")
	k.OK(k.Outbox.Ack(k.Context(), got[0]), "Ack")
	k.OK(k.Outbox.Ack(k.Context(), k.first(kit.Epoch, "progress")), "Ack")
	k.first(kit.Epoch, "ended")
}

func reportWork(k *storeKit) {
	k.Need(k.Work != nil, "Work")
	j := runningReport("acme", "report-1")
	later := kit.Epoch.Add(time.Hour)
	want := job("later", later)
	k.nothingQueued("before the save")
	k.OK(k.Reports.Save(k.Context(), ports.ReportChange{Job: j, Work: []ports.WorkItem{want, job("first", kit.Epoch)}}), "Save")
	k.Same(workIDs(k.claimWork(kit.Epoch, 10)), []string{"first"}, "the work that is due at once")
	want.Attempt = 1
	got := k.claimWork(later.Add(-time.Millisecond), 10)
	k.Same(workIDs(got), []string{"first"}, "the work before the other is due") // its lease has ended
	got = k.claimWork(later, 10)
	k.Same(workIDs(got), []string{"later"}, "the work that was due later")
	k.Same(got[0], want, "the work item")
}

func reportQueuedTwice(k *storeKit) {
	k.Need(k.Outbox != nil && k.Work != nil, "Outbox and Work")
	k.queuedTwice(func(events []ports.Event, work []ports.WorkItem) error {
		return k.Reports.Save(k.Context(), ports.ReportChange{Job: runningReport("acme", "report-1"), Events: events, Work: work})
	})
	_, err := k.Reports.Report(k.Context(), "acme", "report-1")
	k.Code(err, errcodes.NotFound, "reading a record whose change was refused")
}

func reportRacersQueue(k *storeKit) {
	k.Need(k.Outbox != nil && k.Work != nil, "Outbox and Work")
	id := func(i int) string { return fmt.Sprint("of racer ", i) }
	won := k.winner(kit.Race(kit.Racers, func(i int) error {
		return k.Reports.Save(k.Context(), ports.ReportChange{
			Job:    runningReport("acme", "report-1"),
			Events: []ports.Event{reportEvent(id(i), id(i))},
			Work:   []ports.WorkItem{job(id(i), kit.Epoch)},
		})
	}))
	k.Same(eventIDs(k.claimEvents(kit.Epoch, 100)), []string{id(won)}, "the events after a race")
	k.Same(workIDs(k.claimWork(kit.Epoch, 100)), []string{id(won)}, "the work after a race")
}

func reportsCancelled(k *storeKit) {
	running := k.saveReport(runningReport("acme", "running"))
	ended := k.saveReport(endedReport(runningReport("acme", "ended"), ports.ReportFailed))
	k.Case("a new report", func() { k.doneContexts(k.reportCalls(queuedReport(runningReport("acme", "fresh")), ended)) })
	k.Case("an end", func() {
		k.doneContexts(k.reportCalls(queuedReport(endedReport(running, ports.ReportCompleted)), ended))
	})
	k.noReport("acme", "fresh", "a save with a context that was done")
	k.hasReport(running, "the report after a claim and an end with a context that was done")
	k.hasReport(ended, "the report after a removal with a context that was done")
	k.nothingQueued("after a save with a context that was done")
}

func reportsClosed(k *storeKit) {
	j := k.saveReport(runningReport("acme", "report-1"))
	k.closed(k.reportCalls(queuedReport(endedReport(j, ports.ReportCompleted)), j))
}

// reportLost loses the acknowledgement of a new report, of a heartbeat, and of
// an end.
func reportLost(k *storeKit) {
	k.Need(k.LoseNextCommit != nil, "LoseNextCommit")
	j := k.losesReport(queuedReport(runningReport("acme", "report-1")), func() {
		k.noReport("acme", "report-1", "a report without the change")
	})
	j = k.takesUp("process-1", kit.Epoch, j)
	for _, next := range []func(j ports.ReportJob) ports.ReportJob{
		func(j ports.ReportJob) ports.ReportJob { return heldReport(j, "process-1") },
		func(j ports.ReportJob) ports.ReportJob { return endedReport(j, ports.ReportCompleted) },
	} {
		before := j
		change := queuedReport(next(before))
		change.Events[0].ID = fmt.Sprint("event after version ", before.Version)
		change.Work[0].ID = fmt.Sprint("work after version ", before.Version)
		j = k.losesReport(change, func() { k.hasReport(before, "the report without the change") })
	}
	k.saveReport(runningReport("acme", "next"))
}

// losesReport saves the change, whose acknowledgement is lost, and finds it
// whole or absent; then it can still be made.
func (k *storeKit) losesReport(change ports.ReportChange, absent func()) ports.ReportJob {
	k.Helper()
	k.LoseNextCommit()
	k.Code(k.Reports.Save(k.Context(), change), errcodes.OutcomeUnknown, "Save that loses its acknowledgement")
	want := change.Job
	want.Version++
	now, err := k.Reports.Report(k.Context(), want.Owner, want.ID)
	if errcodes.Of(err) == errcodes.NotFound || err == nil && now.Version == change.Job.Version {
		absent()
		k.nothingQueued("without the change")
		k.OK(k.Reports.Save(k.Context(), change), "Save of a change that was not made")
	}
	k.hasReport(want, "the report with the change")
	k.queuedOnce()
	return want
}

func reportFull(k *storeKit) {
	k.Need(k.Fill != nil, "Fill")
	before := k.saveReport(runningReport("acme", "changed"))
	change, fresh := queuedReport(endedReport(before, ports.ReportCompleted)), queuedReport(runningReport("acme", "fresh"))
	empty := k.Fill()
	k.Code(k.Reports.Save(k.Context(), change), errcodes.StorageUnavailable, "Save of an end in a full store")
	k.Code(k.Reports.Save(k.Context(), fresh), errcodes.StorageUnavailable, "Save of a new report in a full store")
	k.hasReport(before, "the report in a full store")
	k.noReport("acme", "fresh", "a full store")
	empty()
	k.nothingQueued("after saves that found no room")
	k.OK(k.Reports.Save(k.Context(), change), "Save when there was room again")
	change.Job.Version++
	k.hasReport(change.Job, "a report saved when there was room again")
	k.queuedOnce()
}

func reportsReopened(k *storeKit) {
	k.Need(k.Reopen != nil, "Reopen: it is not durable")
	free := k.saveReport(runningReport("acme", "free"))
	held := k.takesUp("process-1", kit.Epoch, free)
	other := runningReport("zenith", "other")
	other = bornAt(other, kit.Epoch.Add(time.Millisecond))
	other = k.saveReport(other)
	ended := k.saveReport(endedReport(runningReport("acme", "ended"), ports.ReportCompleted))
	k.endsAt("acme", "removed", kit.Epoch)
	k.removeReport("acme", "removed")
	k.Store = k.Reopen()
	for _, j := range []ports.ReportJob{held, other, ended} {
		k.hasReport(j, "the report after opening again")
	}
	k.noReport("acme", "removed", "what was removed before")
	k.sameReports(k.expired(ended.EndedAt, 10), []ports.ReportJob{ended}, "ExpiredReports after opening again")
	k.refusedReport(ended, "a change of what ended before")
	other = k.takesUp("process-2", other.CreatedAt, other)
	k.nobody(kit.Epoch, "while the leases hold after opening again")
	k.takesUp("process-2", held.LeaseUntil, held)
	k.hasReport(k.saveReport(endedReport(other, ports.ReportFailed)), "an end after opening again")
}
