package storetest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/corridor-go/corridor/errcodes"
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
			k.Case(owner+" "+taken.ID, func() {
				again := runningReport(owner, taken.ID)
				k.refusedReport(again, "a new report as the one that has the id was")
				again.Request.Name = "another"
				k.refusedReport(again, "a new report of a taken id")
				k.refusedReport(endedReport(again, ports.ReportFailed), "a new and ended report of a taken id")
				k.hasReport(taken, "the report that has the id")
			})
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
		k.Case(string(status), func() {
			k.refusedReport(endedReport(stale, status), "an end at a stale version")
		})
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
		k.Case(kit.Name(owner), func() {
			stolen := want
			stolen.Owner = owner
			k.refusedReport(stolen, "a change of another owner's report")
			k.refusedReport(endedReport(stolen, ports.ReportFailed), "an end of another owner's report")
			k.noReport(owner, "report-1", "another owner's id")
		})
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
			k.Case(want.ID, func() {
				k.refusedReport(want, "saving a report that ended as "+string(first)+" as it is")
				again := runningReport("acme", want.ID)
				again.Version = want.Version
				k.refusedReport(again, "opening a report again that ended as "+string(first))
				k.refusedReport(heldReport(again, "process-2"), "taking up a report again that ended as "+string(first))
				for _, second := range reportEnds {
					k.Case("then "+string(second), func() {
						k.refusedReport(endedReport(again, second), "a second end as "+string(second)+" after "+string(first))
					})
				}
				k.hasReport(want, "a report that ended as "+string(first))
			})
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

// reportExpiryChecks: what goes, and what stays.
var reportExpiryChecks = []storeCheck{
	{"ExpiredReports lists what has ended by the instant, of every owner", expiredOfAll},
	{"ExpiredReports is ordered by the end, then id", expiredOrder},
	{"ExpiredReports leaves out what runs, however old", expiredRunning},
	{"ExpiredReports lists the first ones up to its limit, which is 1 to 1,000", expiredBounds},
	{"a listed report has every field", expiredWhole},
	{"a removed report is unknown from then on", reportRemoved},
	{"a report that runs is not removed", runningNotRemoved},
	{"removing what is unknown, or another owner's, is no error and changes nothing", unknownRemoved},
	{"many may remove the same reports at once", removeRacers},
}

func byReportEnd(a, b ports.ReportJob) int {
	return cmp.Or(a.EndedAt.Compare(b.EndedAt), strings.Compare(a.ID, b.ID))
}

// expired lists what has ended by the instant.
func (k *storeKit) expired(before time.Time, limit int) []ports.ReportJob {
	k.Helper()
	page, err := k.Reports.ExpiredReports(k.Context(), before, limit)
	k.OK(err, "ExpiredReports")
	return page
}

func (k *storeKit) removeReport(owner, id string) {
	k.Helper()
	k.OK(k.Reports.RemoveReport(k.Context(), owner, id), "RemoveReport")
}

// endsAt saves a report that ended at the instant.
func (k *storeKit) endsAt(owner, id string, at time.Time) ports.ReportJob {
	k.Helper()
	j := runningReport(owner, id)
	j = bornAt(j, at.Add(-time.Hour))
	return k.saveReport(endedReport(j, reportEnds[len(id)%len(reportEnds)]))
}

func expiredOfAll(k *storeKit) {
	k.sameReports(k.expired(kit.Epoch, 10), nil, "ExpiredReports of an empty store")
	var want []ports.ReportJob
	for i, owner := range []string{"acme", "zenith", "acme", "Acme"} {
		want = append(want, k.endsAt(owner, fmt.Sprint("report-", i), kit.Epoch.Add(time.Duration(i/2)*time.Millisecond)))
	}
	far := k.endsAt("acme", "far", kit.Epoch.AddDate(2, 0, 0))
	old := k.endsAt("acme", "old", time.Date(1969, 12, 31, 23, 59, 59, int(time.Millisecond), time.UTC))
	want = append([]ports.ReportJob{old}, want...)
	k.sameReports(k.expired(old.EndedAt.Add(-time.Millisecond), 10), nil, "ExpiredReports before the first end")
	k.sameReports(k.expired(old.EndedAt, 10), want[:1], "ExpiredReports at the first end")
	k.sameReports(k.expired(kit.Epoch.Add(-time.Millisecond), 10), want[:1], "ExpiredReports before an end")
	k.sameReports(k.expired(kit.Epoch, 10), want[:3], "ExpiredReports at the instant of an end")
	k.sameReports(k.expired(kit.Epoch.Add(999*time.Microsecond), 10), want[:3], "ExpiredReports below a millisecond later")
	k.sameReports(k.expired(kit.Epoch.Add(time.Millisecond), 10), want, "ExpiredReports a millisecond later")
	k.sameReports(k.expired(far.EndedAt, 10), append(want, far), "ExpiredReports of all")
}

func expiredOrder(k *storeKit) {
	for i, id := range mixedIDs {
		j := runningReport("owner of "+id, id)
		j = bornAt(j, kit.Epoch.AddDate(0, 0, i-10)) // in another order
		j = endedReport(j, ports.ReportFailed)
		j.EndedAt = mixed(i)
		k.saveReport(j)
	}
	k.Same(reportIDs(k.expired(kit.Epoch, 10)), mixedOrder, "ExpiredReports")
	for _, id := range kit.Distinct {
		if id != "" {
			k.endsAt("acme", id, kit.Epoch.AddDate(1, 0, 0))
		}
	}
	want := slices.DeleteFunc(slices.Sorted(slices.Values(kit.Distinct)), func(id string) bool { return id == "" })
	got := k.expired(kit.Epoch.AddDate(1, 0, 0), 100)
	k.Same(reportIDs(got[len(mixedOrder):]), want, "ids of one end, in the order of their bytes")
}

func expiredRunning(k *storeKit) {
	j := runningReport("acme", "report-1")
	j = bornAt(j, kit.Epoch.AddDate(-1, 0, 0))
	j = k.saveReport(heldReport(k.saveReport(j), "process-1"))
	late := kit.Epoch.AddDate(1, 0, 0)
	k.sameReports(k.expired(late, 10), nil, "ExpiredReports while the report runs")
	j = k.takesUp("process-2", kit.Epoch.AddDate(0, 1, 0), j)
	k.sameReports(k.expired(late, 10), nil, "ExpiredReports while the report runs")
	j = k.saveReport(endedReport(j, ports.ReportFailed))
	k.sameReports(k.expired(late, 10), []ports.ReportJob{j}, "ExpiredReports after the end")
}

func expiredBounds(k *storeKit) {
	var want []ports.ReportJob
	for i := range 5 {
		want = append(want, k.endsAt("acme", fmt.Sprint("report-", i), kit.Epoch.Add(time.Duration(i)*time.Millisecond)))
	}
	late := kit.Epoch.AddDate(1, 0, 0)
	for _, limit := range []int{1, 2, 4, 5, 6, 1_000} {
		k.Case(fmt.Sprint("limit ", limit), func() {
			k.sameReports(k.expired(late, limit), want[:min(limit, len(want))], fmt.Sprint("ExpiredReports with a limit of ", limit))
		})
	}
	k.Passed()
	call := func(limit int) error {
		_, err := k.Reports.ExpiredReports(k.Context(), late, limit)
		return err
	}
	k.invalid(map[string]error{"a limit of 0": call(0), "a limit below 0": call(-1), "a limit of 1,001": call(1_001)})
}

func expiredWhole(k *storeKit) {
	first := endedReport(heldReport(runningReport("acme\x00\xff", "report-1"), "process-1"), ports.ReportCompleted)
	first.Kind, first.Request.Columns = ports.ReportUnmatched, listTexts
	first = k.saveReport(first)
	second := k.saveReport(endedReport(k.takeUp("process-1", k.saveReport(runningReport("acme", "report-2")).CreatedAt), ports.ReportFailed))
	k.sameReports(k.expired(first.EndedAt, 10), []ports.ReportJob{first, second}, "ExpiredReports")
}

func reportRemoved(k *storeKit) {
	change := queuedReport(endedReport(runningReport("acme", "report-1"), ports.ReportCompleted))
	k.OK(k.Reports.Save(k.Context(), change), "Save")
	gone, stays := change.Job, k.endsAt("acme", "report-2", kit.Epoch)
	gone.Version++
	k.removeReport("acme", "report-1")
	k.noReport("acme", "report-1", "a removed report")
	k.sameReports(k.expired(kit.Epoch.AddDate(1, 0, 0), 10), []ports.ReportJob{stays}, "ExpiredReports after a removal")
	k.queuedOnce() // what is on its way still arrives
	k.refusedReport(gone, "a change of a removed report")
	open := runningReport("acme", "report-1")
	open.Version = gone.Version
	k.refusedReport(open, "opening a removed report")
	k.removeReport("acme", "report-1")
	k.hasReport(stays, "another report")
	k.nobody(kit.Epoch, "after a removal")
}

func runningNotRemoved(k *storeKit) {
	refused := func(j ports.ReportJob, what string) {
		k.Helper()
		k.Code(k.Reports.RemoveReport(k.Context(), j.Owner, j.ID), errcodes.Conflict, "RemoveReport of "+what)
		k.hasReport(j, what)
	}
	j := k.saveReport(runningReport("acme", "report-1"))
	refused(j, "a report that nobody has taken up")
	j = k.takesUp("process-1", kit.Epoch, j)
	refused(j, "a report that a process works at")
	j = k.saveReport(endedReport(j, ports.ReportCompleted))
	k.removeReport(j.Owner, j.ID)
	k.noReport(j.Owner, j.ID, "a removed report")
}

func unknownRemoved(k *storeKit) {
	k.removeReport("acme", "report-1")
	ended, running := k.endsAt("acme", "ended", kit.Epoch), k.saveReport(runningReport("acme", "running"))
	for _, owner := range []string{"zenith", "", "Acme", "acme ", "acme\x00"} {
		k.removeReport(owner, "ended")
		k.removeReport(owner, "running")
	}
	for _, id := range []string{"", "Ended", "ended ", "ended\x00", "%", "_nded", "running "} {
		k.removeReport("acme", id)
	}
	k.hasReport(ended, "an ended report")
	k.hasReport(running, "a running report")
	k.sameReports(k.expired(kit.Epoch, 10), []ports.ReportJob{ended}, "ExpiredReports")
	k.takesUp("process-1", kit.Epoch, running)
}

func removeRacers(k *storeKit) {
	for i := range kit.Racers {
		k.endsAt("acme", fmt.Sprint("report-", i), kit.Epoch)
	}
	page := k.expired(kit.Epoch, kit.Racers)
	k.Same(len(page), kit.Racers, "the number of ended reports")
	for _, err := range kit.Race(kit.Racers, func(i int) error {
		for n := range page {
			j := page[(n+i)%len(page)]
			if err := k.Reports.RemoveReport(k.Context(), j.Owner, j.ID); err != nil {
				return err
			}
		}
		return nil
	}) {
		k.OK(err, "RemoveReport in a race")
	}
	k.sameReports(k.expired(kit.Epoch, 10), nil, "ExpiredReports after a race")
}
