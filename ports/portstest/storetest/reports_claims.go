package storetest

import (
	"fmt"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// reportClaimChecks check which process works on which report (I22).
var reportClaimChecks = []storeCheck{
	{"a claim returns the report with its lease and stores it", func(k *storeKit) {
		for _, holder := range []string{"process-1", "", "proc\x00ess\xff "} {
			j := runningReport("acme\x00\xff", "of "+holder)
			j.Kind, j.Request.Name = ports.ReportUnmatched, "n\x00\xff"
			j.Rows, j.Total, j.AsOf = 5, 6, kit.Epoch.Add(-time.Millisecond)
			k.takesUp(holder, kit.Epoch.Add(time.Minute+time.Millisecond), reports.save(k, j))
		}
		j := reports.save(k, runningReport("acme", "fine"))
		got := k.takeUp("process-1", kit.Epoch.Add(999*time.Microsecond))
		reports.same(k, got, claimedBy(j, "process-1", kit.Epoch), "a report claimed at a time finer than a millisecond")
		reports.has(k, got, "a report claimed at a time finer than a millisecond")
	}},
	{"ClaimReport returns NotFound if no report can be claimed", func(k *storeKit) {
		k.nobody(kit.Epoch, "of an empty store")
		j := reports.save(k, runningReport("acme", "report-1"))
		k.takesUp("process-1", kit.Epoch, j)
		k.nobody(kit.Epoch, "when all are claimed")
	}},
	{"the oldest report is claimed first", claimOrder},
	{"a report is not claimed while its lease holds", func(k *storeKit) {
		first := k.takesUp("process-1", kit.Epoch, reports.save(k, runningReport("acme", "report-1")))
		second := reports.save(k, bornAt(runningReport("acme", "report-2"), kit.Epoch.Add(time.Millisecond)))
		k.takesUp("process-1", kit.Epoch.Add(30*time.Second), second) // the holder's own report too
		for _, now := range []time.Time{kit.Epoch, kit.Epoch.Add(-time.Hour), first.LeaseUntil.Add(-time.Millisecond)} {
			k.nobody(now, "while the leases last")
		}
		held := runningReport("acme", "held by a save")
		held.Holder, held.LeaseUntil = "process-2", first.LeaseUntil
		reports.save(k, held)
		k.nobody(first.LeaseUntil.Add(-time.Millisecond), "while the leases last")
		reports.has(k, first, "a report under lease")
	}},
	{"a report whose lease has ended is claimed again and keeps its first start", func(k *storeKit) {
		j := k.takesUp("process-1", kit.Epoch, reports.save(k, runningReport("acme", "report-1")))
		for attempt := 2; attempt < 6; attempt++ {
			k.nobody(j.LeaseUntil.Add(-time.Millisecond), "before the lease has ended")
			now := j.LeaseUntil.Add(time.Duration(attempt-2) * time.Hour)
			j = k.takesUp(fmt.Sprint("process-", attempt%3), now, j)
			k.Same(j.Attempts, attempt, "the attempts")
			k.Same(j.StartedAt, kit.Epoch, "the first start")
		}
		older := reports.save(k, bornAt(runningReport("acme", "older"), kit.Epoch.Add(-time.Minute)))
		k.takesUp("process-1", j.LeaseUntil, older)
		k.takesUp("process-1", j.LeaseUntil, j)
	}},
	{"a save can extend and release a lease", func(k *storeKit) {
		j := k.takesUp("process-1", kit.Epoch, reports.save(k, runningReport("acme", "report-1")))
		first := j.LeaseUntil
		j.LeaseUntil, j.Rows, j.UpdatedAt = first.Add(time.Minute), 100, kit.Epoch.Add(time.Second)
		j = reports.keeps(k, j, "a report whose lease was extended")
		k.nobody(first, "at the end of the first lease")
		k.nobody(j.LeaseUntil.Add(-time.Millisecond), "before the end of the extended lease")
		j = k.takesUp("process-2", j.LeaseUntil, j)

		j.LeaseUntil = time.Time{}
		j = reports.save(k, j)
		k.takesUp("process-3", kit.Epoch, j) // released, so immediately
	}},
	{"a save after another claim is a conflict", func(k *storeKit) {
		mine := k.takesUp("process-1", kit.Epoch, reports.save(k, runningReport("acme", "report-1")))
		theirs := k.takesUp("process-2", mine.LeaseUntil, mine)
		beat := mine
		beat.LeaseUntil, beat.Rows = theirs.LeaseUntil.Add(time.Hour), 100
		reports.rejected(k, beat, "a heartbeat after another claim")
		for _, status := range reportEnds {
			reports.rejected(k, endedReport(mine, status), "an end after another claim")
		}
		reports.has(k, theirs, "a report that another process has claimed")
		again := k.takesUp("process-1", theirs.LeaseUntil, theirs)
		reports.rejected(k, beat, "a heartbeat of an earlier attempt of the same holder")
		reports.keeps(k, endedReport(again, ports.ReportCompleted), "an end by the current holder")
	}},
	{"an ended report is never claimed (I22)", func(k *storeKit) {
		for _, status := range reportEnds {
			reports.save(k, endedReport(runningReport("acme", "at once "+string(status)), status))
			j := endedReport(k.takesUp("process-1", kit.Epoch, reports.save(k, runningReport("acme", "held "+string(status)))), status)
			j.LeaseUntil = kit.Epoch.Add(lease) // which the store must ignore
			reports.save(k, j)
			free := reports.save(k, runningReport("acme", "free "+string(status)))
			reports.save(k, endedReport(free, status))
		}
		for _, now := range []time.Time{kit.Epoch, kit.Epoch.Add(lease), kit.Epoch.AddDate(1, 0, 0)} {
			k.nobody(now, "when all have ended")
		}
	}},
	{"reports of every owner are claimed, by any holder", func(k *storeKit) {
		for i, owner := range kit.Distinct {
			j := bornAt(runningReport(owner, fmt.Sprint("report-", i)), kit.Epoch.Add(time.Duration(i)*time.Millisecond))
			k.takesUp(kit.Distinct[len(kit.Distinct)-1-i], kit.Epoch, reports.save(k, j))
		}
		k.nobody(kit.Epoch, "when all are claimed")
	}},
	{"concurrent claims return different reports", reportClaimRacers},
	{"of many concurrent claims of one report one succeeds, also after its lease has ended", func(k *storeKit) {
		j := reports.save(k, runningReport("acme", "report-1"))
		now := kit.Epoch
		for range 8 {
			claimed := k.claimsAtOnce(now)
			k.Same(len(claimed), 1, "the number of claims that returned the one report")
			j = claimedBy(j, claimed[j.ID].Holder, now)
			reports.has(k, j, "a report claimed in a race")
			now = j.LeaseUntil
		}
	}},
	{"of a concurrent claim and save one succeeds (I22)", claimAgainstSave},
}

func (k *storeKit) takeUp(holder string, now time.Time) ports.ReportJob {
	return kit.Got(k.Reports.ClaimReport(k.Context(), holder, now, lease)).OK(k, "ClaimReport")
}

// claimedBy returns j as claimed by the holder at now.
func claimedBy(j ports.ReportJob, holder string, now time.Time) ports.ReportJob {
	j.Version++
	j.Attempts++
	j.Holder, j.LeaseUntil = holder, now.Add(lease)
	if j.StartedAt.IsZero() {
		j.StartedAt = now
	}
	return j
}

// takesUp claims a report, which must be want, and returns it as it is now.
func (k *storeKit) takesUp(holder string, now time.Time, want ports.ReportJob) ports.ReportJob {
	got := k.takeUp(holder, now)
	k.Same(got.ID, want.ID, "the id of the claimed report")
	want = claimedBy(want, holder, now)
	reports.same(k, got, want, "the claimed report")
	reports.has(k, want, "a claimed report")
	return want
}

func (k *storeKit) nobody(now time.Time, when string) {
	j, err := k.Reports.ClaimReport(k.Context(), "process-0", now, lease)
	k.Code(err, errcodes.NotFound, fmt.Sprintf("ClaimReport %s, which returned %.80q", when, j.ID))
}

// claimOrder saves reports whose order of creation is neither that of the saves nor
// that of the ids. They are created after the time of the claim, which must not matter.
func claimOrder(k *storeKit) {
	at := map[string]int{"m": 3, "b": 5, "z": 1, "a": 4, "k": 2}
	saved := map[string]ports.ReportJob{}
	for id, after := range at {
		j := bornAt(runningReport("owner of "+id, id), kit.Epoch.Add(time.Duration(after)*time.Millisecond))
		saved[id] = reports.save(k, j)
	}
	changed := saved["z"]
	changed.UpdatedAt = kit.Epoch.Add(time.Hour)
	saved["z"] = reports.save(k, changed)
	for _, id := range []string{"z", "k", "m", "a", "b"} {
		k.takesUp("process-1", kit.Epoch, saved[id])
	}
	k.nobody(kit.Epoch, "when all are claimed")
}

func (k *storeKit) claimsAtOnce(now time.Time) map[string]ports.ReportJob {
	got := make([]ports.ReportJob, kit.Racers)
	errs := kit.Race(kit.Racers, func(i int) (err error) {
		got[i], err = k.Reports.ClaimReport(k.Context(), fmt.Sprint("process-", i), now, lease)
		return err
	})
	claimed := map[string]ports.ReportJob{}
	for i, err := range errs {
		if err != nil {
			k.Code(err, errcodes.NotFound, "a concurrent ClaimReport")
			continue
		}
		if other, twice := claimed[got[i].ID]; twice {
			k.Fatalf("%s and %s both claimed %q", other.Holder, got[i].Holder, got[i].ID)
		}
		claimed[got[i].ID] = got[i]
		k.Same(got[i].Holder, fmt.Sprint("process-", i), "the holder of the claimed report")
	}
	return claimed
}

func reportClaimRacers(k *storeKit) {
	for _, n := range []int{kit.Racers, kit.Racers / 2} {
		saved := map[string]ports.ReportJob{}
		for i := range n {
			j := reports.save(k, runningReport(fmt.Sprint("owner-", i%3), fmt.Sprint("report-", n, "-", i)))
			saved[j.ID] = j
		}
		claimed := k.claimsAtOnce(kit.Epoch)
		k.Same(len(claimed), n, "the number of claimed reports")
		for id, got := range claimed {
			want := claimedBy(saved[id], got.Holder, kit.Epoch)
			reports.same(k, got, want, "a report claimed in a race")
			reports.has(k, want, "a report claimed in a race")
		}
		k.nobody(kit.Epoch, "after a race")
	}
}

func claimAgainstSave(k *storeKit) {
	for round := range kit.Racers {
		j := reports.save(k, runningReport("acme", fmt.Sprint("report-", round)))
		end := endedReport(j, ports.ReportFailed)
		got := make([]ports.ReportJob, kit.Racers)
		errs := kit.Race(kit.Racers, func(i int) (err error) {
			if i == round {
				return k.Reports.Save(k.Context(), ports.ReportChange{Job: end})
			}
			got[i], err = k.Reports.ClaimReport(k.Context(), fmt.Sprint("process-", i), kit.Epoch, lease)
			return err
		})
		won := -1
		for i, err := range errs {
			switch {
			case err == nil && won >= 0:
				k.Fatalf("calls %d and %d both succeeded", won, i)
			case err == nil:
				won = i
			case i == round:
				k.Code(err, errcodes.Conflict, "a concurrent save that lost")
			default:
				k.Code(err, errcodes.NotFound, "a concurrent claim that lost")
			}
		}
		switch won {
		case -1:
			k.Fatalf("neither a claim nor the save succeeded")
		case round:
			end.Version++
			reports.has(k, end, "a report that the save ended")
		default:
			reports.has(k, claimedBy(j, got[won].Holder, kit.Epoch), "a report that a claim got")
		}
	}
}
