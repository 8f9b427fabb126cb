package storetest_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
)

const (
	reportVersions = "a running report may change, and each save raises the version by one"
	reportStolen   = "a change of another owner's report is a conflict"
	reportForGood  = "an ended report never changes (I22)"
	newRacers      = "of many concurrent saves of one new id one succeeds"
	versionRacers  = "of many concurrent saves at one version one succeeds"
)

type refusedReport = func(save func(ports.ReportChange) error, c ports.ReportChange, now ports.ReportJob, known bool) error

// onRefusedReport calls fn after a change was rejected as a conflict, with the
// change and the last job saved or claimed under its id.
func onRefusedReport(fn refusedReport) func(b *bundle) {
	return func(b *bundle) {
		var mu sync.Mutex
		last := map[string]ports.ReportJob{}
		onClaimed(func(j *ports.ReportJob) {
			mu.Lock()
			defer mu.Unlock()
			last[j.ID] = *j
		})(b)
		savesReports(func(ctx context.Context, save saveReportFunc, c ports.ReportChange) error {
			mu.Lock()
			defer mu.Unlock()
			err := save(ctx, c)
			if err == nil {
				now := c.Job
				now.Version++
				last[now.ID] = now
			}
			if errcodes.Of(err) != errcodes.Conflict {
				return err
			}
			now, known := last[c.Job.ID]
			return fn(func(c ports.ReportChange) error { return save(ctx, c) }, c, now, known)
		})(b)
	}
}

// passesReports ignores the conflicts for which when is true.
func passesReports(when func(j, now ports.ReportJob, known bool) bool) func(b *bundle) {
	return onRefusedReport(func(_ func(ports.ReportChange) error, c ports.ReportChange, now ports.ReportJob, known bool) error {
		if when(c.Job, now, known) {
			return nil
		}
		return errcodes.New(errcodes.Conflict, "")
	})
}

// leaksReport stores the events and work of a rejected change.
func leaksReport(part func(c ports.ReportChange) ports.ReportChange) func(b *bundle) {
	n := 0
	return onRefusedReport(func(save func(ports.ReportChange) error, c ports.ReportChange, _ ports.ReportJob, _ bool) error {
		n++
		stray := part(c)
		stray.Job = ports.ReportJob{ID: fmt.Sprint("leak-", n), Status: ports.ReportFailed}
		if err := save(stray); err != nil {
			return err
		}
		return errcodes.New(errcodes.Conflict, "")
	})
}

func reportsEvents(c ports.ReportChange) ports.ReportChange {
	return ports.ReportChange{Events: c.Events}
}
func reportsWork(c ports.ReportChange) ports.ReportChange { return ports.ReportChange{Work: c.Work} }

// keepsRefusedReport returns a conflict and then the rejected job.
func keepsRefusedReport(b *bundle) {
	stored := map[string]ports.ReportJob{}
	onRefusedReport(func(_ func(ports.ReportChange) error, c ports.ReportChange, _ ports.ReportJob, _ bool) error {
		stored[c.Job.ID] = c.Job
		return errcodes.New(errcodes.Conflict, "")
	})(b)
	onReport(b, func(j *ports.ReportJob) {
		if other, ok := stored[j.ID]; ok {
			*j = other
		}
	})
}

func recodesReports(from, to errcodes.Code) func(b *bundle) {
	return savesReports(func(ctx context.Context, save saveReportFunc, c ports.ReportChange) error {
		return broken.Recode(save(ctx, c), from, to)
	})
}

// refusesReports returns a conflict for the changes for which when is true.
func refusesReports(when func(c ports.ReportChange) bool) func(b *bundle) {
	return savesReports(func(ctx context.Context, save saveReportFunc, c ports.ReportChange) error {
		if when(c) {
			return errcodes.New(errcodes.Conflict, "")
		}
		return save(ctx, c)
	})
}

// reopensReports accepts a change of a job that ended with the status.
func reopensReports(status, to ports.ReportStatus) func(b *bundle) {
	return passesReports(func(j, now ports.ReportJob, _ bool) bool {
		return j.Version == now.Version && now.Status == status && j.Status == to
	})
}

var reportVersionFlaws = []flawedStore{
	{"counts versions by two", reportVersions, eachReport(func(j *ports.ReportJob) { j.Version *= 2 })},
	{"rejects changes of a running report other than its end", reportVersions, refusesReports(func(c ports.ReportChange) bool {
		return c.Job.Version > 0 && !c.Job.Status.Terminal()
	})},
	{"keeps the first rows", reportVersions, func(b *bundle) {
		first := map[string]int64{}
		onSaveReport(func(c *ports.ReportChange) {
			if c.Job.Version == 0 {
				first[c.Job.ID] = c.Job.Rows
			}
		})(b)
		onReport(b, func(j *ports.ReportJob) { j.Rows = first[j.ID] })
	}},
	{"accepts a used id of the same owner", validationTaken, passesReports(func(j, now ports.ReportJob, known bool) bool {
		return known && j.Version == 0 && j.Owner == now.Owner
	})},
	{"accepts a used id of another owner", validationTaken, passesReports(func(j, now ports.ReportJob, known bool) bool {
		return known && j.Version == 0 && j.Owner != now.Owner
	})},
	{"accepts the id of an ended report", validationTaken, passesReports(func(j, now ports.ReportJob, known bool) bool {
		return known && j.Version == 0 && now.Status.Terminal()
	})},
	{"stores a new report with a used id", validationTaken, keepsRefusedReport},
	{"stores the events of a used id", validationTaken, leaksReport(reportsEvents)},
	{"loses the version check", stale, passesReports(func(j, now ports.ReportJob, _ bool) bool { return j.Version > 0 && j.Version < now.Version })},
	{"loses the version check of an end", stale, passesReports(func(j, now ports.ReportJob, _ bool) bool {
		return j.Version < now.Version && j.Status == ports.ReportFailed
	})},
	{"stores a stale report", stale, keepsRefusedReport},
	{"stores the events of a stale change", stale, leaksReport(reportsEvents)},
	{"stores the work of a stale change", stale, leaksReport(reportsWork)},
	{"calls a conflict internal", stale, recodesReports(errcodes.Conflict, errcodes.Internal)},
	{"rejects only older versions", validationFuture, passesReports(func(j, now ports.ReportJob, known bool) bool { return known && j.Version > now.Version })},
	{"creates at any version", validationFuture, passesReports(func(_, _ ports.ReportJob, known bool) bool { return !known })},
	{"reports changes of unknown records as not found", validationFuture, recodesReports(errcodes.Conflict, errcodes.NotFound)},
	{"lets every owner change a report", reportStolen, passesReports(func(j, now ports.ReportJob, _ bool) bool { return j.Version > 0 && j.Owner != now.Owner })},
	{"reopens completed reports", reportForGood, reopensReports(ports.ReportCompleted, ports.ReportRunning)},
	{"reopens failures", reportForGood, reopensReports(ports.ReportFailed, ports.ReportRunning)},
	{"changes a failure to a success", reportForGood, reopensReports(ports.ReportFailed, ports.ReportCompleted)},
	{"changes a success to a failure", reportForGood, reopensReports(ports.ReportCompleted, ports.ReportFailed)},
	{"accepts the same end again", reportForGood, reopensReports(ports.ReportCompleted, ports.ReportCompleted)},
	{"stores another end", reportForGood, keepsRefusedReport},
	{"stores the events of another end", reportForGood, leaksReport(reportsEvents)},
	{"lets every concurrent save create a report", newRacers, passesReports(func(j, _ ports.ReportJob, _ bool) bool { return j.Version == 0 })},
	{"stores the last concurrent report", newRacers, keepsRefusedReport},
	{"accepts every concurrent change of a report", versionRacers, passesReports(func(j, _ ports.ReportJob, _ bool) bool { return !j.Status.Terminal() })},
	{"accepts every concurrent end of a report", versionRacers, passesReports(func(j, _ ports.ReportJob, _ bool) bool { return j.Status.Terminal() })},
	{"returns some unexpected errors", "saves of different reports do not conflict", func(b *bundle) {
		var n atomic.Int32
		savesReports(func(ctx context.Context, save saveReportFunc, c ports.ReportChange) error {
			if n.Add(1)%4 == 0 {
				return errcodes.New(errcodes.StorageUnavailable, "busy")
			}
			return save(ctx, c)
		})(b)
	}},
}

var reportQueueFlaws = []flawedStore{
	{"forgets the events", validationEvents, onSaveReport(func(c *ports.ReportChange) { c.Events = nil })},
	{"forgets the events of a heartbeat", validationEvents, onSaveReport(func(c *ports.ReportChange) {
		if c.Job.Version > 0 && !c.Job.Status.Terminal() {
			c.Events = nil
		}
	})},
	{"forgets the events of an end", validationEvents, onSaveReport(func(c *ports.ReportChange) {
		if c.Job.Status.Terminal() {
			c.Events = nil
		}
	})},
	{"stores one event of a change", validationEvents, onSaveReport(func(c *ports.ReportChange) { c.Events = c.Events[:min(len(c.Events), 1)] })},
	{"loses the order of a key", validationEvents, onSaveReport(func(c *ports.ReportChange) {
		for i := range c.Events {
			c.Events[i].Key = c.Events[i].ID
		}
	})},
	{"forgets the work", validationWork, onSaveReport(func(c *ports.ReportChange) { c.Work = nil })},
	{"forgets when work is due", validationWork, onSaveReport(func(c *ports.ReportChange) {
		for i := range c.Work {
			c.Work[i].DueAt = c.Job.CreatedAt
		}
	})},
	{"stores the events of every concurrent save", racersQueue, leaksReport(reportsEvents)},
	{"stores the work of every concurrent save", racersQueue, leaksReport(reportsWork)},
	{"stores a repeated event once", queuedTwice, onSaveReport(func(c *ports.ReportChange) { c.Events = once(c.Events, eventID) })},
	{"stores a repeated item once", queuedTwice, onSaveReport(func(c *ports.ReportChange) { c.Work = once(c.Work, itemID) })},
}
