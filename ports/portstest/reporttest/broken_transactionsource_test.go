package reporttest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
)

// listed is a source that reads a list. A test can change each part.
type listed struct {
	columns []ports.Column
	held    []map[string]string
	now     time.Time

	list    func() []ports.Column
	applies func(f ports.Filter) bool
	rows    func(ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error]
	asOf    func(ctx context.Context, now time.Time) (time.Time, error)

	// These are the parts of rows.
	within func(at time.Time, q ports.RowQuery) bool
	keeps  func(f ports.Filter, row map[string]string) bool
	owned  func(row map[string]string, q ports.RowQuery) bool
	order  func(a, b map[string]string) int
}

func (s *listed) Columns() []ports.Column     { return s.list() }
func (s *listed) Applies(f ports.Filter) bool { return s.applies(f) }
func (s *listed) Rows(ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
	return s.rows(ctx, q)
}
func (s *listed) AsOf(ctx context.Context, now time.Time) (time.Time, error) {
	return s.asOf(ctx, now)
}

var sourceStart = time.Date(2026, time.November, 20, 0, 0, 0, 0, time.UTC)

const attempts = "attempts"

func heldRow(owner, merchant string, i int, at time.Duration) map[string]string {
	row := map[string]string{
		"owner": owner, "merchant": merchant,
		ports.ColumnTransactionID:     fmt.Sprintf("%s-%s-%d", owner, merchant, 9-i%10+i/10*10),
		ports.ColumnMerchantReference: fmt.Sprintf("Order %d", i),
		ports.ColumnStatus:            "SUCCEEDED", ports.ColumnDirection: "payin",
		ports.ColumnAmount: []string{"10.50", "9.00", "100.00", "-9.5", "1234.56"}[i%5], ports.ColumnCurrency: []string{"USD", "KES"}[i%2],
		ports.ColumnMethod: "Card", ports.ColumnConnector: "sandbox", ports.ColumnCode: "",
		ports.ColumnCreatedAt: sourceStart.Add(at).Format(ports.TimeLayout), attempts: []string{"1", "12", "3", ""}[i%4],
	}
	switch i % 4 {
	case 1:
		row[ports.ColumnStatus], row[ports.ColumnCode] = "FAILED", "payinInsufficientFunds"
	case 2:
		row[ports.ColumnStatus] = "PENDING"
	case 3:
		row[ports.ColumnDirection], row[ports.ColumnStatus], row[ports.ColumnCode] = "payout", "ERRORED", "payoutInsufficientFunds"
	}
	return row
}

// newListed returns a correct source. Rows 4 to 7 have the same time.
func newListed() *listed {
	s := &listed{columns: slices.Clone(theTen), now: sourceStart.AddDate(0, 0, 3)}
	for i := range s.columns {
		s.columns[i].Meaning = "some meaning"
	}
	s.columns[4].Currency = ports.ColumnCurrency
	s.columns = append(s.columns, ports.Column{Name: attempts, Type: ports.ColumnInteger, Meaning: "how often it was tried"})
	for i := range 20 {
		at := time.Duration(i) * time.Hour
		if i >= 4 && i < 8 {
			at = 4 * time.Hour
		}
		s.held = append(s.held, heldRow("acme", "m1", i, at), heldRow("acme", "m2", i, at), heldRow("rival", "m1", i, at))
	}
	s.list = func() []ports.Column { return slices.Clone(s.columns) }
	s.applies = func(f ports.Filter) bool {
		return slices.ContainsFunc(s.columns, func(c ports.Column) bool { return c.Name == f.Column })
	}
	s.asOf = func(ctx context.Context, now time.Time) (time.Time, error) { return minTime(now, s.now), ctx.Err() }
	s.rows = s.stream
	s.within = func(at time.Time, q ports.RowQuery) bool { return !at.Before(q.From) && at.Before(q.Until) }
	s.owned = func(row map[string]string, q ports.RowQuery) bool {
		return row["owner"] == q.Owner && row["merchant"] == q.MerchantID
	}
	s.keeps = s.passes
	s.order = func(a, b map[string]string) int {
		return cmp.Or(strings.Compare(a[ports.ColumnCreatedAt], b[ports.ColumnCreatedAt]),
			strings.Compare(a[ports.ColumnTransactionID], b[ports.ColumnTransactionID]))
	}
	return s
}

func minTime(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func (s *listed) passes(f ports.Filter, row map[string]string) bool {
	i := slices.IndexFunc(s.columns, func(c ports.Column) bool { return c.Name == f.Column })
	t, text := s.columns[i].Type, row[f.Column]
	if f.OneOf != nil {
		return slices.ContainsFunc(f.OneOf, func(w string) bool { return compareTexts(t, text, w) == 0 })
	}
	return text != "" && (f.From == "" || compareTexts(t, text, f.From) >= 0) && (f.To == "" || compareTexts(t, text, f.To) <= 0)
}

func (s *listed) stream(ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		held := slices.Clone(s.held)
		slices.SortStableFunc(held, s.order)
		var row []string
		for _, h := range held {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			at, _ := time.Parse(time.RFC3339, h[ports.ColumnCreatedAt])
			if !s.within(at, q) || !s.owned(h, q) || slices.ContainsFunc(q.Filters, func(f ports.Filter) bool { return !s.keeps(f, h) }) {
				continue
			}
			row = row[:0]
			for _, name := range q.Columns {
				row = append(row, h[name])
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

func (s *listed) holdings() TransactionHoldings {
	query := func(owner, merchant string) ports.RowQuery {
		return ports.RowQuery{Owner: owner, MerchantID: merchant, From: sourceStart.Add(time.Hour), Until: sourceStart.Add(18 * time.Hour)}
	}
	h := TransactionHoldings{Source: s, Query: query("acme", "m1"), Now: s.now, Strangers: []ports.RowQuery{query("acme", "m2"), query("rival", "m1")}}
	for _, row := range newListed().held {
		if row["owner"] == "acme" && row["merchant"] == "m1" && row[ports.ColumnMerchantReference] != "Order 0" &&
			row[ports.ColumnMerchantReference] != "Order 18" && row[ports.ColumnMerchantReference] != "Order 19" {
			delete(row, "owner")
			delete(row, "merchant")
			h.Rows = append(h.Rows, row)
		}
	}
	return h
}

func sourceHarness(bend func(s *listed)) TransactionSourceHarness {
	return TransactionSourceHarness{Open: func(testing.TB) TransactionHoldings {
		s := newListed()
		bend(s)
		return s.holdings()
	}}
}

func TestTransactionSourcePassesACorrectSource(t *testing.T) {
	TransactionSource(t, sourceHarness(func(*listed) {}))
}

func TestTransactionSourceSkipsWhatTheHarnessLacks(t *testing.T) {
	h := TransactionSourceHarness{Open: func(testing.TB) TransactionHoldings {
		s := newListed().holdings()
		s.Rows, s.Strangers = nil, nil
		return s
	}}
	skipped := 0
	for _, c := range sourceChecks {
		v := broken.Record(t, func(tb testing.TB) { c.Run(newSourceKit(tb, h)) })
		if v.Failed() {
			t.Errorf("%s: %s", c.Name, v.Text())
		}
		if v.Skipped() {
			skipped++
		}
	}
	if skipped != 2 {
		t.Errorf("%d checks are skipped, want 2", skipped)
	}
}

// settlesSoon shortens the wait for goroutines that the wrong sources never end.
func settlesSoon(t *testing.T) {
	t.Helper()
	was := settling
	settling = 50 * time.Millisecond
	t.Cleanup(func() { settling = was })
}

func TestTransactionSourceCatchesWrongSources(t *testing.T) {
	settlesSoon(t)
	wrong := wrongSources()
	for _, c := range sourceChecks {
		if len(wrong[c.Name]) == 0 {
			t.Errorf("no wrong source shows that the check %q can fail", c.Name)
		}
		for name, bend := range wrong[c.Name] {
			t.Run(c.Name+"/"+name, func(t *testing.T) {
				if v := broken.Record(t, func(tb testing.TB) { c.Run(newSourceKit(tb, sourceHarness(bend))) }); !v.Failed() {
					t.Errorf("the suite does not catch a source that %s", name)
				}
			})
		}
		delete(wrong, c.Name)
	}
	for name := range wrong {
		t.Errorf("there is no check %q", name)
	}
}

// onHeld changes the stored rows.
func onHeld(bend func(i int, row map[string]string)) func(*listed) {
	return func(s *listed) {
		for i, row := range s.held {
			bend(i, row)
		}
	}
}

// onColumns changes the columns.
func onColumns(bend func(columns []ports.Column) []ports.Column) func(*listed) {
	return func(s *listed) { s.columns = bend(s.columns) }
}

// onRows changes the stream.
func onRows(bend func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error]) func(*listed) {
	return func(s *listed) {
		s.rows = func(ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] { return bend(s, ctx, q) }
	}
}

// onFilter changes how one kind of filter is applied.
func onFilter(bend func(s *listed, f ports.Filter, row map[string]string) bool) func(*listed) {
	return func(s *listed) {
		s.keeps = func(f ports.Filter, row map[string]string) bool { return bend(s, f, row) }
	}
}

func withText(column, text string) func(*listed) {
	return onHeld(func(i int, row map[string]string) {
		if i%7 == 6 {
			row[column] = text
		}
	})
}

func wrongSources() map[string]map[string]func(*listed) {
	all := map[string]map[string]func(*listed){}
	for _, some := range []map[string]map[string]func(*listed){wrongColumns(), wrongRows(), wrongFilters(), wrongStops(), wrongStreams(), wrongRaces()} {
		maps.Copy(all, some)
	}
	return all
}

func wrongColumns() map[string]map[string]func(*listed) {
	return map[string]map[string]func(*listed){
		"the ten required columns exist with their types": {
			"lacks a column":         onColumns(func(c []ports.Column) []ports.Column { return slices.Delete(c, 8, 9) }),
			"calls createdAt a text": onColumns(func(c []ports.Column) []ports.Column { c[9].Type = ports.ColumnText; return c }),
			"has its currency elsewhere": onColumns(func(c []ports.Column) []ports.Column {
				c[4].Currency = ports.ColumnMethod
				return c
			}),
		},
		"each column has a unique name and a meaning": {
			"has no meaning":                      onColumns(func(c []ports.Column) []ports.Column { c[2].Meaning = " "; return c }),
			"has a column twice":                  onColumns(func(c []ports.Column) []ports.Column { return append(c, c[3]) }),
			"has a column without a name":         onColumns(func(c []ports.Column) []ports.Column { c[10].Name = ""; return c }),
			"has an unknown type":                 onColumns(func(c []ports.Column) []ports.Column { c[10].Type = "number"; return c }),
			"has a currency column for a text":    onColumns(func(c []ports.Column) []ports.Column { c[0].Currency = "currency"; return c }),
			"has money without a currency column": onColumns(func(c []ports.Column) []ports.Column { c[4].Currency = ""; return c }),
		},
		"the columns never change": {
			"returns its internal list": func(s *listed) { s.list = func() []ports.Column { return s.columns } },
			"reverses them": func(s *listed) {
				rows := s.rows
				s.rows = func(ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
					slices.Reverse(s.columns)
					return rows(ctx, q)
				}
			},
		},
		"values match their columns' types": {
			"returns an exponent":              withText(ports.ColumnAmount, "1e3"),
			"returns thousands separators":     withText(ports.ColumnAmount, "1,000.00"),
			"pads":                             withText(ports.ColumnAmount, "007"),
			"returns a plus sign":              withText(ports.ColumnAmount, "+7"),
			"returns a trailing point":         withText(ports.ColumnAmount, "7."),
			"returns seconds":                  withText(ports.ColumnCreatedAt, "2026-11-20T02:00:00Z"),
			"returns a zone":                   withText(ports.ColumnCreatedAt, "2026-11-20T04:00:00.000+02:00"),
			"returns a word as an integer":     withText(attempts, "one"),
			"returns a huge integer":           withText(attempts, "9223372036854775808"),
			"pads an integer":                  withText(attempts, "01"),
			"returns money without a currency": withText(ports.ColumnCurrency, ""),
			"omits the amount":                 withText(ports.ColumnAmount, ""),
			"omits the id":                     withText(ports.ColumnTransactionID, ""),
		},
		"a transaction's code matches its status and direction": {
			"has an unknown status":    withText(ports.ColumnStatus, "DONE"),
			"has an unknown direction": withText(ports.ColumnDirection, "collect"),
			"has a code in every row":  onHeld(func(_ int, r map[string]string) { r[ports.ColumnCode] = "declined" }),
			"has an unknown code":      onHeld(func(_ int, r map[string]string) { r[ports.ColumnCode] = strings.ToUpper(r[ports.ColumnCode]) }),
			"mixes failed and error":   onHeld(func(_ int, r map[string]string) { swapStatus(r, "FAILED", "ERRORED") }),
			"mixes payin and payout":   onHeld(func(_ int, r map[string]string) { r[ports.ColumnDirection] = "payin" }),
			"omits a code":             onHeld(func(_ int, r map[string]string) { r[ports.ColumnCode] = "" }),
		},
	}
}

func wrongRows() map[string]map[string]func(*listed) {
	return map[string]map[string]func(*listed){
		"the rows are those of the source": {
			"loses a row":   func(s *listed) { s.held = slices.Delete(s.held, 30, 33) },
			"changes a row": onHeld(func(_ int, r map[string]string) { r[ports.ColumnMethod] = "cash" }),
			"invents a row": func(s *listed) { s.held = append(s.held, heldRow("acme", "m1", 77, 5*time.Hour)) },
			"has no rows":   func(s *listed) { s.held = nil },
		},
		"no row belongs to another owner or merchant (I31)": {
			"checks only the owner": func(s *listed) {
				s.owned = func(r map[string]string, q ports.RowQuery) bool { return r["owner"] == q.Owner }
			},
			"checks only the merchant": func(s *listed) {
				s.owned = func(r map[string]string, q ports.RowQuery) bool { return r["merchant"] == q.MerchantID }
			},
			"returns one owner's rows to all": func(s *listed) {
				s.owned = func(r map[string]string, _ ports.RowQuery) bool { return r["owner"] == "acme" }
			},
		},
		"From is included and Until is not": {
			"excludes From": func(s *listed) {
				s.within = func(at time.Time, q ports.RowQuery) bool { return at.After(q.From) && at.Before(q.Until) }
			},
			"includes Until": func(s *listed) {
				s.within = func(at time.Time, q ports.RowQuery) bool { return !at.Before(q.From) && !at.After(q.Until) }
			},
			"ignores the period": func(s *listed) { s.within = func(time.Time, ports.RowQuery) bool { return true } },
			"compares whole seconds": func(s *listed) {
				onHeld(func(_ int, r map[string]string) {
					r[ports.ColumnCreatedAt] = strings.Replace(r[ports.ColumnCreatedAt], ".000Z", ".500Z", 1)
				})(s)
				s.within = func(at time.Time, q ports.RowQuery) bool {
					at = at.Truncate(time.Second)
					return !at.Before(q.From.Truncate(time.Second)) && at.Before(q.Until)
				}
			},
		},
		"each row is returned once, by createdAt, then transactionId": {
			"returns a row twice": func(s *listed) { s.held = append(s.held, s.held[30]) },
			"orders backwards": func(s *listed) {
				order := s.order
				s.order = func(a, b map[string]string) int { return order(b, a) }
			},
			"does not order by id": func(s *listed) {
				s.order = func(a, b map[string]string) int {
					return strings.Compare(a[ports.ColumnCreatedAt], b[ports.ColumnCreatedAt])
				}
			},
			"orders by id only": func(s *listed) {
				s.order = func(a, b map[string]string) int {
					return strings.Compare(a[ports.ColumnTransactionID], b[ports.ColumnTransactionID])
				}
			},
		},
		"a row has the requested columns in the requested order": {
			"keeps its own column order": onRows(func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
				list := slices.Clone(q.Columns)
				q.Columns = nil
				for _, c := range s.columns {
					if slices.Contains(list, c.Name) {
						q.Columns = append(q.Columns, c.Name)
					}
				}
				return s.stream(ctx, q)
			}),
			"returns all columns": onRows(func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
				q.Columns = nil
				for _, c := range s.columns {
					q.Columns = append(q.Columns, c.Name)
				}
				return s.stream(ctx, q)
			}),
		},
		"the same query returns the same rows": {
			"returns a row less each time": onRows(func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
				s.held = s.held[:len(s.held)-10]
				return s.stream(ctx, q)
			}),
		},
	}
}

func wrongFilters() map[string]map[string]func(*listed) {
	return map[string]map[string]func(*listed){
		"the query is not changed": {
			"sorts the columns": onRows(func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
				rows := s.stream(ctx, ports.RowQuery{
					Owner: q.Owner, MerchantID: q.MerchantID, From: q.From, Until: q.Until,
					Columns: slices.Clone(q.Columns), Filters: q.Filters,
				})
				slices.Sort(q.Columns)
				return rows
			}),
			"sorts the texts": onRows(func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
				for _, f := range q.Filters {
					slices.Sort(f.OneOf)
				}
				return s.stream(ctx, q)
			}),
		},
		"a filter by texts selects the rows with one of them": {
			"selects all rows": onFilter(func(*listed, ports.Filter, map[string]string) bool { return true }),
			"uses only the first text": onFilter(func(s *listed, f ports.Filter, r map[string]string) bool {
				f.OneOf = f.OneOf[:1]
				return s.passes(f, r)
			}),
			"compares money as text": onFilter(func(_ *listed, f ports.Filter, r map[string]string) bool {
				return slices.Contains(f.OneOf, r[f.Column])
			}),
			"folds case": onFilter(func(_ *listed, f ports.Filter, r map[string]string) bool {
				return slices.ContainsFunc(f.OneOf, func(w string) bool { return strings.EqualFold(w, r[f.Column]) })
			}),
			"trims blanks": onFilter(func(s *listed, f ports.Filter, r map[string]string) bool {
				var list []string
				for _, w := range f.OneOf {
					list = append(list, strings.TrimSpace(w))
				}
				f.OneOf = list
				return s.passes(f, r)
			}),
			"matches patterns": onFilter(func(s *listed, f ports.Filter, r map[string]string) bool {
				return s.passes(f, r) || slices.ContainsFunc(f.OneOf, func(w string) bool {
					return strings.HasSuffix(w, "%") && strings.HasPrefix(r[f.Column], strings.TrimSuffix(w, "%"))
				})
			}),
		},
		"a filter by a range includes both ends": {
			"excludes the lower bound": onFilter(func(s *listed, f ports.Filter, r map[string]string) bool {
				return s.passes(f, r) && r[f.Column] != f.From
			}),
			"excludes the upper bound": onFilter(func(s *listed, f ports.Filter, r map[string]string) bool {
				return s.passes(f, r) && r[f.Column] != f.To
			}),
			"compares amounts as text": onFilter(func(_ *listed, f ports.Filter, r map[string]string) bool {
				return r[f.Column] != "" && r[f.Column] >= f.From && (f.To == "" || r[f.Column] <= f.To)
			}),
			"selects rows without a value": onFilter(func(s *listed, f ports.Filter, r map[string]string) bool { return r[f.Column] == "" || s.passes(f, r) }),
			"requires both bounds": onFilter(func(s *listed, f ports.Filter, r map[string]string) bool {
				return f.From == "" || f.To == "" || s.passes(f, r)
			}),
			"swaps reversed bounds": onFilter(func(s *listed, f ports.Filter, r map[string]string) bool {
				if f.From != "" && f.To != "" && f.From > f.To {
					f.From, f.To = f.To, f.From
				}
				return s.passes(f, r)
			}),
		},
		"filters apply together, also to columns that were not requested": {
			"applies only the first": onRows(func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
				q.Filters = q.Filters[:min(1, len(q.Filters))]
				return s.stream(ctx, q)
			}),
			"applies only those of requested columns": onRows(func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
				q.Filters = slices.DeleteFunc(slices.Clone(q.Filters), func(f ports.Filter) bool { return !slices.Contains(q.Columns, f.Column) })
				return s.stream(ctx, q)
			}),
		},
		"a filter of an unknown column is not applied": {
			"reports that it applies all": func(s *listed) { s.applies = func(ports.Filter) bool { return true } },
			"folds the column's case": func(s *listed) {
				applies := s.applies
				s.applies = func(f ports.Filter) bool { return applies(f) || strings.EqualFold(f.Column, ports.ColumnStatus) }
			},
		},
	}
}

func wrongStops() map[string]map[string]func(*listed) {
	return map[string]map[string]func(*listed){
		"a stream that is abandoned stops and leaves nothing running": {
			"continues": onRows(func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
				return func(yield func([]string, error) bool) {
					s.stream(ctx, q)(func(r []string, err error) bool { yield(r, err); return true })
				}
			}),
			"leaks a goroutine": onRows(func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
				return func(yield func([]string, error) bool) {
					whole := true
					for r, err := range s.stream(ctx, q) {
						if whole = yield(r, err); !whole {
							break
						}
					}
					if !whole {
						go func() { <-ctx.Done() }()
					}
				}
			}),
			"cannot be used again": onRows(func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
				return func(yield func([]string, error) bool) {
					s.stream(ctx, q)(func(r []string, err error) bool {
						if !yield(r, err) {
							s.held = s.held[1:]
							return false
						}
						return true
					})
				}
			}),
		},
	}
}

func wrongStreams() map[string]map[string]func(*listed) {
	return map[string]map[string]func(*listed){
		"a done context returns its code": {
			"ignores the context": onRows(func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
				return s.stream(context.WithoutCancel(ctx), q)
			}),
			"ends without an error": onRows(func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
				return silently(ctx, s.stream(ctx, q))
			}),
			"reports it as unavailable": onRows(func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
				return func(yield func([]string, error) bool) {
					if ctx.Err() != nil {
						yield(nil, errcodes.Unavailable)
						return
					}
					s.stream(ctx, q)(yield)
				}
			}),
			"continues after its error": onRows(func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
				return func(yield func([]string, error) bool) {
					if err := ctx.Err(); err == nil || yield(nil, err) {
						s.stream(context.WithoutCancel(ctx), q)(yield)
					}
				}
			}),
			"ignores the context of AsOf": func(s *listed) {
				s.asOf = func(_ context.Context, now time.Time) (time.Time, error) { return minTime(now, s.now), nil }
			},
		},
		"a stream cut short by its context yields an error": {
			"ends without an error": onRows(func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
				return silently(ctx, s.stream(ctx, q))
			}),
			"drops the code": onRows(func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
				return func(yield func([]string, error) bool) {
					s.stream(ctx, q)(func(r []string, err error) bool {
						if err != nil {
							err = errors.New("the query failed")
						}
						return yield(r, err)
					})
				}
			}),
		},
	}
}

func wrongRaces() map[string]map[string]func(*listed) {
	return map[string]map[string]func(*listed){
		"concurrent reads are safe": {
			"shares one row between all readers": func(s *listed) {
				var shared [16]atomic.Pointer[string]
				s.rows = func(ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
					return func(yield func([]string, error) bool) {
						for r, err := range s.stream(ctx, q) {
							for i := range r {
								text := r[i]
								shared[i].Store(&text)
							}
							<-time.After(time.Millisecond)
							out := []string{}
							for i := range r {
								out = append(out, strings.Clone(*shared[i].Load()))
							}
							if !yield(out, err) {
								return
							}
						}
					}
				}
			},
			"rejects the second caller": func(s *listed) {
				var inside atomic.Int32
				s.rows = func(ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
					return func(yield func([]string, error) bool) {
						defer inside.Add(-1)
						if inside.Add(1) > 1 {
							yield(nil, errcodes.Unavailable)
							return
						}
						<-time.After(200 * time.Millisecond) // another racer arrives meanwhile, also on a busy machine
						s.stream(ctx, q)(yield)
					}
				}
			},
		},
		"AsOf is not in the future": {
			"uses its own clock": func(s *listed) {
				s.asOf = func(context.Context, time.Time) (time.Time, error) { return s.now, nil }
			},
			"fails": func(s *listed) {
				s.asOf = func(context.Context, time.Time) (time.Time, error) { return time.Time{}, errors.New("no") }
			},
		},
	}
}

func swapStatus(row map[string]string, a, b string) {
	switch row[ports.ColumnStatus] {
	case a:
		row[ports.ColumnStatus] = b
	case b:
		row[ports.ColumnStatus] = a
	}
}

// silently ends a stream at its first error and drops the error.
func silently[T any](ctx context.Context, stream iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for v, err := range stream {
			if err != nil || ctx.Err() != nil || !yield(v, nil) {
				return
			}
		}
	}
}
