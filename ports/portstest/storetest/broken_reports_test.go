package storetest_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
)

type saveReportFunc = func(context.Context, ports.ReportChange) error

// onReport lets fn change what Report returns.
func onReport(b *bundle, fn func(j *ports.ReportJob)) {
	read := b.reports.read
	b.reports.read = func(ctx context.Context, owner, id string) (ports.ReportJob, error) {
		j, err := read(ctx, owner, id)
		if err == nil {
			fn(&j)
		}
		return j, err
	}
}

func eachReport(fn func(j *ports.ReportJob)) func(b *bundle) {
	return func(b *bundle) { onReport(b, fn) }
}

// savesReports replaces Save with fn.
func savesReports(fn func(ctx context.Context, save saveReportFunc, c ports.ReportChange) error) func(b *bundle) {
	return func(b *bundle) {
		save := b.reports.save
		b.reports.save = func(ctx context.Context, c ports.ReportChange) error { return fn(ctx, save, c) }
	}
}

// onSaveReport lets fn change each change before it is saved.
func onSaveReport(fn func(c *ports.ReportChange)) func(b *bundle) {
	return savesReports(func(ctx context.Context, save saveReportFunc, c ports.ReportChange) error {
		c.Events, c.Work = slices.Clone(c.Events), slices.Clone(c.Work)
		fn(&c)
		return save(ctx, c)
	})
}

// eachStored lets fn change every job that a method returns.
func eachStored(fn func(j *ports.ReportJob)) func(b *bundle) {
	return func(b *bundle) {
		onReport(b, fn)
		onClaimed(fn)(b)
		onListed(func(page []ports.ReportJob) []ports.ReportJob {
			for i := range page {
				fn(&page[i])
			}
			return page
		})(b)
	}
}

func mapReportOwners(b *bundle, f func(string) string) {
	read := b.reports.read
	b.reports.read = func(ctx context.Context, owner, id string) (ports.ReportJob, error) {
		j, err := read(ctx, f(owner), id)
		j.Owner = owner
		return j, err
	}
	onSaveReport(func(c *ports.ReportChange) { c.Job.Owner = f(c.Job.Owner) })(b)
}

func mapReportIDs(b *bundle, f func(string) string) {
	read := b.reports.read
	b.reports.read = func(ctx context.Context, owner, id string) (ports.ReportJob, error) {
		j, err := read(ctx, owner, f(id))
		j.ID = id
		return j, err
	}
	onSaveReport(func(c *ports.ReportChange) { c.Job.ID = f(c.Job.ID) })(b)
}

// asWritten returns copies of the lists with f applied to each text.
func asWritten(f func(string) string) func(j *ports.ReportJob) {
	all := func(list []string) []string {
		var out []string
		for _, s := range list {
			out = append(out, f(s))
		}
		return out
	}
	return func(j *ports.ReportJob) {
		j.Request.Columns = all(j.Request.Columns)
		j.Request.Filters = slices.Clone(j.Request.Filters)
		for i, v := range j.Request.Filters {
			j.Request.Filters[i] = ports.Filter{Column: f(v.Column), OneOf: all(v.OneOf), From: f(v.From), To: f(v.To)}
		}
	}
}

func eachText(fn func(s string) string) func(b *bundle) { return eachReport(asWritten(fn)) }

func eachFilter(fn func(v *ports.Filter)) func(b *bundle) {
	return eachReport(func(j *ports.ReportJob) {
		j.Request.Filters = slices.Clone(j.Request.Filters)
		for i := range j.Request.Filters {
			fn(&j.Request.Filters[i])
		}
	})
}

// throughJSON returns a text after encoding and decoding it with package json.
func throughJSON(s string) string {
	data, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	var out string
	if err := json.Unmarshal(data, &out); err != nil {
		panic(err)
	}
	return out
}

const (
	unknownReport = "an unknown report is not found"
	foreignReport = "another owner's report is not found"
	runningFields = "every field of a running report is returned as saved"
	reportFields  = "every field of an ended report is returned as saved"
	reportTexts   = "columns and filters of any text are returned in order"
	reportWide    = "a report of 10,000 columns and filters is returned"
	reportAliased = "changing a report outside the store does not change the store"
)

// forgetsReportFields returns a flaw for each field that a store may forget.
func forgetsReportFields() []flawedStore {
	ended := map[string]func(j *ports.ReportJob){
		"the kind":      func(j *ports.ReportJob) { j.Kind = ports.ReportTransactions },
		"the merchant":  func(j *ports.ReportJob) { j.Request.MerchantID = "" },
		"the name":      func(j *ports.ReportJob) { j.Request.Name = "" },
		"the first day": func(j *ports.ReportJob) { j.Request.From = time.Time{} },
		"the last day":  func(j *ports.ReportJob) { j.Request.To = j.Request.From },
		"the columns":   func(j *ports.ReportJob) { j.Request.Columns = nil },
		"the filters":   func(j *ports.ReportJob) { j.Request.Filters = nil },
		"the format":    func(j *ports.ReportJob) { j.Request.Format = "csv" },
		"the status":    func(j *ports.ReportJob) { j.Status = ports.ReportCompleted },
		"the creation":  func(j *ports.ReportJob) { j.CreatedAt = j.CreatedAt.Truncate(time.Second) },
		"the last save": func(j *ports.ReportJob) { j.UpdatedAt = j.EndedAt },
		"the end":       func(j *ports.ReportJob) { j.EndedAt = j.EndedAt.Truncate(10 * time.Millisecond) },
		"the attempts":  func(j *ports.ReportJob) { j.Attempts = 0 },
		"the holder":    func(j *ports.ReportJob) { j.Holder = "" },
		"the lease":     func(j *ports.ReportJob) { j.LeaseUntil = time.Time{} },
		"the start":     func(j *ports.ReportJob) { j.StartedAt = j.CreatedAt },
		"the rows":      func(j *ports.ReportJob) { j.Rows = 0 },
		"the total":     func(j *ports.ReportJob) { j.Total = -1 },
		"as of when":    func(j *ports.ReportJob) { j.AsOf = time.Time{} },
		"the reason":    func(j *ports.ReportJob) { j.Reason = "" },
		"the size":      func(j *ports.ReportJob) { j.FileSize = int64(int32(j.FileSize)) },
		"the sum":       func(j *ports.ReportJob) { j.FileSHA256 = "" },
	}
	var out []flawedStore
	for _, name := range slices.Sorted(maps.Keys(ended)) {
		out = append(out, flawedStore{"forgets " + name, reportFields, eachReport(ended[name])})
	}
	return append(out,
		flawedStore{"stores every running report as one of transactions", runningFields, eachReport(ended["the kind"])},
		flawedStore{"forgets the holder", runningFields, eachReport(ended["the holder"])},
		flawedStore{"keeps seconds of a lease", runningFields, eachReport(func(j *ports.ReportJob) { j.LeaseUntil = j.LeaseUntil.Truncate(time.Second) })},
		flawedStore{"stores an unknown total as 0", runningFields, eachReport(func(j *ports.ReportJob) { j.Total = max(j.Total, 0) })},
		flawedStore{"keeps rows in 32 bits", runningFields, eachReport(func(j *ports.ReportJob) { j.Rows = int64(int32(j.Rows)) })},
		flawedStore{"keeps holders as text", runningFields, eachReport(func(j *ports.ReportJob) { j.Holder = strings.ToValidUTF8(j.Holder, "?") })},
		flawedStore{"returns times in the machine's zone", runningFields, eachReport(func(j *ports.ReportJob) { j.CreatedAt = j.CreatedAt.In(time.FixedZone("", 3600)) })},
	)
}

var reportListFlaws = []flawedStore{
	{"keeps lists as plain JSON", reportTexts, eachText(throughJSON)},
	{"joins lists by commas", reportTexts, eachReport(func(j *ports.ReportJob) {
		j.Request.Columns = strings.Split(strings.Join(j.Request.Columns, ","), ",")
	})},
	{"decodes every text that looks like base64", reportTexts, eachText(func(s string) string { return strings.ReplaceAll(s, `{"base64":"YQ=="}`, "a") })},
	{"reads the text null as empty", reportTexts, eachText(func(s string) string { return strings.ReplaceAll(s, "null", "") })},
	{"trims columns", reportTexts, eachText(strings.TrimSpace)},
	{"stops at a NUL in a column", reportTexts, eachText(broken.Confusions["stops at a NUL"])},
	{"sorts columns", reportTexts, eachReport(func(j *ports.ReportJob) { j.Request.Columns = slices.Sorted(slices.Values(j.Request.Columns)) })},
	{"keeps a column once", reportTexts, eachReport(func(j *ports.ReportJob) {
		seen := map[string]bool{}
		var out []string
		for _, s := range j.Request.Columns {
			if !seen[s] {
				out = append(out, s)
			}
			seen[s] = true
		}
		j.Request.Columns = out
	})},
	{"keeps a choice of a filter once", reportTexts, eachFilter(func(v *ports.Filter) { v.OneOf = slices.Compact(slices.Clone(v.OneOf)) })},
	{"swaps the bounds of a filter", reportTexts, eachFilter(func(v *ports.Filter) { v.From, v.To = v.To, v.From })},
	{"forgets the upper bound of a filter", reportTexts, eachFilter(func(v *ports.Filter) { v.To = "" })},
	{"forgets the lower bound of a filter", reportTexts, eachFilter(func(v *ports.Filter) { v.From = "" })},
	{"drops filters that select all", reportTexts, eachReport(func(j *ports.ReportJob) {
		j.Request.Filters = slices.DeleteFunc(slices.Clone(j.Request.Filters), func(v ports.Filter) bool { return len(v.OneOf) == 0 && v.From+v.To == "" })
	})},
	{"keeps 9,999 columns", reportWide, eachReport(func(j *ports.ReportJob) { j.Request.Columns = j.Request.Columns[:min(len(j.Request.Columns), 9_999)] })},
	{"keeps 1,000 filters", reportWide, eachReport(func(j *ports.ReportJob) { j.Request.Filters = j.Request.Filters[:min(len(j.Request.Filters), 1_000)] })},
	{"claims without filters", reportWide, onClaimed(func(j *ports.ReportJob) { j.Request.Filters = nil })},
	{"drops empty columns", emptyFields, eachReport(func(j *ports.ReportJob) {
		j.Request.Columns = slices.DeleteFunc(slices.Clone(j.Request.Columns), func(s string) bool { return s == "" })
	})},
	{"drops empty choices", emptyFields, eachFilter(func(v *ports.Filter) {
		v.OneOf = slices.DeleteFunc(slices.Clone(v.OneOf), func(s string) bool { return s == "" })
	})},
	{"drops empty filters", emptyFields, eachReport(func(j *ports.ReportJob) {
		j.Request.Filters = slices.DeleteFunc(slices.Clone(j.Request.Filters), func(v ports.Filter) bool { return len(v.OneOf) == 0 && v.Column == "" })
	})},
	{"reads empty lists as lists of an empty text", emptyFields, eachReport(func(j *ports.ReportJob) {
		if len(j.Request.Columns) == 0 {
			j.Request.Columns = []string{""}
		}
	})},
}

var reportJobFlaws = slices.Concat(
	forgetsReportFields(),
	reportListFlaws,
	confuse("owners", "owners that look alike have different reports", looks, mapReportOwners),
	confuse("report ids", "report ids that look alike are different reports", looks, mapReportIDs),
	confuse("owners", longTexts, []string{"keeps 255 letters"}, mapReportOwners),
	confuse("report ids", longTexts, []string{"keeps 255 letters"}, mapReportIDs),
	confuse("report ids", unknownReport, looks[:3], mapReportIDs),
	confuse("owners", foreignReport, looks[:3], mapReportOwners),
	[]flawedStore{
		{"returns an empty report for an unknown id", unknownReport, func(b *bundle) {
			read := b.reports.read
			b.reports.read = func(ctx context.Context, owner, id string) (ports.ReportJob, error) {
				j, err := read(ctx, owner, id)
				if errcodes.Of(err) == errcodes.NotFound {
					return j, nil
				}
				return j, err
			}
		}},
		{"reports not found as internal", unknownReport, func(b *bundle) {
			read := b.reports.read
			b.reports.read = func(ctx context.Context, owner, id string) (ports.ReportJob, error) {
				j, err := read(ctx, owner, id)
				return j, broken.Recode(err, errcodes.NotFound, errcodes.Internal)
			}
		}},
		{"ignores the owner", foreignReport, func(b *bundle) {
			owners := map[string]string{}
			onSaveReport(func(c *ports.ReportChange) { owners[c.Job.ID] = c.Job.Owner })(b)
			read := b.reports.read
			b.reports.read = func(ctx context.Context, _, id string) (ports.ReportJob, error) { return read(ctx, owners[id], id) }
		}},
		{"removes look-alikes", "report ids that look alike are different reports", func(b *bundle) {
			gone := map[string]bool{}
			read, remove := b.reports.read, b.reports.remove
			b.reports.remove = func(ctx context.Context, owner, id string) error {
				gone[strings.ToLower(id)] = true
				return remove(ctx, owner, id)
			}
			b.reports.read = func(ctx context.Context, owner, id string) (ports.ReportJob, error) {
				if gone[strings.ToLower(id)] {
					return ports.ReportJob{}, errcodes.New(errcodes.NotFound, "")
				}
				return read(ctx, owner, id)
			}
		}},
		{"reads the zero end as 1970", emptyFields, eachReport(func(j *ports.ReportJob) { takesZeroFor1970(&j.EndedAt) })},
		{"reads the zero lease as 1970", emptyFields, eachReport(func(j *ports.ReportJob) { takesZeroFor1970(&j.LeaseUntil) })},
		{"reads the zero start as 1970", emptyFields, eachReport(func(j *ports.ReportJob) { takesZeroFor1970(&j.StartedAt) })},
		{"reads the zero as-of time as 1970", emptyFields, eachReport(func(j *ports.ReportJob) { takesZeroFor1970(&j.AsOf) })},
		{"reads an empty first day as 1970", emptyFields, eachReport(func(j *ports.ReportJob) { takesZeroFor1970(&j.Request.From) })},
		{"reads an empty file as no file", emptyFields, eachReport(func(j *ports.ReportJob) {
			if j.FileSize == 0 {
				j.FileSHA256 = ""
			}
		})},
		{"keeps nanoseconds in 64 bits", farTimes, eachReport(func(j *ports.ReportJob) { j.CreatedAt = time.Unix(0, j.CreatedAt.UnixNano()).UTC() })},
		{"keeps no lease before 1970", farTimes, eachReport(func(j *ports.ReportJob) {
			if j.LeaseUntil.Before(time.UnixMilli(0)) {
				j.LeaseUntil = time.Time{}
			}
		})},
		{"keeps microseconds", farTimes, func(b *bundle) {
			at := map[string]time.Time{}
			onSaveReport(func(c *ports.ReportChange) { at[c.Job.ID] = c.Job.CreatedAt })(b)
			onReport(b, func(j *ports.ReportJob) { j.CreatedAt = at[j.ID] })
		}},
		{"keeps the columns passed in", reportAliased, func(b *bundle) {
			kept := map[string][]string{}
			onSaveReport(func(c *ports.ReportChange) { kept[c.Job.ID] = c.Job.Request.Columns })(b)
			onReport(b, func(j *ports.ReportJob) { j.Request.Columns = kept[j.ID] })
		}},
		{"keeps the filters passed in", reportAliased, func(b *bundle) {
			kept := map[string][]ports.Filter{}
			onSaveReport(func(c *ports.ReportChange) { kept[c.Job.ID] = c.Job.Request.Filters })(b)
			onReport(b, func(j *ports.ReportJob) { j.Request.Filters = kept[j.ID] })
		}},
		{"keeps the choices passed in", reportAliased, func(b *bundle) {
			kept := map[string][]string{}
			onSaveReport(func(c *ports.ReportChange) { kept[c.Job.ID] = c.Job.Request.Filters[0].OneOf })(b)
			onReport(b, func(j *ports.ReportJob) { j.Request.Filters[0].OneOf = kept[j.ID] })
		}},
		{"returns its stored lists", reportAliased, givesItsOwn(func(b *bundle, fn func(j *ports.ReportJob)) { onReport(b, fn) })},
		{"returns its stored lists from claims", reportAliased, givesItsOwn(func(b *bundle, fn func(j *ports.ReportJob)) {
			onReport(b, fn)
			onClaimed(fn)(b)
		})},
		{"returns its stored lists in listings", reportAliased, givesItsOwn(func(b *bundle, fn func(j *ports.ReportJob)) {
			onListed(func(page []ports.ReportJob) []ports.ReportJob {
				for i := range page {
					fn(&page[i])
				}
				return page
			})(b)
		})},
	},
)

// givesItsOwn returns the same lists for a job each time.
func givesItsOwn(on func(b *bundle, fn func(j *ports.ReportJob))) func(b *bundle) {
	return func(b *bundle) {
		first := map[string]ports.ReportRequest{}
		on(b, func(j *ports.ReportJob) {
			if _, ok := first[j.ID]; !ok {
				first[j.ID] = j.Request
			}
			j.Request = first[j.ID]
		})
	}
}
