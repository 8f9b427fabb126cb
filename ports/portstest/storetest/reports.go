package storetest

import (
	"context"
	"fmt"
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
	runStore(t, h, reportChecks, "Store.Reports is nil", func(s Store) bool { return s.Reports != nil })
}

var reportChecks = slices.Concat(reports.checks("running", reportsReopened), reportRecordChecks, reportClaimChecks, reportExpiryChecks)

var (
	reportEnds  = []ports.ReportStatus{ports.ReportCompleted, ports.ReportFailed}
	reportKinds = []ports.ReportKind{ports.ReportTransactions, ports.ReportUnmatched}
)

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

// bornAt returns a new job with another time of creation.
func bornAt(j ports.ReportJob, at time.Time) ports.ReportJob {
	j.CreatedAt, j.UpdatedAt = at, at
	return j
}

func heldReport(j ports.ReportJob, holder string) ports.ReportJob {
	j.Attempts, j.Holder, j.StartedAt, j.LeaseUntil = j.Attempts+1, holder, kit.Epoch.Add(time.Second), kit.Epoch.Add(lease)
	j.UpdatedAt, j.Rows, j.Total, j.AsOf = kit.Epoch.Add(2*time.Second), 17, 170, kit.Epoch.Add(-time.Minute)
	return j
}

// endedReport returns a running job ended an hour after its creation.
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

func plainReport(j ports.ReportJob) ports.ReportJob {
	j.Request.Columns = kit.OrNil(j.Request.Columns)
	j.Request.Filters = kit.OrNil(slices.Clone(j.Request.Filters))
	for i := range j.Request.Filters {
		j.Request.Filters[i].OneOf = kit.OrNil(j.Request.Filters[i].OneOf)
	}
	return j
}

var reports = &records[ports.ReportJob]{
	name: "Report", stem: "report-",
	write: func(ctx context.Context, s Store, c change[ports.ReportJob]) error {
		return s.Reports.Save(ctx, ports.ReportChange{Job: c.record, Events: c.events, Work: c.work, Audit: c.audit})
	},
	read: func(ctx context.Context, s Store, owner, id string) (ports.ReportJob, error) {
		return s.Reports.Report(ctx, owner, id)
	},
	calls: func(s Store, have ports.ReportJob) map[string]func(ctx context.Context) error {
		return map[string]func(ctx context.Context) error{
			"ClaimReport": func(ctx context.Context) error {
				return errOf(s.Reports.ClaimReport(ctx, "process-9", kit.Epoch.AddDate(1, 0, 0), lease))
			},
			"ExpiredReports": func(ctx context.Context) error {
				return errOf(s.Reports.ExpiredReports(ctx, kit.Epoch.AddDate(1, 0, 0), 10))
			},
			"RemoveReport": func(ctx context.Context) error { return s.Reports.RemoveReport(ctx, have.Owner, have.ID) },
		}
	},
	head: func(j *ports.ReportJob) header { return header{&j.Owner, &j.ID, &j.Version} },
	times: func(j *ports.ReportJob) []*time.Time {
		return []*time.Time{&j.Request.From, &j.Request.To, &j.CreatedAt, &j.UpdatedAt, &j.EndedAt, &j.LeaseUntil, &j.StartedAt, &j.AsOf}
	},
	plain: plainReport,
	open:  runningReport,
	change: step[ports.ReportJob]{"a change", func(j ports.ReportJob, i int) ports.ReportJob {
		j = heldReport(j, fmt.Sprint("process-", i))
		j.Rows, j.UpdatedAt = int64(i), j.UpdatedAt.Add(time.Duration(i)*time.Second)
		return j
	}},
	ends: endsAs(reportEnds, func(j ports.ReportJob, status ports.ReportStatus, i int) ports.ReportJob {
		j = endedReport(j, status)
		j.Rows = min(int64(i), j.Rows)
		return j
	}),
	samples: func() []ports.ReportJob {
		return []ports.ReportJob{runningReport("acme", "running"), endedReport(runningReport("acme", "done"), ports.ReportCompleted)}
	},
	long: func(j ports.ReportJob, long string) ports.ReportJob {
		j.Request.MerchantID, j.Request.Name, j.Holder = long+"merchant", long+"name", long+"holder"
		j.Request.Columns = []string{long + "column"}
		return j
	},
}

func reportsReopened(k *storeKit) {
	k.Need(k.Reopen != nil, "Reopen")
	free := reports.save(k, runningReport("acme", "free"))
	held := k.takesUp("process-1", kit.Epoch, free)
	other := reports.save(k, bornAt(runningReport("zenith", "other"), kit.Epoch.Add(time.Millisecond)))
	ended := reports.save(k, endedReport(runningReport("acme", "ended"), ports.ReportCompleted))
	k.endsAt("acme", "removed", kit.Epoch)
	k.removeReport("acme", "removed")
	k.Store = k.Reopen()
	for _, j := range []ports.ReportJob{held, other, ended} {
		reports.has(k, j, "the report after reopening")
	}
	reports.absent(k, "acme", "removed", "a report removed before reopening")
	reports.sameList(k, k.expired(ended.EndedAt, 10), []ports.ReportJob{ended}, "ExpiredReports after reopening")
	reports.rejected(k, ended, "a change of a report that ended before reopening")
	other = k.takesUp("process-2", other.CreatedAt, other)
	k.nobody(kit.Epoch, "while the leases last after reopening")
	k.takesUp("process-2", held.LeaseUntil, held)
	reports.keeps(k, endedReport(other, ports.ReportFailed), "an end after reopening")
}

var reportRecordChecks = []storeCheck{
	{"every field of a running report is returned as saved", func(k *storeKit) {
		kit.Each(k, reportKinds, kit.Text, func(kind ports.ReportKind) {
			j := runningReport("acme", "waits "+string(kind))
			j.Kind = kind
			j = reports.keeps(k, j, "a report that is not claimed")
			j = reports.keeps(k, heldReport(j, "process-1"), "a claimed report")
			j.Attempts, j.Holder, j.Rows, j.Total = 3, "proc\x00ess\xff", 1<<40, 1<<41
			for ms, at := range []*time.Time{&j.CreatedAt, &j.UpdatedAt, &j.StartedAt, &j.LeaseUntil, &j.AsOf} {
				*at = kit.Epoch.Add(time.Duration(ms+1) * time.Millisecond)
			}
			reports.keeps(k, j, "a report whose times are close together")
		})
	}},
	{"every field of an ended report is returned as saved", reportEndRoundTrip},
	{"columns and filters of any text are returned in order", reportTexts},
	{"a report of 10,000 columns and filters is returned", func(k *storeKit) {
		j := runningReport("acme", "report-1")
		j.Request.Columns, j.Request.Filters = nil, nil
		for i := range 10_000 {
			name := fmt.Sprint("column-", 10_000-i)
			j.Request.Columns = append(j.Request.Columns, name)
			j.Request.Filters = append(j.Request.Filters, ports.Filter{Column: name, OneOf: []string{name}})
		}
		j = reports.keeps(k, j, "a report of 10,000 columns")
		k.takesUp("process-1", kit.Epoch, j)
	}},
	{"empty fields are returned empty", emptyReport},
	{"distant times are returned unchanged", func(k *storeKit) {
		reports.farTimes(k)
		j := runningReport("acme", "below the millisecond")
		j.CreatedAt, j.UpdatedAt = kit.Epoch.Add(999*time.Microsecond), kit.Epoch.In(time.FixedZone("", 3600))
		j = reports.save(k, j)
		j.CreatedAt, j.UpdatedAt = kit.Epoch, kit.Epoch
		reports.has(k, j, "a report whose times are finer than a millisecond")
	}},
	{"changing a report outside the store does not change the store", reportNotAliased},
	{"report ids that look alike are different reports", reportIDsApart},
}

func reportEndRoundTrip(k *storeKit) {
	kit.Each(k, reportEnds, kit.Text, func(status ports.ReportStatus) {
		j := endedReport(runningReport("acme", "at once "+string(status)), status)
		reports.keeps(k, j, "a report created as "+string(status))

		before := reports.save(k, runningReport("acme", "later "+string(status)))
		after := endedReport(heldReport(before, "process-2"), status)
		after.Kind, after.Request.Format, after.Request.Name = ports.ReportUnmatched, "ods", "n\x00\xffame,\"' "
		after.Request.MerchantID, after.Request.Columns = "m\x00\xff ", []string{"line"}
		after.Request.From, after.Request.To = after.Request.From.AddDate(-1, 0, 0), after.Request.To.AddDate(0, 0, -1)
		if status == ports.ReportFailed {
			after.Reason = string(errcodes.StorageUnavailable)
		} else {
			after.FileSize, after.FileSHA256 = 1<<40, strings.Repeat("f", 64)
		}
		for ms, at := range []*time.Time{&after.CreatedAt, &after.StartedAt, &after.EndedAt, &after.UpdatedAt, &after.LeaseUntil, &after.AsOf} {
			*at = kit.Epoch.Add(time.Duration(ms+1) * time.Millisecond)
		}
		reports.keeps(k, after, "a report that ended later as "+string(status))
	})
}

var listTexts = append([]string{
	",", `"`, `\`, `\u0041`, "[", `["a","b"]`, "null", "\n", "a,b", "\u2028", "<&>", "\x1f", `{"base64":"YQ=="}`, "base64", "\xffa,b",
}, raws...)

func reportTexts(k *storeKit) {
	for i, text := range listTexts {
		k.Case(kit.Name(text), func() {
			next := listTexts[(i+1)%len(listTexts)] // so that no two fields are equal
			j := runningReport("acme", fmt.Sprint("report-", i))
			j.Request.Columns = []string{text, next, text}
			j.Request.Filters = []ports.Filter{
				{Column: text, OneOf: []string{next, text, text}},
				{Column: next, From: text, To: next}, {Column: next, From: next}, {Column: next, To: text}, {Column: text},
			}
			reports.keeps(k, j, fmt.Sprintf("a report with the text %+q", text))
		})
	}
	j := runningReport("acme", "all")
	j.Request.Columns = listTexts
	j.Request.Filters = []ports.Filter{{Column: "status", OneOf: listTexts}}
	reports.keeps(k, j, "a report with all texts")
}

func emptyReport(k *storeKit) {
	for i, columns := range [][]string{nil, {}, {""}, {"", ""}} {
		k.Case(fmt.Sprintf("%#v", columns), func() {
			j := ports.ReportJob{ID: fmt.Sprint("report-", i), Owner: "acme", Kind: ports.ReportUnmatched, Status: ports.ReportRunning, CreatedAt: kit.Epoch}
			j.Request.Columns, j.Request.Filters = columns, []ports.Filter{}
			for range columns {
				j.Request.Filters = append(j.Request.Filters, ports.Filter{OneOf: columns})
			}
			j = reports.keeps(k, j, "a running report with empty fields")
			j.Status, j.EndedAt, j.FileSHA256 = ports.ReportCompleted, kit.Epoch, strings.Repeat("0", 64)
			reports.keeps(k, j, "a completed report with empty fields")
		})
	}
	j := runningReport("acme", "filters of nothing")
	j.Request.Filters = []ports.Filter{{}, {OneOf: []string{}}, {OneOf: []string{""}}}
	reports.keeps(k, j, "a report whose filters are empty")
}

func reportNotAliased(k *storeKit) {
	in := runningReport("acme", "report-1")
	want := reports.save(k, in)
	want.Request = runningReport("acme", "report-1").Request
	spoil(&in)
	got := kit.Got(k.Reports.Report(k.Context(), "acme", "report-1")).OK(k, "Report")
	reports.same(k, got, want, "the report after the saved value was changed")
	spoil(&got)
	reports.has(k, want, "the report after the value read was changed")

	claimed := k.takeUp("process-1", kit.Epoch)
	spoil(&claimed)
	claimed = kit.Got(k.Reports.Report(k.Context(), "acme", "report-1")).OK(k, "Report")
	k.Same(plainReport(claimed).Request, want.Request, "the request after the claimed value was changed")

	want = reports.save(k, endedReport(claimed, ports.ReportCompleted))
	for range 2 {
		page := k.expired(want.EndedAt, 10)
		reports.sameList(k, page, []ports.ReportJob{want}, "the listing after the listed value was changed")
		spoil(&page[0])
	}
	reports.has(k, want, "the report after the listed value was changed")
}

func spoil(j *ports.ReportJob) {
	for i := range j.Request.Columns {
		j.Request.Columns[i] = "spoilt"
	}
	for i := range j.Request.Filters {
		for n := range j.Request.Filters[i].OneOf {
			j.Request.Filters[i].OneOf[n] = "spoilt"
		}
		j.Request.Filters[i] = ports.Filter{Column: "spoilt"}
	}
}

// reportIDsApart also removes every second report of the look-alikes.
func reportIDsApart(k *storeKit) {
	saved := reports.alike(k)
	for i, j := range saved {
		if i%2 == 0 {
			reports.save(k, endedReport(j, ports.ReportFailed))
			k.removeReport(j.Owner, j.ID)
			reports.absent(k, j.Owner, j.ID, "a removed report")
		}
	}
	for i, j := range saved {
		if i%2 == 1 {
			reports.has(k, j, "an id whose look-alikes are removed")
		}
	}
}
