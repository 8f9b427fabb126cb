package storetest_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
)

const (
	claimWhole     = "a claim returns the report with its lease and stores it"
	claimNone      = "ClaimReport returns NotFound if no report can be claimed"
	claimOrder     = "the oldest report is claimed first"
	claimHeld      = "a report is not claimed while its lease holds"
	claimRunOut    = "a report whose lease has ended is claimed again and keeps its first start"
	claimExtended  = "a save can extend and release a lease"
	claimLostLease = "a save after another claim is a conflict"
	claimEnded     = "an ended report is never claimed (I22)"
	claimOwners    = "reports of every owner are claimed, by any holder"
	claimRacers    = "concurrent claims return different reports"
	claimOne       = "of many concurrent claims of one report one succeeds, also after its lease has ended"
	claimOrSave    = "of a concurrent claim and save one succeeds (I22)"
)

// epochOfFlaws is the time at which the checks begin.
var epochOfFlaws = time.Date(2026, time.March, 2, 9, 30, 15, int(987*time.Millisecond), time.UTC)

type claimReportFunc = func(ctx context.Context, holder string, now time.Time, lease time.Duration) (ports.ReportJob, error)

// claimsReports replaces ClaimReport with fn.
func claimsReports(fn func(ctx context.Context, claim claimReportFunc, holder string, now time.Time, lease time.Duration) (ports.ReportJob, error)) func(b *bundle) {
	return func(b *bundle) {
		claim := b.reports.claim
		b.reports.claim = func(ctx context.Context, holder string, now time.Time, lease time.Duration) (ports.ReportJob, error) {
			return fn(ctx, claim, holder, now, lease)
		}
	}
}

// onClaimed lets fn change what ClaimReport returns.
func onClaimed(fn func(j *ports.ReportJob)) func(b *bundle) {
	return claimsReports(func(ctx context.Context, claim claimReportFunc, holder string, now time.Time, lease time.Duration) (ports.ReportJob, error) {
		j, err := claim(ctx, holder, now, lease)
		if err == nil {
			fn(&j)
		}
		return j, err
	})
}

// claimsAt decides claims at another time, but returns the right one.
func claimsAt(by func(now time.Time) time.Duration) func(b *bundle) {
	return claimsReports(func(ctx context.Context, claim claimReportFunc, holder string, now time.Time, lease time.Duration) (ports.ReportJob, error) {
		d := by(now)
		return claim(ctx, holder, now.Add(d), lease-d)
	})
}

func always(d time.Duration) func(time.Time) time.Duration {
	return func(time.Time) time.Duration { return d }
}

// claimsBy returns jobs in another order than that of their creation, with their
// creation unchanged.
func claimsBy(rank func(j ports.ReportJob) time.Time) func(b *bundle) {
	return func(b *bundle) {
		created := map[string]time.Time{}
		onSaveReport(func(c *ports.ReportChange) {
			created[c.Job.ID] = c.Job.CreatedAt
			c.Job.CreatedAt = rank(c.Job)
		})(b)
		eachStored(func(j *ports.ReportJob) { j.CreatedAt = created[j.ID] })(b)
	}
}

// hides makes claims that return a job for which when is true return not found.
func hides(when func(j ports.ReportJob, now time.Time) bool) func(b *bundle) {
	return claimsReports(func(ctx context.Context, claim claimReportFunc, holder string, now time.Time, lease time.Duration) (ports.ReportJob, error) {
		j, err := claim(ctx, holder, now, lease)
		if err == nil && when(j, now) {
			return ports.ReportJob{}, errcodes.New(errcodes.NotFound, "")
		}
		return j, err
	})
}

// claimsInstead lets fn return another job if there is none.
func claimsInstead(fn func(holder string, now time.Time) (ports.ReportJob, bool)) func(b *bundle) {
	return claimsReports(func(ctx context.Context, claim claimReportFunc, holder string, now time.Time, lease time.Duration) (ports.ReportJob, error) {
		j, err := claim(ctx, holder, now, lease)
		if errcodes.Of(err) == errcodes.NotFound {
			if other, ok := fn(holder, now); ok {
				return other, nil
			}
		}
		return j, err
	})
}

// claimsItsOwn returns to a holder the job that it has already.
func claimsItsOwn(b *bundle) {
	held := map[string]ports.ReportJob{}
	onClaimed(func(j *ports.ReportJob) { held[j.Holder] = *j })(b)
	claimsInstead(func(_ string, _ time.Time) (ports.ReportJob, bool) {
		j, ok := held["process-1"]
		return j, ok
	})(b)
}

// claimsSaved returns, if there is no job, the last saved one that matches.
func claimsSaved(when func(j ports.ReportJob, now time.Time) bool) func(b *bundle) {
	return func(b *bundle) {
		var mu sync.Mutex
		last := map[string]ports.ReportJob{}
		onSaveReport(func(c *ports.ReportChange) {
			mu.Lock()
			defer mu.Unlock()
			last[c.Job.ID] = c.Job
		})(b)
		claimsInstead(func(holder string, now time.Time) (ports.ReportJob, bool) {
			mu.Lock()
			defer mu.Unlock()
			for _, j := range last {
				if when(j, now) {
					j.Holder = holder
					return j, true
				}
			}
			return ports.ReportJob{}, false
		})(b)
	}
}

// claimsReportTwice returns the same job to a second caller at the same time.
func claimsReportTwice(b *bundle) {
	var mu sync.Mutex
	var last ports.ReportJob
	var at time.Time
	n := 0
	claimsReports(func(ctx context.Context, claim claimReportFunc, holder string, now time.Time, lease time.Duration) (ports.ReportJob, error) {
		mu.Lock()
		defer mu.Unlock()
		if n++; n%2 == 0 && at.Equal(now) {
			j := last
			j.Holder = holder
			return j, nil
		}
		j, err := claim(ctx, holder, now, lease)
		if last, at = j, now; err != nil {
			at = time.Time{}
		}
		return j, err
	})(b)
}

// nowAndThen returns the code for every fourth claim.
func nowAndThen(code errcodes.Code) func(b *bundle) {
	var n atomic.Int32
	return claimsReports(func(ctx context.Context, claim claimReportFunc, holder string, now time.Time, lease time.Duration) (ports.ReportJob, error) {
		if n.Add(1)%4 == 0 {
			return ports.ReportJob{}, errcodes.New(code, "")
		}
		return claim(ctx, holder, now, lease)
	})
}

var reportClaimFlaws = []flawedStore{
	{"stores no holder", claimWhole, onClaimed(func(j *ports.ReportJob) { j.Holder = "" })},
	{"grants no lease", claimWhole, onClaimed(func(j *ports.ReportJob) { j.LeaseUntil = time.Time{} })},
	{"counts no attempts", claimWhole, eachStored(func(j *ports.ReportJob) { j.Attempts = 0 })},
	{"does not store the start", claimWhole, eachStored(func(j *ports.ReportJob) { j.StartedAt = time.Time{} })},
	{"returns the earlier version", claimWhole, onClaimed(func(j *ports.ReportJob) { j.Version-- })},
	{"stores the time of a claim as UpdatedAt", claimWhole, eachStored(func(j *ports.ReportJob) {
		if j.Attempts > 0 {
			j.UpdatedAt = j.StartedAt
		}
	})},
	{"resets the rows in a claim", claimWhole, onClaimed(func(j *ports.ReportJob) { j.Rows = 0 })},
	{"claims without columns", claimWhole, onClaimed(func(j *ports.ReportJob) { j.Request.Columns = nil })},
	{"claims names as text", claimWhole, onClaimed(func(j *ports.ReportJob) { j.Request.Name = strings.ToValidUTF8(j.Request.Name, "?") })},
	{"claims a report and does not store the holder", claimWhole, eachReport(func(j *ports.ReportJob) { j.Holder = "" })},
	{"keeps microseconds of a claim", claimWhole, claimsReports(func(ctx context.Context, claim claimReportFunc, holder string, now time.Time, lease time.Duration) (ports.ReportJob, error) {
		j, err := claim(ctx, holder, now, lease)
		j.StartedAt = now
		return j, err
	})},
	{"returns an empty report if there is none", claimNone, claimsInstead(func(string, time.Time) (ports.ReportJob, bool) { return ports.ReportJob{}, true })},
	{"reports no report as internal", claimNone, claimsReports(func(ctx context.Context, claim claimReportFunc, holder string, now time.Time, lease time.Duration) (ports.ReportJob, error) {
		j, err := claim(ctx, holder, now, lease)
		return j, broken.Recode(err, errcodes.NotFound, errcodes.Internal)
	})},
	{"returns claimed reports", claimNone, claimsItsOwn},
	{"claims by id", claimOrder, claimsBy(func(ports.ReportJob) time.Time { return epochOfFlaws })},
	{"claims the newest report", claimOrder, claimsBy(func(j ports.ReportJob) time.Time { return epochOfFlaws.Add(epochOfFlaws.Sub(j.CreatedAt)) })},
	{"claims by the last save", claimOrder, claimsBy(func(j ports.ReportJob) time.Time { return j.UpdatedAt.Add(j.CreatedAt.Sub(epochOfFlaws) / 1000) })},
	{"claims the report saved first", claimOrder, func(b *bundle) {
		n := 0
		claimsBy(func(ports.ReportJob) time.Time { n++; return epochOfFlaws.Add(time.Duration(n) * time.Second) })(b)
	}},
	{"does not claim reports created after now", claimOrder, hides(func(j ports.ReportJob, now time.Time) bool { return j.CreatedAt.After(now) })},
	{"lets a lease end early", claimHeld, claimsAt(always(time.Millisecond))},
	{"claims a leased report when the clock jumps back", claimHeld, claimsAt(func(now time.Time) time.Duration {
		if now.Before(epochOfFlaws) {
			return 24 * time.Hour
		}
		return 0
	})},
	{"returns a holder's own leased report", claimHeld, claimsItsOwn},
	{"grants a holder only one report", claimHeld, func(b *bundle) {
		n := 0
		hides(func(ports.ReportJob, time.Time) bool { n++; return n > 1 })(b)
	}},
	{"ignores leases set by saves", claimHeld, claimsSaved(func(j ports.ReportJob, _ time.Time) bool { return j.Holder == "process-2" })},
	{"holds a report at the end of its lease", claimRunOut, claimsAt(always(-time.Millisecond))},
	{"never returns a report again", claimRunOut, hides(func(j ports.ReportJob, _ time.Time) bool { return j.Attempts > 1 })},
	{"gives a report up after three attempts", claimRunOut, hides(func(j ports.ReportJob, _ time.Time) bool { return j.Attempts > 3 })},
	{"moves the start to the last attempt", claimRunOut, onClaimed(func(j *ports.ReportJob) { j.StartedAt = j.LeaseUntil.Add(-time.Minute) })},
	{"counts one attempt", claimRunOut, eachStored(func(j *ports.ReportJob) { j.Attempts = min(j.Attempts, 1) })},
	{"keeps the first holder", claimRunOut, onClaimed(func(j *ports.ReportJob) { j.Holder = "process-1" })},
	{"returns reports with an ended lease first", claimRunOut, hides(func(j ports.ReportJob, _ time.Time) bool { return j.ID == "older" })},
	{"extends no lease", claimExtended, func(b *bundle) {
		leases := map[string]time.Time{}
		onClaimed(func(j *ports.ReportJob) { leases[j.ID] = j.LeaseUntil })(b)
		onSaveReport(func(c *ports.ReportChange) {
			if at, ok := leases[c.Job.ID]; ok {
				c.Job.LeaseUntil = at
			}
		})(b)
	}},
	{"ignores extended leases", claimExtended, claimsSaved(func(j ports.ReportJob, now time.Time) bool { return j.Attempts > 0 && now.Before(j.LeaseUntil) })},
	{"does not release a lease", claimExtended, func(b *bundle) {
		onSaveReport(func(c *ports.ReportChange) {
			if c.Job.LeaseUntil.IsZero() && c.Job.Attempts > 0 {
				c.Job.LeaseUntil = epochOfFlaws.AddDate(1, 0, 0)
			}
		})(b)
		onReport(b, func(j *ports.ReportJob) {
			if j.LeaseUntil.Equal(epochOfFlaws.AddDate(1, 0, 0)) {
				j.LeaseUntil = time.Time{}
			}
		})
	}},
	{"accepts a heartbeat of an earlier holder", claimLostLease, passesReports(func(j, now ports.ReportJob, _ bool) bool {
		return !j.Status.Terminal() && j.Holder != now.Holder && j.Version < now.Version
	})},
	{"accepts an end of an earlier holder", claimLostLease, passesReports(func(j, now ports.ReportJob, _ bool) bool {
		return j.Status.Terminal() && j.Holder != now.Holder && j.Version < now.Version
	})},
	{"checks only the holder", claimLostLease, passesReports(func(j, now ports.ReportJob, _ bool) bool { return j.Holder == now.Holder && j.Version < now.Version })},
	{"stores a lost heartbeat", claimLostLease, keepsRefusedReport},
	{"stores the events of a lost heartbeat", claimLostLease, leaksReport(reportsEvents)},
	{"claims completed reports", claimEnded, claimsSaved(func(j ports.ReportJob, _ time.Time) bool { return j.Status == ports.ReportCompleted })},
	{"claims failed reports", claimEnded, claimsSaved(func(j ports.ReportJob, _ time.Time) bool { return j.Status == ports.ReportFailed })},
	{"claims ended reports when a lease ends", claimEnded, claimsSaved(func(j ports.ReportJob, now time.Time) bool {
		return j.Status.Terminal() && !j.LeaseUntil.IsZero() && !j.LeaseUntil.After(now)
	})},
	{"claims no report of the empty owner", claimOwners, hides(func(j ports.ReportJob, _ time.Time) bool { return j.Owner == "" })},
	{"rejects the empty holder", claimOwners, hides(func(j ports.ReportJob, _ time.Time) bool { return j.Holder == "" })},
	{"claims for holders as text", claimOwners, eachStored(func(j *ports.ReportJob) { j.Holder = strings.ToValidUTF8(j.Holder, "?") })},
	{"claims for holders in lower case", claimOwners, eachStored(func(j *ports.ReportJob) { j.Holder = strings.ToLower(j.Holder) })},
	{"returns one report to two callers", claimRacers, claimsReportTwice},
	{"returns errors to concurrent claims", claimRacers, nowAndThen(errcodes.StorageUnavailable)},
	{"returns not found to concurrent claims", claimRacers, nowAndThen(errcodes.NotFound)},
	{"calls a lost race a conflict", claimRacers, claimsReports(func(ctx context.Context, claim claimReportFunc, holder string, now time.Time, lease time.Duration) (ports.ReportJob, error) {
		j, err := claim(ctx, holder, now, lease)
		return j, broken.Recode(err, errcodes.NotFound, errcodes.Conflict)
	})},
	{"returns the one report to two callers", claimOne, claimsReportTwice},
	{"returns the one report only once", claimOne, hides(func(j ports.ReportJob, _ time.Time) bool { return j.Attempts > 1 })},
	{"accepts a save of a claimed report", claimOrSave, passesReports(func(j, now ports.ReportJob, _ bool) bool { return j.Version < now.Version })},
	{"accepts a claim of an ended report", claimOrSave, claimsSaved(func(j ports.ReportJob, _ time.Time) bool { return j.Status.Terminal() })},
	{"lets neither succeed", claimOrSave, func(b *bundle) {
		hides(func(ports.ReportJob, time.Time) bool { return true })(b)
		refusesReports(func(c ports.ReportChange) bool { return c.Job.Version > 0 })(b)
	}},
	{"claims for another holder", claimOrSave, onClaimed(func(j *ports.ReportJob) { j.Holder += "x" })},
}
