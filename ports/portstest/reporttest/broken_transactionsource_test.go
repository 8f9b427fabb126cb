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

// listed is a source out of a list, whose every part a test may bend.
type listed struct {
	columns []ports.Column
	held    []map[string]string
	now     time.Time

	list    func() []ports.Column
	applies func(f ports.Filter) bool
	rows    func(ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error]
	asOf    func(ctx context.Context, now time.Time) (time.Time, error)

	// The parts of rows.
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

// newListed gives a sound source; rows 4 to 7 are of one instant.
func newListed() *listed {
	s := &listed{columns: slices.Clone(theTen), now: sourceStart.AddDate(0, 0, 3)}
	for i := range s.columns {
		s.columns[i].Meaning = "what it says"
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

func TestTransactionSourcePassesASoundSource(t *testing.T) {
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

func TestTransactionSourceCatchesWrongSources(t *testing.T) {
	wrong := wrongSources()
	for _, c := range sourceChecks {
		if len(wrong[c.Name]) == 0 {
			t.Errorf("no wrong source shows that this check can fail: %s", c.Name)
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
		t.Errorf("no check has the name %q", name)
	}
}

// onHeld bends what is held.
func onHeld(bend func(i int, row map[string]string)) func(*listed) {
	return func(s *listed) {
		for i, row := range s.held {
			bend(i, row)
		}
	}
}

// onColumns bends the columns.
func onColumns(bend func(columns []ports.Column) []ports.Column) func(*listed) {
	return func(s *listed) { s.columns = bend(s.columns) }
}

// onRows bends the stream.
func onRows(bend func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error]) func(*listed) {
	return func(s *listed) {
		s.rows = func(ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] { return bend(s, ctx, q) }
	}
}

// onFilter bends how one kind of filter is applied.
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
			"lacks one":              onColumns(func(c []ports.Column) []ports.Column { return slices.Delete(c, 8, 9) }),
			"calls createdAt a text": onColumns(func(c []ports.Column) []ports.Column { c[9].Type = ports.ColumnText; return c }),
			"has its currency elsewhere": onColumns(func(c []ports.Column) []ports.Column {
				c[4].Currency = ports.ColumnMethod
				return c
			}),
		},
		"each column has a unique name and a meaning": {
			"says nothing":            onColumns(func(c []ports.Column) []ports.Column { c[2].Meaning = " "; return c }),
			"has one twice":           onColumns(func(c []ports.Column) []ports.Column { return append(c, c[3]) }),
			"has one without a name":  onColumns(func(c []ports.Column) []ports.Column { c[10].Name = ""; return c }),
			"makes up a type":         onColumns(func(c []ports.Column) []ports.Column { c[10].Type = "number"; return c }),
			"gives a text a currency": onColumns(func(c []ports.Column) []ports.Column { c[0].Currency = "currency"; return c }),
			"has money of nothing":    onColumns(func(c []ports.Column) []ports.Column { c[4].Currency = ""; return c }),
		},
		"the columns never change": {
			"hands out its own list": func(s *listed) { s.list = func() []ports.Column { return s.columns } },
			"turns them round": func(s *listed) {
				rows := s.rows
				s.rows = func(ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
					slices.Reverse(s.columns)
					return rows(ctx, q)
				}
			},
		},
		"values match their columns' types": {
			"gives an exponent":        withText(ports.ColumnAmount, "1e3"),
			"gives thousands":          withText(ports.ColumnAmount, "1,000.00"),
			"pads":                     withText(ports.ColumnAmount, "007"),
			"gives a plus":             withText(ports.ColumnAmount, "+7"),
			"gives a point alone":      withText(ports.ColumnAmount, "7."),
			"gives seconds":            withText(ports.ColumnCreatedAt, "2026-11-20T02:00:00Z"),
			"gives a zone":             withText(ports.ColumnCreatedAt, "2026-11-20T04:00:00.000+02:00"),
			"gives an integer of text": withText(attempts, "one"),
			"gives a huge integer":     withText(attempts, "9223372036854775808"),
			"pads an integer":          withText(attempts, "01"),
			"gives money of nothing":   withText(ports.ColumnCurrency, ""),
			"leaves the amount out":    withText(ports.ColumnAmount, ""),
			"leaves the id out":        withText(ports.ColumnTransactionID, ""),
		},
		"a transaction's code matches its status and direction": {
			"makes up a status":          withText(ports.ColumnStatus, "DONE"),
			"makes up a direction":       withText(ports.ColumnDirection, "collect"),
			"has a code for all":         onHeld(func(_ int, r map[string]string) { r[ports.ColumnCode] = "declined" }),
			"makes up a code":            onHeld(func(_ int, r map[string]string) { r[ports.ColumnCode] = strings.ToUpper(r[ports.ColumnCode]) }),
			"mixes failed and error":     onHeld(func(_ int, r map[string]string) { swapStatus(r, "FAILED", "ERRORED") }),
			"mixes payin and payout":     onHeld(func(_ int, r map[string]string) { r[ports.ColumnDirection] = "payin" }),
			"leaves the code of one out": onHeld(func(_ int, r map[string]string) { r[ports.ColumnCode] = "" }),
		},
	}
}

func wrongRows() map[string]map[string]func(*listed) {
	return map[string]map[string]func(*listed){
		"the rows are those of the source": {
			"loses one":     func(s *listed) { s.held = slices.Delete(s.held, 30, 33) },
			"changes one":   onHeld(func(_ int, r map[string]string) { r[ports.ColumnMethod] = "cash" }),
			"makes one up":  func(s *listed) { s.held = append(s.held, heldRow("acme", "m1", 77, 5*time.Hour)) },
			"gives nothing": func(s *listed) { s.held = nil },
		},
		"no row belongs to another owner or merchant (I31)": {
			"looks at the owner only": func(s *listed) {
				s.owned = func(r map[string]string, q ports.RowQuery) bool { return r["owner"] == q.Owner }
			},
			"looks at the merchant only": func(s *listed) {
				s.owned = func(r map[string]string, q ports.RowQuery) bool { return r["merchant"] == q.MerchantID }
			},
			"knows one owner": func(s *listed) {
				s.owned = func(r map[string]string, _ ports.RowQuery) bool { return r["owner"] == "acme" }
			},
		},
		"From is included and Until is not": {
			"leaves From out": func(s *listed) {
				s.within = func(at time.Time, q ports.RowQuery) bool { return at.After(q.From) && at.Before(q.Until) }
			},
			"takes Until in": func(s *listed) {
				s.within = func(at time.Time, q ports.RowQuery) bool { return !at.Before(q.From) && !at.After(q.Until) }
			},
			"takes whole days": func(s *listed) { s.within = func(time.Time, ports.RowQuery) bool { return true } },
			"takes whole seconds": func(s *listed) {
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
			"gives one twice": func(s *listed) { s.held = append(s.held, s.held[30]) },
			"goes backwards": func(s *listed) {
				order := s.order
				s.order = func(a, b map[string]string) int { return order(b, a) }
			},
			"forgets the id": func(s *listed) {
				s.order = func(a, b map[string]string) int {
					return strings.Compare(a[ports.ColumnCreatedAt], b[ports.ColumnCreatedAt])
				}
			},
			"goes by the id": func(s *listed) {
				s.order = func(a, b map[string]string) int {
					return strings.Compare(a[ports.ColumnTransactionID], b[ports.ColumnTransactionID])
				}
			},
		},
		"a row has the requested columns in the requested order": {
			"keeps its own order": onRows(func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
				list := slices.Clone(q.Columns)
				q.Columns = nil
				for _, c := range s.columns {
					if slices.Contains(list, c.Name) {
						q.Columns = append(q.Columns, c.Name)
					}
				}
				return s.stream(ctx, q)
			}),
			"gives them all": onRows(func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
				q.Columns = nil
				for _, c := range s.columns {
					q.Columns = append(q.Columns, c.Name)
				}
				return s.stream(ctx, q)
			}),
		},
		"the same query returns the same rows": {
			"gives one less each time": onRows(func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
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
			"keeps all": onFilter(func(*listed, ports.Filter, map[string]string) bool { return true }),
			"looks at the first only": onFilter(func(s *listed, f ports.Filter, r map[string]string) bool {
				f.OneOf = f.OneOf[:1]
				return s.passes(f, r)
			}),
			"takes money for text": onFilter(func(_ *listed, f ports.Filter, r map[string]string) bool {
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
			"takes a part for the whole": onFilter(func(s *listed, f ports.Filter, r map[string]string) bool {
				return s.passes(f, r) || slices.ContainsFunc(f.OneOf, func(w string) bool {
					return strings.HasSuffix(w, "%") && strings.HasPrefix(r[f.Column], strings.TrimSuffix(w, "%"))
				})
			}),
		},
		"a filter by a range includes both ends": {
			"leaves the first out": onFilter(func(s *listed, f ports.Filter, r map[string]string) bool {
				return s.passes(f, r) && r[f.Column] != f.From
			}),
			"leaves the last out": onFilter(func(s *listed, f ports.Filter, r map[string]string) bool {
				return s.passes(f, r) && r[f.Column] != f.To
			}),
			"compares amounts as text": onFilter(func(_ *listed, f ports.Filter, r map[string]string) bool {
				return r[f.Column] != "" && r[f.Column] >= f.From && (f.To == "" || r[f.Column] <= f.To)
			}),
			"keeps what has no value": onFilter(func(s *listed, f ports.Filter, r map[string]string) bool { return r[f.Column] == "" || s.passes(f, r) }),
			"needs both bounds": onFilter(func(s *listed, f ports.Filter, r map[string]string) bool {
				return f.From == "" || f.To == "" || s.passes(f, r)
			}),
			"turns the bounds round": onFilter(func(s *listed, f ports.Filter, r map[string]string) bool {
				if f.From != "" && f.To != "" && f.From > f.To {
					f.From, f.To = f.To, f.From
				}
				return s.passes(f, r)
			}),
		},
		"filters apply together, also to columns that were not requested": {
			"applies the first only": onRows(func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
				q.Filters = q.Filters[:min(1, len(q.Filters))]
				return s.stream(ctx, q)
			}),
			"applies those of its columns only": onRows(func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
				q.Filters = slices.DeleteFunc(slices.Clone(q.Filters), func(f ports.Filter) bool { return !slices.Contains(q.Columns, f.Column) })
				return s.stream(ctx, q)
			}),
		},
		"a filter of an unknown column is not applied": {
			"says that it applies all": func(s *listed) { s.applies = func(ports.Filter) bool { return true } },
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
			"goes on": onRows(func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
				return func(yield func([]string, error) bool) {
					s.stream(ctx, q)(func(r []string, err error) bool { yield(r, err); return true })
				}
			}),
			"leaves a goroutine": onRows(func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
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
			"is spent afterwards": onRows(func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
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
			"does not look": onRows(func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
				return s.stream(context.WithoutCancel(ctx), q)
			}),
			"ends without a word": onRows(func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
				return silently(ctx, s.stream(ctx, q))
			}),
			"calls it unavailable": onRows(func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
				return func(yield func([]string, error) bool) {
					if ctx.Err() != nil {
						yield(nil, errcodes.Unavailable)
						return
					}
					s.stream(ctx, q)(yield)
				}
			}),
			"goes on behind its error": onRows(func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
				return func(yield func([]string, error) bool) {
					if err := ctx.Err(); err == nil || yield(nil, err) {
						s.stream(context.WithoutCancel(ctx), q)(yield)
					}
				}
			}),
			"does not look in AsOf": func(s *listed) {
				s.asOf = func(_ context.Context, now time.Time) (time.Time, error) { return minTime(now, s.now), nil }
			},
		},
		"a stream cut short by its context yields an error": {
			"ends without a word": onRows(func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
				return silently(ctx, s.stream(ctx, q))
			}),
			"loses the code": onRows(func(s *listed, ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
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
			"has one row for all": func(s *listed) {
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
			"turns the second away": func(s *listed) {
				var inside atomic.Int32
				s.rows = func(ctx context.Context, q ports.RowQuery) iter.Seq2[[]string, error] {
					return func(yield func([]string, error) bool) {
						defer inside.Add(-1)
						if inside.Add(1) > 1 {
							yield(nil, errcodes.Unavailable)
							return
						}
						<-time.After(20 * time.Millisecond)
						s.stream(ctx, q)(yield)
					}
				}
			},
		},
		"AsOf is not in the future": {
			"goes by its own clock": func(s *listed) {
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

// silently ends a stream at its first error, without it.
func silently[T any](ctx context.Context, stream iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for v, err := range stream {
			if err != nil || ctx.Err() != nil || !yield(v, nil) {
				return
			}
		}
	}
}
