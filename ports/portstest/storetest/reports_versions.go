package storetest

import (
	"fmt"
	"slices"
	"time"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// reportVersionChecks: compare-and-swap, and ends that are for good (I22).
var reportVersionChecks = []storeCheck{
	{"a running report may change, and each save raises the version by one", reportVersions},
	{"an id that is taken is a conflict and stores nothing", reportTaken},
	{"a stale version is a conflict and stores nothing", reportStale},
	{"a version that is yet to come is a conflict", reportFuture},
	{"a change of another owner's report is a conflict", reportStolen},
	{"an ended report never changes (I22)", reportEndedForGood},
	{"of many racers with one new id one wins", newReportRacers},
	{"of many racers at one version one wins", reportRacers},
	{"saves of different reports do not get in each other's way", reportsApart},
}

func reportVersions(k *storeKit) {
	j := runningReport("acme", "report-1")
	for version := range int64(5) {
		k.Same(j.Version, version, "the version")
		j.Rows, j.UpdatedAt = version*100, kit.Epoch.Add(time.Duration(version)*time.Second)
		j.LeaseUntil, j.Holder = j.UpdatedAt.Add(lease), "process-1"
		j = k.saveReport(j)
		k.hasReport(j, "a report that still runs")
	}
	j = k.saveReport(endedReport(j, ports.ReportCompleted))
	k.Same(j.Version, int64(6), "the version of the end")
	k.hasReport(j, "a report that has ended")
}

func reportTaken(k *storeKit) {
	running := k.saveReport(runningReport("acme", "running"))
	done := k.saveReport(endedReport(runningReport("acme", "done"), ports.ReportCompleted))
	for _, owner := range []string{"acme", "zenith"} {
		for _, taken := range []ports.ReportJob{running, done} {
			again := runningReport(owner, taken.ID)
			k.refusedReport(again, "a new report as the one that has the id was")
			again.Request.Name = "another"
			k.refusedReport(again, "a new report of a taken id")
			k.refusedReport(endedReport(again, ports.ReportFailed), "a new and ended report of a taken id")
			k.hasReport(taken, "the report that has the id")
		}
	}
	k.noReport("zenith", "running", "a new report that was refused")
	k.noReport("zenith", "done", "a new report that was refused")
}

func reportStale(k *storeKit) {
	first := k.saveReport(runningReport("acme", "report-1"))
	next := first
	next.Rows = 1
	want := k.saveReport(next)
	stale := first
	stale.Rows = 2
	k.refusedReport(stale, "a change at a stale version")
	for _, status := range reportEnds {
		k.refusedReport(endedReport(stale, status), "an end at a stale version")
	}
	k.hasReport(want, "the report after a conflict")
}

func reportFuture(k *storeKit) {
	want := k.saveReport(runningReport("acme", "report-1"))
	future := want
	future.Version++
	k.refusedReport(future, "a change at a version that is yet to come")
	k.hasReport(want, "the report after a conflict")

	none := runningReport("acme", "report-2")
	none.Version = 1
	k.refusedReport(none, "a change of a report that was never saved")
	k.refusedReport(endedReport(none, ports.ReportFailed), "an end of a report that was never saved")
	k.noReport("acme", "report-2", "a report that was never saved")
}

func reportStolen(k *storeKit) {
	want := k.saveReport(runningReport("acme", "report-1"))
	for _, owner := range []string{"zenith", "Acme", "acme ", "acme\x00", ""} {
		stolen := want
		stolen.Owner = owner
		k.refusedReport(stolen, "a change of another owner's report")
		k.refusedReport(endedReport(stolen, ports.ReportFailed), "an end of another owner's report")
		k.noReport(owner, "report-1", "another owner's id")
	}
	k.hasReport(want, "the report after a conflict")
}

// reportEndedForGood tries every change on every end.
func reportEndedForGood(k *storeKit) {
	var all []ports.ReportJob
	for _, first := range reportEnds {
		atOnce := k.saveReport(endedReport(runningReport("acme", "at once "+string(first)), first))
		later := k.saveReport(endedReport(k.saveReport(heldReport(runningReport("acme", "later "+string(first)), "process-1")), first))
		all = append(all, atOnce, later)
		for _, want := range []ports.ReportJob{atOnce, later} {
			k.refusedReport(want, "saving a report that ended as "+string(first)+" as it is")
			again := runningReport("acme", want.ID)
			again.Version = want.Version
			k.refusedReport(again, "opening a report again that ended as "+string(first))
			k.refusedReport(heldReport(again, "process-2"), "taking up a report again that ended as "+string(first))
			for _, second := range reportEnds {
				k.refusedReport(endedReport(again, second), "a second end as "+string(second)+" after "+string(first))
			}
			k.hasReport(want, "a report that ended as "+string(first))
		}
	}
	k.nobody(kit.Epoch.AddDate(1, 0, 0), "after all ended")
	slices.SortFunc(all, byReportEnd)
	k.sameReports(k.expired(kit.Epoch.AddDate(1, 0, 0), 10), all, "what has ended")
}

func newReportRacers(k *storeKit) {
	for round := range 8 {
		id := fmt.Sprint("report-", round)
		racer := func(i int) ports.ReportJob {
			j := runningReport(fmt.Sprint("owner-", i%2), id)
			j.Request.Name = fmt.Sprint("of racer ", i)
			if i%4 > 1 {
				j = endedReport(j, ports.ReportFailed)
			}
			return j
		}
		want := racer(k.winner(kit.Race(kit.Racers, func(i int) error {
			return k.Reports.Save(k.Context(), ports.ReportChange{Job: racer(i)})
		})))
		want.Version++
		k.hasReport(want, "the winner's report")
		for i := range kit.Racers {
			if loser := racer(i); loser.Owner != want.Owner {
				k.noReport(loser.Owner, id, "a racer that lost")
			}
		}
	}
}

func reportRacers(k *storeKit) {
	j := k.saveReport(runningReport("acme", "report-1"))
	for range 8 {
		racer := func(i int) ports.ReportJob {
			next := j
			next.Rows++
			next.Holder = fmt.Sprint("process-", i)
			return next
		}
		won := k.winner(kit.Race(kit.Racers, func(i int) error {
			return k.Reports.Save(k.Context(), ports.ReportChange{Job: racer(i)})
		}))
		j = racer(won)
		j.Version++
		k.hasReport(j, "the winner's change")
	}
	racer := func(i int) ports.ReportJob {
		next := endedReport(j, reportEnds[i%len(reportEnds)])
		next.Rows = int64(i)
		return next
	}
	j = racer(k.winner(kit.Race(kit.Racers, func(i int) error {
		return k.Reports.Save(k.Context(), ports.ReportChange{Job: racer(i)})
	})))
	j.Version++
	k.hasReport(j, "the winner's end")
}

func reportsApart(k *storeKit) {
	made := func(i int) ports.ReportJob {
		return runningReport(fmt.Sprint("owner-", i%3), fmt.Sprint("report-", i))
	}
	errs := kit.Race(kit.Racers, func(i int) error {
		return k.Reports.Save(k.Context(), ports.ReportChange{Job: made(i)})
	})
	for i, err := range errs {
		k.OK(err, "one of many saves of different reports")
		want := made(i)
		want.Version++
		k.hasReport(want, "one of many reports")
	}
}
