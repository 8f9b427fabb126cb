package portstest

import (
	"fmt"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// reportClaimChecks: who works at what (I22).
var reportClaimChecks = []storeCheck{
	{"a claim gives the report with its lease, and stores it so", claimWhole},
	{"a store without a report to take up has none", claimNone},
	{"the report that was created first is claimed first", claimOrder},
	{"a report is not claimed while its lease holds", claimHeld},
	{"a report whose lease has run out is claimed again, and keeps its first start", claimRunOut},
	{"a save extends a lease, and gives it back", claimExtended},
	{"a save after another claim is a conflict", claimLostLease},
	{"an ended report is never claimed (I22)", claimEnded},
	{"reports of every owner are claimed, by any holder", claimOwners},
	{"of many who claim at once each gets another report", reportClaimRacers},
	{"of many who claim one report one gets it, now and when its lease has run out", claimOneRacers},
	{"of a claim and a save at once one wins (I22)", claimAgainstSave},
}

// takeUp takes up a report.
func (k *kit) takeUp(holder string, now time.Time) ports.ReportJob {
	k.Helper()
	j, err := k.Reports.ClaimReport(k.Context(), holder, now, lease)
	k.ok(err, "ClaimReport")
	return j
}

// claimedBy is j once the holder has claimed it at now.
func claimedBy(j ports.ReportJob, holder string, now time.Time) ports.ReportJob {
	j.Version++
	j.Attempts++
	j.Holder, j.LeaseUntil = holder, now.Add(lease)
	if j.StartedAt.IsZero() {
		j.StartedAt = now
	}
	return j
}

// takesUp takes up a report, which must be want, and gives it as it is now.
func (k *kit) takesUp(holder string, now time.Time, want ports.ReportJob) ports.ReportJob {
	k.Helper()
	got := k.takeUp(holder, now)
	k.same(got.ID, want.ID, "the id of the report that was claimed")
	want = claimedBy(want, holder, now)
	k.sameReport(got, want, "a report as it was claimed")
	k.hasReport(want, "a report that was claimed")
	return want
}

// nobody checks that there is no report to take up.
func (k *kit) nobody(now time.Time, when string) {
	k.Helper()
	j, err := k.Reports.ClaimReport(k.Context(), "process-0", now, lease)
	k.code(err, errcodes.NotFound, fmt.Sprintf("ClaimReport %s, which gave %.80q", when, j.ID))
}

func claimWhole(k *kit) {
	for _, holder := range []string{"process-1", "", "proc\x00ess\xff "} {
		j := runningReport("acme\x00\xff", "of "+holder)
		j.Kind, j.Request.Name = ports.ReportUnmatched, "n\x00\xff"
		j.Rows, j.Total, j.AsOf = 5, 6, epoch.Add(-time.Millisecond)
		k.takesUp(holder, epoch.Add(time.Minute+time.Millisecond), k.saveReport(j))
	}
	j := k.saveReport(runningReport("acme", "fine"))
	got := k.takeUp("process-1", epoch.Add(999*time.Microsecond))
	k.sameReport(got, claimedBy(j, "process-1", epoch), "a report claimed at a time finer than a millisecond")
	k.hasReport(got, "a report claimed at a time finer than a millisecond")
}

func claimNone(k *kit) {
	k.nobody(epoch, "of an empty store")
	j := k.saveReport(runningReport("acme", "report-1"))
	k.takesUp("process-1", epoch, j)
	k.nobody(epoch, "when all are taken up")
}

// claimOrder saves reports whose creation is in no order of saves or ids, nor
// before the claim: any running one may be claimed.
func claimOrder(k *kit) {
	at := map[string]int{"m": 3, "b": 5, "z": 1, "a": 4, "k": 2}
	saved := map[string]ports.ReportJob{}
	for id, after := range at {
		j := runningReport("owner of "+id, id)
		j = bornAt(j, epoch.Add(time.Duration(after)*time.Millisecond))
		saved[id] = k.saveReport(j)
	}
	changed := saved["z"]
	changed.UpdatedAt = epoch.Add(time.Hour)
	saved["z"] = k.saveReport(changed)
	for _, id := range []string{"z", "k", "m", "a", "b"} {
		k.takesUp("process-1", epoch, saved[id])
	}
	k.nobody(epoch, "when all are taken up")
}

func claimHeld(k *kit) {
	first := k.takesUp("process-1", epoch, k.saveReport(runningReport("acme", "report-1")))
	second := runningReport("acme", "report-2")
	second = bornAt(second, epoch.Add(time.Millisecond))
	second = k.saveReport(second)
	k.takesUp("process-1", epoch.Add(30*time.Second), second) // its own too
	for _, now := range []time.Time{epoch, epoch.Add(-time.Hour), first.LeaseUntil.Add(-time.Millisecond)} {
		k.nobody(now, "while the leases hold")
	}
	held := runningReport("acme", "held by a save")
	held.Holder, held.LeaseUntil = "process-2", first.LeaseUntil
	k.saveReport(held)
	k.nobody(first.LeaseUntil.Add(-time.Millisecond), "while the leases hold")
	k.hasReport(first, "a report under lease")
}

func claimRunOut(k *kit) {
	j := k.takesUp("process-1", epoch, k.saveReport(runningReport("acme", "report-1")))
	for attempt := 2; attempt < 6; attempt++ {
		k.nobody(j.LeaseUntil.Add(-time.Millisecond), "before the lease has run out")
		now := j.LeaseUntil.Add(time.Duration(attempt-2) * time.Hour)
		j = k.takesUp(fmt.Sprint("process-", attempt%3), now, j)
		k.same(j.Attempts, attempt, "the attempts")
		k.same(j.StartedAt, epoch, "the first start")
	}
	older := runningReport("acme", "older")
	older = bornAt(older, epoch.Add(-time.Minute))
	older = k.saveReport(older)
	k.takesUp("process-1", j.LeaseUntil, older)
	k.takesUp("process-1", j.LeaseUntil, j)
}

func claimExtended(k *kit) {
	j := k.takesUp("process-1", epoch, k.saveReport(runningReport("acme", "report-1")))
	first := j.LeaseUntil
	j.LeaseUntil, j.Rows, j.UpdatedAt = first.Add(time.Minute), 100, epoch.Add(time.Second)
	j = k.saveReport(j)
	k.hasReport(j, "a report whose lease was extended")
	k.nobody(first, "at the end of the first lease")
	k.nobody(j.LeaseUntil.Add(-time.Millisecond), "before the end of the extended lease")
	j = k.takesUp("process-2", j.LeaseUntil, j)

	j.LeaseUntil = time.Time{}
	j = k.saveReport(j)
	k.takesUp("process-3", epoch, j) // given back: at once
}

func claimLostLease(k *kit) {
	mine := k.takesUp("process-1", epoch, k.saveReport(runningReport("acme", "report-1")))
	theirs := k.takesUp("process-2", mine.LeaseUntil, mine)
	beat := mine
	beat.LeaseUntil, beat.Rows = theirs.LeaseUntil.Add(time.Hour), 100
	k.refusedReport(beat, "a heartbeat after another claim")
	for _, status := range reportEnds {
		k.refusedReport(endedReport(mine, status), "an end after another claim")
	}
	k.hasReport(theirs, "a report that another process has")
	again := k.takesUp("process-1", theirs.LeaseUntil, theirs)
	k.refusedReport(beat, "a heartbeat of an attempt before, by the same holder")
	k.hasReport(k.saveReport(endedReport(again, ports.ReportCompleted)), "the end by who has it")
}

func claimEnded(k *kit) {
	for _, status := range reportEnds {
		k.saveReport(endedReport(runningReport("acme", "at once "+string(status)), status))
		j := endedReport(k.takesUp("process-1", epoch, k.saveReport(runningReport("acme", "held "+string(status)))), status)
		j.LeaseUntil = epoch.Add(lease) // a store may not look at it
		k.saveReport(j)
		free := k.saveReport(runningReport("acme", "free "+string(status)))
		k.saveReport(endedReport(free, status))
	}
	for _, now := range []time.Time{epoch, epoch.Add(lease), epoch.AddDate(1, 0, 0)} {
		k.nobody(now, "when all have ended")
	}
}

func claimOwners(k *kit) {
	for i, owner := range distinct {
		j := runningReport(owner, fmt.Sprint("report-", i))
		j = bornAt(j, epoch.Add(time.Duration(i)*time.Millisecond))
		k.takesUp(distinct[len(distinct)-1-i], epoch, k.saveReport(j))
	}
	k.nobody(epoch, "when all are taken up")
}

// claimsAtOnce has racers claim, and gives who got which report.
func (k *kit) claimsAtOnce(now time.Time) map[string]ports.ReportJob {
	k.Helper()
	got := make([]ports.ReportJob, racers)
	errs := race(racers, func(i int) (err error) {
		got[i], err = k.Reports.ClaimReport(k.Context(), fmt.Sprint("process-", i), now, lease)
		return err
	})
	claimed := map[string]ports.ReportJob{}
	for i, err := range errs {
		if err != nil {
			k.code(err, errcodes.NotFound, "ClaimReport in a race")
			continue
		}
		if other, twice := claimed[got[i].ID]; twice {
			k.Fatalf("%s and %s both got %q", other.Holder, got[i].Holder, got[i].ID)
		}
		claimed[got[i].ID] = got[i]
		k.same(got[i].Holder, fmt.Sprint("process-", i), "the holder of what a racer got")
	}
	return claimed
}

func reportClaimRacers(k *kit) {
	for _, n := range []int{racers, racers / 2} {
		saved := map[string]ports.ReportJob{}
		for i := range n {
			j := k.saveReport(runningReport(fmt.Sprint("owner-", i%3), fmt.Sprint("report-", n, "-", i)))
			saved[j.ID] = j
		}
		claimed := k.claimsAtOnce(epoch)
		k.same(len(claimed), n, "the number of reports that were claimed")
		for id, got := range claimed {
			want := claimedBy(saved[id], got.Holder, epoch)
			k.sameReport(got, want, "a report as it was claimed in a race")
			k.hasReport(want, "a report that was claimed in a race")
		}
		k.nobody(epoch, "after a race")
	}
}

func claimOneRacers(k *kit) {
	j := k.saveReport(runningReport("acme", "report-1"))
	now := epoch
	for range 8 {
		claimed := k.claimsAtOnce(now)
		k.same(len(claimed), 1, "the number of racers that got the one report")
		j = claimedBy(j, claimed[j.ID].Holder, now)
		k.hasReport(j, "a report that was claimed in a race")
		now = j.LeaseUntil
	}
}

// claimAgainstSave ends a report that nobody has while others claim it.
func claimAgainstSave(k *kit) {
	for round := range racers {
		j := k.saveReport(runningReport("acme", fmt.Sprint("report-", round)))
		end := endedReport(j, ports.ReportFailed)
		got := make([]ports.ReportJob, racers)
		errs := race(racers, func(i int) (err error) {
			if i == round {
				return k.Reports.Save(k.Context(), ports.ReportChange{Job: end})
			}
			got[i], err = k.Reports.ClaimReport(k.Context(), fmt.Sprint("process-", i), epoch, lease)
			return err
		})
		won := -1
		for i, err := range errs {
			switch {
			case err == nil && won >= 0:
				k.Fatalf("racers %d and %d both won", won, i)
			case err == nil:
				won = i
			case i == round:
				k.code(err, errcodes.Conflict, "a save that lost")
			default:
				k.code(err, errcodes.NotFound, "a claim that lost")
			}
		}
		switch won {
		case -1:
			k.Fatalf("neither the claims nor the save won")
		case round:
			end.Version++
			k.hasReport(end, "a report that the save ended")
		default:
			k.hasReport(claimedBy(j, got[won].Holder, epoch), "a report that a claim took up")
		}
	}
}
