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

// reportExpiryChecks check the end, the listing and the removal of reports.
var reportExpiryChecks = []storeCheck{
	{"an ended report never changes (I22)", func(k *storeKit) {
		all := reports.endsOnce(k)
		k.nobody(kit.Epoch.AddDate(1, 0, 0), "after all ended")
		slices.SortFunc(all, func(a, b ports.ReportJob) int {
			return cmp.Or(a.EndedAt.Compare(b.EndedAt), strings.Compare(a.ID, b.ID))
		})
		reports.sameList(k, k.expired(kit.Epoch.AddDate(1, 0, 0), 10), all, "all ended reports")
	}},
	{"ExpiredReports lists the reports of every owner that ended by the time", expiredOfAll},
	{"ExpiredReports is ordered by the end, then id", expiredOrder},
	{"ExpiredReports omits running reports, however old", func(k *storeKit) {
		j := bornAt(runningReport("acme", "report-1"), kit.Epoch.AddDate(-1, 0, 0))
		j = reports.save(k, heldReport(reports.save(k, j), "process-1"))
		late := kit.Epoch.AddDate(1, 0, 0)
		reports.sameList(k, k.expired(late, 10), nil, "ExpiredReports while the report runs")
		j = k.takesUp("process-2", kit.Epoch.AddDate(0, 1, 0), j)
		reports.sameList(k, k.expired(late, 10), nil, "ExpiredReports while the report runs")
		j = reports.save(k, endedReport(j, ports.ReportFailed))
		reports.sameList(k, k.expired(late, 10), []ports.ReportJob{j}, "ExpiredReports after the end")
	}},
	{"ExpiredReports lists the first reports up to its limit of 1 to 1,000", expiredBounds},
	{"a listed report has every field", func(k *storeKit) {
		first := endedReport(heldReport(runningReport("acme\x00\xff", "report-1"), "process-1"), ports.ReportCompleted)
		first.Kind, first.Request.Columns = ports.ReportUnmatched, listTexts
		first = reports.save(k, first)
		second := reports.save(k, endedReport(k.takeUp("process-1", reports.save(k, runningReport("acme", "report-2")).CreatedAt), ports.ReportFailed))
		reports.sameList(k, k.expired(first.EndedAt, 10), []ports.ReportJob{first, second}, "ExpiredReports")
	}},
	{"a removed report is not found", reportRemoved},
	{"a running report cannot be removed", func(k *storeKit) {
		rejected := func(j ports.ReportJob, what string) {
			k.Code(k.Reports.RemoveReport(k.Context(), j.Owner, j.ID), errcodes.Conflict, "RemoveReport of "+what)
			reports.has(k, j, what)
		}
		j := reports.save(k, runningReport("acme", "report-1"))
		rejected(j, "a report that is not claimed")
		j = k.takesUp("process-1", kit.Epoch, j)
		rejected(j, "a claimed report")
		j = reports.save(k, endedReport(j, ports.ReportCompleted))
		k.removeReport(j.Owner, j.ID)
		reports.absent(k, j.Owner, j.ID, "a removed report")
	}},
	{"removing an unknown report or another owner's changes nothing and is no error", unknownRemoved},
	{"concurrent removals of the same reports are safe", removeRacers},
}

func (k *storeKit) expired(before time.Time, limit int) []ports.ReportJob {
	return kit.Got(k.Reports.ExpiredReports(k.Context(), before, limit)).OK(k, "ExpiredReports")
}

func (k *storeKit) removeReport(owner, id string) {
	k.OK(k.Reports.RemoveReport(k.Context(), owner, id), "RemoveReport")
}

func (k *storeKit) endsAt(owner, id string, at time.Time) ports.ReportJob {
	j := bornAt(runningReport(owner, id), at.Add(-time.Hour))
	return reports.save(k, endedReport(j, reportEnds[len(id)%len(reportEnds)]))
}

func expiredOfAll(k *storeKit) {
	reports.sameList(k, k.expired(kit.Epoch, 10), nil, "ExpiredReports of an empty store")
	var want []ports.ReportJob
	for i, owner := range []string{"acme", "zenith", "acme", "Acme"} {
		want = append(want, k.endsAt(owner, fmt.Sprint("report-", i), kit.Epoch.Add(time.Duration(i/2)*time.Millisecond)))
	}
	far := k.endsAt("acme", "far", kit.Epoch.AddDate(2, 0, 0))
	old := k.endsAt("acme", "old", time.Date(1969, 12, 31, 23, 59, 59, int(time.Millisecond), time.UTC))
	want = append([]ports.ReportJob{old}, want...)
	reports.sameList(k, k.expired(old.EndedAt.Add(-time.Millisecond), 10), nil, "ExpiredReports before the first end")
	reports.sameList(k, k.expired(old.EndedAt, 10), want[:1], "ExpiredReports at the first end")
	reports.sameList(k, k.expired(kit.Epoch.Add(-time.Millisecond), 10), want[:1], "ExpiredReports before an end")
	reports.sameList(k, k.expired(kit.Epoch, 10), want[:3], "ExpiredReports at the time of an end")
	reports.sameList(k, k.expired(kit.Epoch.Add(999*time.Microsecond), 10), want[:3], "ExpiredReports less than a millisecond later")
	reports.sameList(k, k.expired(kit.Epoch.Add(time.Millisecond), 10), want, "ExpiredReports a millisecond later")
	reports.sameList(k, k.expired(far.EndedAt, 10), append(want, far), "ExpiredReports of all")
}

func expiredOrder(k *storeKit) {
	for i, id := range mixedIDs {
		j := bornAt(runningReport("owner of "+id, id), kit.Epoch.AddDate(0, 0, i-10)) // created in another order
		j = endedReport(j, ports.ReportFailed)
		j.EndedAt = mixed(i)
		reports.save(k, j)
	}
	k.Same(reports.ids(k.expired(kit.Epoch, 10)), mixedOrder, "ExpiredReports")
	for _, id := range kit.Distinct {
		if id != "" {
			k.endsAt("acme", id, kit.Epoch.AddDate(1, 0, 0))
		}
	}
	want := slices.DeleteFunc(slices.Sorted(slices.Values(kit.Distinct)), func(id string) bool { return id == "" })
	got := k.expired(kit.Epoch.AddDate(1, 0, 0), 100)
	k.Same(reports.ids(got[len(mixedOrder):]), want, "ids with the same end, in the order of their bytes")
}

func expiredBounds(k *storeKit) {
	var want []ports.ReportJob
	for i := range 5 {
		want = append(want, k.endsAt("acme", fmt.Sprint("report-", i), kit.Epoch.Add(time.Duration(i)*time.Millisecond)))
	}
	late := kit.Epoch.AddDate(1, 0, 0)
	kit.Each(k, []int{1, 2, 4, 5, 6, 1_000}, func(n int) string { return fmt.Sprint("limit ", n) }, func(limit int) {
		reports.sameList(k, k.expired(late, limit), want[:min(limit, len(want))], fmt.Sprint("ExpiredReports with a limit of ", limit))
	})
	k.Passed()
	call := func(limit int) error {
		return errOf(k.Reports.ExpiredReports(k.Context(), late, limit))
	}
	k.invalid(map[string]error{"a limit of 0": call(0), "a limit of -1": call(-1), "a limit of 1,001": call(1_001)})
}

func reportRemoved(k *storeKit) {
	gone := reports.saveAll(k, reports.queued(endedReport(runningReport("acme", "report-1"), ports.ReportCompleted), "end"))
	stays := k.endsAt("acme", "report-2", kit.Epoch)
	k.removeReport("acme", "report-1")
	reports.absent(k, "acme", "report-1", "a removed report")
	reports.sameList(k, k.expired(kit.Epoch.AddDate(1, 0, 0), 10), []ports.ReportJob{stays}, "ExpiredReports after a removal")
	k.queuedOnce() // the event and the work are kept
	reports.rejected(k, gone, "a change of a removed report")
	open := runningReport("acme", "report-1")
	open.Version = gone.Version
	reports.rejected(k, open, "opening a removed report")
	k.removeReport("acme", "report-1")
	reports.has(k, stays, "another report")
	k.nobody(kit.Epoch, "after a removal")
}

func unknownRemoved(k *storeKit) {
	k.removeReport("acme", "report-1")
	ended, running := k.endsAt("acme", "ended", kit.Epoch), reports.save(k, runningReport("acme", "running"))
	for _, owner := range []string{"zenith", "", "Acme", "acme ", "acme\x00"} {
		k.removeReport(owner, "ended")
		k.removeReport(owner, "running")
	}
	for _, id := range []string{"", "Ended", "ended ", "ended\x00", "%", "_nded", "running "} {
		k.removeReport("acme", id)
	}
	reports.has(k, ended, "an ended report")
	reports.has(k, running, "a running report")
	reports.sameList(k, k.expired(kit.Epoch, 10), []ports.ReportJob{ended}, "ExpiredReports")
	k.takesUp("process-1", kit.Epoch, running)
}

func removeRacers(k *storeKit) {
	for i := range kit.Racers {
		k.endsAt("acme", fmt.Sprint("report-", i), kit.Epoch)
	}
	page := k.expired(kit.Epoch, kit.Racers)
	k.Same(len(page), kit.Racers, "the number of ended reports")
	k.RaceOK("a concurrent RemoveReport", func(i int) error {
		for n := range page {
			j := page[(n+i)%len(page)]
			if err := k.Reports.RemoveReport(k.Context(), j.Owner, j.ID); err != nil {
				return err
			}
		}
		return nil
	})
	reports.sameList(k, k.expired(kit.Epoch, 10), nil, "ExpiredReports after a race")
}
