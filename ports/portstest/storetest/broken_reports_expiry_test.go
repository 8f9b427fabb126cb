package storetest_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
	"github.com/corridor-go/corridor/ports/portstest/storetest"
)

const (
	expiredOfAll      = "ExpiredReports lists the reports of every owner that ended by the time"
	expiredOrder      = "ExpiredReports is ordered by the end, then id"
	expiredRunning    = "ExpiredReports omits running reports, however old"
	expiredBounds     = "ExpiredReports lists the first reports up to its limit of 1 to 1,000"
	expiredWhole      = "a listed report has every field"
	reportRemoved     = "a removed report is not found"
	runningNotRemoved = "a running report cannot be removed"
	unknownRemoved    = "removing an unknown report or another owner's changes nothing and is no error"
	removersAtOnce    = "concurrent removals of the same reports are safe"
)

// onListed lets fn change what ExpiredReports returns.
func onListed(fn func(page []ports.ReportJob) []ports.ReportJob) func(b *bundle) {
	return func(b *bundle) {
		expired := b.reports.expired
		b.reports.expired = func(ctx context.Context, before time.Time, limit int) ([]ports.ReportJob, error) {
			page, err := expired(ctx, before, limit)
			if err != nil {
				return page, err
			}
			return fn(page), nil
		}
	}
}

func eachListed(fn func(j *ports.ReportJob)) func(b *bundle) {
	return onListed(func(page []ports.ReportJob) []ports.ReportJob {
		for i := range page {
			fn(&page[i])
		}
		return page
	})
}

// asksExpired lets fn change the arguments of ExpiredReports.
func asksExpired(fn func(before *time.Time, limit *int)) func(b *bundle) {
	return func(b *bundle) {
		expired := b.reports.expired
		b.reports.expired = func(ctx context.Context, before time.Time, limit int) ([]ports.ReportJob, error) {
			fn(&before, &limit)
			return expired(ctx, before, limit)
		}
	}
}

func expiresAt(by time.Duration) func(b *bundle) {
	return asksExpired(func(before *time.Time, _ *int) { *before = before.Add(by) })
}

func sortsExpired(compare func(x, y ports.ReportJob) int) func(b *bundle) {
	return onListed(func(page []ports.ReportJob) []ports.ReportJob {
		slices.SortStableFunc(page, compare)
		return page
	})
}

// listsAlso also lists the saved jobs that match.
func listsAlso(when func(j ports.ReportJob) bool) func(b *bundle) {
	return func(b *bundle) {
		var also []ports.ReportJob
		onSaveReport(func(c *ports.ReportChange) {
			if when(c.Job) {
				also = append(also, c.Job)
			}
		})(b)
		onListed(func(page []ports.ReportJob) []ports.ReportJob { return append(page, also...) })(b)
	}
}

type removeFunc = func(ctx context.Context, owner, id string) error

// removes replaces RemoveReport with fn.
func removes(fn func(ctx context.Context, remove removeFunc, owner, id string) error) func(b *bundle) {
	return func(b *bundle) {
		remove := b.reports.remove
		b.reports.remove = func(ctx context.Context, owner, id string) error { return fn(ctx, remove, owner, id) }
	}
}

// removesMore also removes the job that name returns: it is not found from then
// on.
func removesMore(when func(owner string, j ports.ReportJob) bool) func(b *bundle) {
	return func(b *bundle) {
		last, gone := map[string]ports.ReportJob{}, map[string]bool{}
		onSaveReport(func(c *ports.ReportChange) { last[c.Job.ID] = c.Job })(b)
		removes(func(ctx context.Context, remove removeFunc, owner, id string) error {
			if j, ok := last[id]; ok && when(owner, j) {
				gone[id] = true
			}
			return remove(ctx, owner, id)
		})(b)
		read := b.reports.read
		b.reports.read = func(ctx context.Context, owner, id string) (ports.ReportJob, error) {
			if gone[id] {
				return ports.ReportJob{}, errcodes.New(errcodes.NotFound, "")
			}
			return read(ctx, owner, id)
		}
	}
}

func removesOnce(code errcodes.Code) func(b *bundle) {
	var mu sync.Mutex
	gone := map[string]bool{}
	return removes(func(ctx context.Context, remove removeFunc, owner, id string) error {
		mu.Lock()
		defer mu.Unlock()
		if gone[id] {
			return errcodes.New(code, "")
		}
		err := remove(ctx, owner, id)
		gone[id] = err == nil
		return err
	})
}

// removesRunning removes running jobs without an error.
var removesRunning = removes(func(ctx context.Context, remove removeFunc, owner, id string) error {
	if err := remove(ctx, owner, id); errcodes.Of(err) != errcodes.Conflict {
		return err
	}
	return nil
})

var reportExpiryFlaws = []flawedStore{
	{"excludes the time of an end", expiredOfAll, expiresAt(-time.Millisecond)},
	{"lists reports a millisecond early", expiredOfAll, expiresAt(time.Millisecond)},
	{"rounds the time up", expiredOfAll, asksExpired(func(before *time.Time, _ *int) {
		*before = before.Add(time.Millisecond - 1).Truncate(time.Millisecond)
	})},
	{"lists one report of an owner", expiredOfAll, onListed(func(page []ports.ReportJob) []ports.ReportJob {
		seen := map[string]bool{}
		return slices.DeleteFunc(page, func(j ports.ReportJob) bool {
			had := seen[j.Owner]
			seen[j.Owner] = true
			return had
		})
	})},
	{"lists only completed reports", expiredOfAll, onListed(func(page []ports.ReportJob) []ports.ReportJob {
		return slices.DeleteFunc(page, func(j ports.ReportJob) bool { return j.Status != ports.ReportCompleted })
	})},
	{"lists only failed reports", expiredOfAll, onListed(func(page []ports.ReportJob) []ports.ReportJob {
		return slices.DeleteFunc(page, func(j ports.ReportJob) bool { return j.Status != ports.ReportFailed })
	})},
	{"omits ends before 1970", expiredOfAll, onListed(func(page []ports.ReportJob) []ports.ReportJob {
		return slices.DeleteFunc(page, func(j ports.ReportJob) bool { return j.EndedAt.Unix() < 0 })
	})},
	{"orders by id", expiredOrder, sortsExpired(func(x, y ports.ReportJob) int { return strings.Compare(x.ID, y.ID) })},
	{"orders by creation", expiredOrder, sortsExpired(func(x, y ports.ReportJob) int { return x.CreatedAt.Compare(y.CreatedAt) })},
	{"orders equal times by descending id", expiredOrder, sortsExpired(func(x, y ports.ReportJob) int {
		if c := x.EndedAt.Compare(y.EndedAt); c != 0 {
			return c
		}
		return strings.Compare(y.ID, x.ID)
	})},
	{"orders ids alphabetically", expiredOrder, sortsExpired(func(x, y ports.ReportJob) int {
		if c := x.EndedAt.Compare(y.EndedAt); c != 0 {
			return c
		}
		return strings.Compare(strings.ToLower(x.ID), strings.ToLower(y.ID))
	})},
	{"lists running reports", expiredRunning, listsAlso(func(j ports.ReportJob) bool { return !j.Status.Terminal() })},
	{"lists unclaimed reports", expiredRunning, listsAlso(func(j ports.ReportJob) bool { return !j.Status.Terminal() && j.LeaseUntil.IsZero() })},
	{"returns one more than the limit", expiredBounds, asksExpired(func(_ *time.Time, limit *int) { *limit++ })},
	{"returns the last ones", expiredBounds, func(b *bundle) {
		expired := b.reports.expired
		b.reports.expired = func(ctx context.Context, before time.Time, limit int) ([]ports.ReportJob, error) {
			page, err := expired(ctx, before, limit)
			if err == nil {
				page, err = expired(ctx, before, 1_000)
			}
			return page[max(0, len(page)-limit):], err
		}
	}},
	{"treats a limit of 0 as no limit", expiredBounds, asksExpired(func(_ *time.Time, limit *int) {
		if *limit == 0 {
			*limit = 1_000
		}
	})},
	{"reduces a limit to the maximum", expiredBounds, asksExpired(func(_ *time.Time, limit *int) { *limit = min(*limit, 1_000) })},
	{"rejects a limit of 1,000", expiredBounds, asksExpired(func(_ *time.Time, limit *int) {
		if *limit > 999 {
			*limit = 0
		}
	})},
	{"lists no columns", expiredWhole, eachListed(func(j *ports.ReportJob) { j.Request.Columns = nil })},
	{"lists columns as plain JSON", expiredWhole, eachListed(asWritten(throughJSON))},
	{"lists no files", expiredWhole, eachListed(func(j *ports.ReportJob) { j.FileSHA256 = "" })},
	{"lists no reasons", expiredWhole, eachListed(func(j *ports.ReportJob) { j.Reason = "" })},
	{"lists owners as text", expiredWhole, eachListed(func(j *ports.ReportJob) { j.Owner = strings.ToValidUTF8(j.Owner, "?") })},
	{"lists the first version", expiredWhole, eachListed(func(j *ports.ReportJob) { j.Version = 1 })},
	{"lists one kind", expiredWhole, eachListed(func(j *ports.ReportJob) { j.Kind = ports.ReportTransactions })},
	{"removes nothing", reportRemoved, removes(func(context.Context, removeFunc, string, string) error { return nil })},
	{"still returns a removed report", reportRemoved, func(b *bundle) {
		last := map[string]ports.ReportJob{}
		onSaveReport(func(c *ports.ReportChange) { last[c.Job.ID] = c.Job })(b)
		read := b.reports.read
		b.reports.read = func(ctx context.Context, owner, id string) (ports.ReportJob, error) {
			j, err := read(ctx, owner, id)
			if kept, ok := last[id]; ok && errcodes.Of(err) == errcodes.NotFound {
				return kept, nil
			}
			return j, err
		}
	}},
	{"lists removed reports", reportRemoved, func(b *bundle) {
		listed := map[string]ports.ReportJob{}
		onSaveReport(func(c *ports.ReportChange) { listed[c.Job.ID] = c.Job })(b)
		onListed(func([]ports.ReportJob) []ports.ReportJob {
			var page []ports.ReportJob
			for _, j := range listed {
				page = append(page, j)
			}
			return page
		})(b)
	}},
	{"removes the events too", reportRemoved, func(b *bundle) {
		removes(func(ctx context.Context, remove removeFunc, owner, id string) error {
			err := remove(ctx, owner, id)
			events, _ := b.outbox.claim(ctx, epochOfFlaws.AddDate(1, 0, 0), time.Minute, 10)
			for _, e := range events {
				_ = b.outbox.ack(ctx, e)
			}
			return err
		})(b)
	}},
	{"creates a removed report at any version", reportRemoved, passesReports(func(j, now ports.ReportJob, known bool) bool {
		return known && j.Version == now.Version
	})},
	{"rejects removing a removed report", reportRemoved, removesOnce(errcodes.NotFound)},
	{"removes running reports", runningNotRemoved, removesMore(func(owner string, j ports.ReportJob) bool { return owner == j.Owner && !j.Status.Terminal() })},
	{"returns no error for a running report", runningNotRemoved, removesRunning},
	{"reports a running report as not found", runningNotRemoved, removes(func(ctx context.Context, remove removeFunc, owner, id string) error {
		return broken.Recode(remove(ctx, owner, id), errcodes.Conflict, errcodes.NotFound)
	})},
	{"removes unclaimed reports", runningNotRemoved, removesMore(func(owner string, j ports.ReportJob) bool {
		return owner == j.Owner && !j.Status.Terminal() && j.LeaseUntil.IsZero()
	})},
	{"rejects removing an unknown report", unknownRemoved, func(b *bundle) {
		read := b.reports.read
		removes(func(ctx context.Context, remove removeFunc, owner, id string) error {
			if _, err := read(ctx, owner, id); err != nil {
				return err
			}
			return remove(ctx, owner, id)
		})(b)
	}},
	{"removes every owner's report", unknownRemoved, removesMore(func(owner string, j ports.ReportJob) bool { return owner != j.Owner && j.Status.Terminal() })},
	{"removes every owner's running report", unknownRemoved, removesMore(func(owner string, j ports.ReportJob) bool { return owner != j.Owner && !j.Status.Terminal() })},
	{"reports another owner's report as a conflict", unknownRemoved, removes(func(ctx context.Context, remove removeFunc, owner, id string) error {
		if owner != "acme" {
			return errcodes.New(errcodes.Conflict, "")
		}
		return remove(ctx, owner, id)
	})},
	{"removes ids in any case", unknownRemoved, removes(func(ctx context.Context, remove removeFunc, owner, id string) error {
		return remove(ctx, owner, strings.ToLower(id))
	})},
	{"calls a lost race a conflict", removersAtOnce, removesOnce(errcodes.Conflict)},
	{"removes every second report", removersAtOnce, removes(func(ctx context.Context, remove removeFunc, owner, id string) error {
		if id[len(id)-1]%2 == 0 {
			return nil
		}
		return remove(ctx, owner, id)
	})},
}

// storesFullReportsLater stores the first change that it rejected when full once
// there is room.
func storesFullReportsLater(b *bundle) {
	var mu sync.Mutex
	var kept []ports.ReportChange
	savesReports(func(ctx context.Context, save saveReportFunc, c ports.ReportChange) error {
		mu.Lock()
		defer mu.Unlock()
		err := save(ctx, c)
		if errcodes.Of(err) == errcodes.StorageUnavailable && len(kept) == 0 {
			kept = append(kept, c)
		}
		return err
	})(b)
	fill := b.fill
	b.fill = func() func() {
		empty := fill()
		return func() {
			empty()
			for _, c := range kept {
				if err := b.reports.save(context.Background(), c); err != nil {
					panic(err)
				}
			}
		}
	}
}

const reportsDone = "a done context returns its code and changes nothing"

var reportOutcomeFlaws = append(commonFlaws(reportsDone),
	flawedStore{"reads with a done context", reportsDone, func(b *bundle) {
		read := b.reports.read
		b.reports.read = func(ctx context.Context, owner, id string) (ports.ReportJob, error) {
			return read(context.WithoutCancel(ctx), owner, id)
		}
	}},
	flawedStore{"claims with a done context", reportsDone, claimsReports(func(ctx context.Context, claim claimReportFunc, holder string, now time.Time, lease time.Duration) (ports.ReportJob, error) {
		j, err := claim(context.WithoutCancel(ctx), holder, now, lease)
		return j, broken.OrDone(ctx, err)
	})},
	flawedStore{"lists with a done context", reportsDone, func(b *bundle) {
		expired := b.reports.expired
		b.reports.expired = func(ctx context.Context, before time.Time, limit int) ([]ports.ReportJob, error) {
			return expired(context.WithoutCancel(ctx), before, limit)
		}
	}},
	flawedStore{"removes with a done context", reportsDone, removes(func(ctx context.Context, remove removeFunc, owner, id string) error {
		return broken.OrDone(ctx, remove(context.WithoutCancel(ctx), owner, id))
	})},
	flawedStore{"reports a lost acknowledgement as success", lost, savesReports(func(ctx context.Context, save saveReportFunc, c ports.ReportChange) error {
		if err := save(ctx, c); errcodes.Of(err) != errcodes.OutcomeUnknown {
			return err
		}
		return nil
	})},
	flawedStore{"reports a lost acknowledgement as a failure", lost, recodesReports(errcodes.OutcomeUnknown, errcodes.StorageUnavailable)},
	flawedStore{"stores half of a change whose acknowledgement is lost", lost, func(b *bundle) {
		lose, half := b.lose, false
		b.lose = func() { half = true; lose() }
		onSaveReport(func(c *ports.ReportChange) {
			if half {
				c.Work = nil
			}
			half = false
		})(b)
	}},
	flawedStore{"calls a full store internal", full, recodesReports(errcodes.StorageUnavailable, errcodes.Internal)},
	flawedStore{"stores changes that it rejected when full", full, storesFullReportsLater},
	flawedStore{"stays full", full, func(b *bundle) {
		fill := b.fill
		b.fill = func() func() { fill(); return func() {} }
	}},
	flawedStore{"forgets reports", reportsReopened, forgets},
	flawedStore{"forgets leases when reopened", reportsReopened, func(b *bundle) {
		reopen := b.reopen
		b.reopen = func() storetest.Store {
			claimsAt(always(time.Hour))(b)
			return reopen()
		}
	}},
	flawedStore{"forgets ends when reopened", reportsReopened, func(b *bundle) {
		reopen := b.reopen
		b.reopen = func() storetest.Store {
			onListed(func([]ports.ReportJob) []ports.ReportJob { return nil })(b)
			return reopen()
		}
	}},
)

const reportsReopened = "a reopened store has everything"
