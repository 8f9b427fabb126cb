package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// reportRecordChecks: what goes in comes out.
var reportRecordChecks = []storeCheck{
	{"an unknown report is not found", reports.unknown},
	{"another owner's report is not found", reports.foreign},
	{"every field of a running report comes back as saved", reportRoundTrip},
	{"every field of an ended report comes back as saved", reportEndRoundTrip},
	{"columns and filters of any text come back, in their order", reportTexts},
	{"a report of 10,000 columns and filters comes back", reportWide},
	{"fields that are empty come back empty", emptyReport},
	{"times far from now come back equal", reportTimes},
	{"changing a report outside changes nothing stored", reportNotAliased},
}

// reportKeyChecks: owners and ids are byte strings.
var reportKeyChecks = []storeCheck{
	{"owners that look alike have reports of their own", reports.ownersApart},
	{"report ids that look alike are different reports", reportIDsApart},
	{"owners, ids and texts of 10,000 characters are kept", reports.longTexts},
}

func reportRoundTrip(k *storeKit) {
	for _, kind := range reportKinds {
		k.Case(string(kind), func() {
			j := runningReport("acme", "waits "+string(kind))
			j.Kind = kind
			j = reports.keeps(k, j, "a report that nobody has taken up")
			j = reports.keeps(k, heldReport(j, "process-1"), "a report that a process has taken up")
			j.Attempts, j.Holder, j.Rows, j.Total = 3, "proc\x00ess\xff", 1<<40, 1<<41
			for ms, at := range []*time.Time{&j.CreatedAt, &j.UpdatedAt, &j.StartedAt, &j.LeaseUntil, &j.AsOf} {
				*at = kit.Epoch.Add(time.Duration(ms+1) * time.Millisecond)
			}
			reports.keeps(k, j, "a report whose times lie close together")
		})
	}
}

// reportEndRoundTrip saves each end at once, and as a change of a running one.
func reportEndRoundTrip(k *storeKit) {
	for _, status := range reportEnds {
		k.Case(string(status), func() {
			j := endedReport(runningReport("acme", "at once "+string(status)), status)
			reports.keeps(k, j, "a report that ended at once as "+string(status))

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
}

// listTexts are texts that lists in one column of text damage.
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
	reports.keeps(k, j, "a report of all texts")
}

func reportWide(k *storeKit) {
	j := runningReport("acme", "report-1")
	j.Request.Columns, j.Request.Filters = nil, nil
	for i := range 10_000 {
		name := fmt.Sprint("column-", 10_000-i)
		j.Request.Columns = append(j.Request.Columns, name)
		j.Request.Filters = append(j.Request.Filters, ports.Filter{Column: name, OneOf: []string{name}})
	}
	j = reports.keeps(k, j, "a report of 10,000 columns")
	k.takesUp("process-1", kit.Epoch, j)
}

// emptyReport leaves out what may be left out; lists are empty, or none.
func emptyReport(k *storeKit) {
	for i, columns := range [][]string{nil, {}, {""}, {"", ""}} {
		k.Case(fmt.Sprintf("%#v", columns), func() {
			j := ports.ReportJob{ID: fmt.Sprint("report-", i), Owner: "acme", Kind: ports.ReportUnmatched, Status: ports.ReportRunning, CreatedAt: kit.Epoch}
			j.Request.Columns, j.Request.Filters = columns, []ports.Filter{}
			for range columns {
				j.Request.Filters = append(j.Request.Filters, ports.Filter{OneOf: columns})
			}
			j = reports.keeps(k, j, "a running report of empty fields")
			j.Status, j.EndedAt, j.FileSHA256 = ports.ReportCompleted, kit.Epoch, strings.Repeat("0", 64)
			reports.keeps(k, j, "a completed report of empty fields")
		})
	}
	j := runningReport("acme", "filters of nothing")
	j.Request.Filters = []ports.Filter{{}, {OneOf: []string{}}, {OneOf: []string{""}}}
	reports.keeps(k, j, "a report whose filters are empty")
}

// reportNotAliased changes what was saved, read, claimed and listed.
func reportNotAliased(k *storeKit) {
	in := runningReport("acme", "report-1")
	want := reports.save(k, in)
	want.Request = runningReport("acme", "report-1").Request
	spoil(&in)
	got, err := k.Reports.Report(k.Context(), "acme", "report-1")
	k.OK(err, "Report")
	reports.same(k, got, want, "the report after what was saved has changed")
	spoil(&got)
	reports.has(k, want, "the report after what was read has changed")

	claimed := k.takeUp("process-1", kit.Epoch)
	spoil(&claimed)
	claimed, err = k.Reports.Report(k.Context(), "acme", "report-1")
	k.OK(err, "Report")
	k.Same(plainReport(claimed).Request, want.Request, "the request after what was claimed has changed")

	want = reports.save(k, endedReport(claimed, ports.ReportCompleted))
	for range 2 {
		page := k.expired(want.EndedAt, 10)
		reports.sameList(k, page, []ports.ReportJob{want}, "the listing after what was listed has changed")
		spoil(&page[0])
	}
	reports.has(k, want, "the report after what was listed has changed")
}

// spoil changes everything that j points to.
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

func reportTimes(k *storeKit) {
	reports.farTimes(k)
	j := runningReport("acme", "below the millisecond")
	j.CreatedAt, j.UpdatedAt = kit.Epoch.Add(999*time.Microsecond), kit.Epoch.In(time.FixedZone("", 3600))
	j = reports.save(k, j)
	j.CreatedAt, j.UpdatedAt = kit.Epoch, kit.Epoch
	reports.has(k, j, "a report whose times are finer than a millisecond")
}

// reportIDsApart also removes every other report of the look-alikes.
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
