package reporttest

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
)

// settled is a settlement source that reads a list. A test can change each part.
type settled struct {
	held []owned
	now  time.Time

	lines  func(ctx context.Context, q ports.RowQuery) iter.Seq2[ports.SettlementLine, error]
	asOf   func(ctx context.Context, now time.Time) (time.Time, error)
	within func(at time.Time, q ports.RowQuery) bool
	theirs func(l owned, q ports.RowQuery) bool
}

type owned struct {
	ports.SettlementLine

	owner, merchant string
}

func (s *settled) Lines(ctx context.Context, q ports.RowQuery) iter.Seq2[ports.SettlementLine, error] {
	return s.lines(ctx, q)
}
func (s *settled) AsOf(ctx context.Context, now time.Time) (time.Time, error) {
	return s.asOf(ctx, now)
}

func newSettled() *settled {
	s := &settled{now: sourceStart.AddDate(0, 0, 3)}
	for i := range 30 {
		l := owned{
			ports.SettlementLine{Line: int64(40 - i), Reference: heldRow("", "", i, 0)[ports.ColumnMerchantReference], Amount: int64(i) * 100, Currency: "KES", At: sourceStart.Add(time.Duration(i/3) * time.Hour)},
			[]string{"acme", "acme", "rival"}[i%3], []string{"m1", "m2", "m1"}[i%3],
		}
		s.held = append(s.held, l)
	}
	s.held = append(s.held,
		owned{ports.SettlementLine{Line: 90, Bad: "no time"}, "acme", "m1"},
		owned{ports.SettlementLine{Line: 91, Bad: "no amount", Reference: "Order 77", At: sourceStart.Add(90 * time.Minute)}, "acme", "m1"},
		owned{ports.SettlementLine{Line: 92, Bad: "no reference", HasAmount: true, Currency: "KES", At: sourceStart.Add(2 * time.Hour)}, "acme", "m1"})
	s.within = func(at time.Time, q ports.RowQuery) bool { return !at.Before(q.From) && at.Before(q.Until) }
	s.theirs = func(l owned, q ports.RowQuery) bool { return l.owner == q.Owner && l.merchant == q.MerchantID }
	s.lines = s.stream
	s.asOf = func(ctx context.Context, now time.Time) (time.Time, error) { return minTime(now, s.now), ctx.Err() }
	return s
}

func (s *settled) stream(ctx context.Context, q ports.RowQuery) iter.Seq2[ports.SettlementLine, error] {
	return func(yield func(ports.SettlementLine, error) bool) {
		for _, l := range s.held {
			if err := ctx.Err(); err != nil {
				yield(ports.SettlementLine{}, err)
				return
			}
			undated := l.Bad != "" && l.At.IsZero()
			if s.theirs(l, q) && (undated || s.within(l.At, q)) && !yield(l.SettlementLine, nil) {
				return
			}
		}
	}
}

func (s *settled) holdings() SettlementHoldings {
	query := func(owner, merchant string) ports.RowQuery {
		return ports.RowQuery{Owner: owner, MerchantID: merchant, From: sourceStart.Add(time.Hour), Until: sourceStart.Add(9 * time.Hour)}
	}
	h := SettlementHoldings{
		Source: s, Query: query("acme", "m1"), Now: s.now, Undated: []int64{90},
		Strangers: []ports.RowQuery{query("acme", "m2"), query("rival", "m1")},
	}
	for _, l := range newSettled().held {
		if l.owner == "acme" && l.merchant == "m1" && (l.At.IsZero() || !l.At.Before(h.Query.From) && l.At.Before(h.Query.Until)) {
			h.Lines = append(h.Lines, l.SettlementLine)
		}
	}
	return h
}

func settlementHarness(bend func(s *settled)) SettlementSourceHarness {
	return SettlementSourceHarness{Open: func(testing.TB) SettlementHoldings {
		s := newSettled()
		bend(s)
		return s.holdings()
	}}
}

func TestSettlementSourcePassesACorrectSource(t *testing.T) {
	SettlementSource(t, settlementHarness(func(*settled) {}))
}

func TestSettlementSourceSkipsWhatTheHarnessLacks(t *testing.T) {
	h := SettlementSourceHarness{Open: func(testing.TB) SettlementHoldings {
		s := newSettled().holdings()
		s.Lines, s.Strangers, s.Undated = nil, nil, nil
		return s
	}}
	skipped := 0
	for _, c := range settlementChecks {
		v := broken.Record(t, func(tb testing.TB) { c.Run(newSettlementKit(tb, h)) })
		if v.Failed() {
			t.Errorf("%s: %s", c.Name, v.Text())
		}
		if v.Skipped() {
			skipped++
		}
	}
	if skipped != 3 {
		t.Errorf("%d checks are skipped, want 3", skipped)
	}
}

func TestSettlementSourceCatchesWrongSources(t *testing.T) {
	settlesSoon(t)
	wrong := wrongSettlements()
	for _, c := range settlementChecks {
		if len(wrong[c.Name]) == 0 {
			t.Errorf("no wrong source shows that the check %q can fail", c.Name)
		}
		for name, bend := range wrong[c.Name] {
			t.Run(c.Name+"/"+name, func(t *testing.T) {
				if v := broken.Record(t, func(tb testing.TB) { c.Run(newSettlementKit(tb, settlementHarness(bend))) }); !v.Failed() {
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

// onLine changes each stored line.
func onLine(bend func(l *owned)) func(*settled) {
	return func(s *settled) {
		for i := range s.held {
			bend(&s.held[i])
		}
	}
}

// onLines changes the stream.
func onLines(bend func(s *settled, ctx context.Context, q ports.RowQuery) iter.Seq2[ports.SettlementLine, error]) func(*settled) {
	return func(s *settled) {
		s.lines = func(ctx context.Context, q ports.RowQuery) iter.Seq2[ports.SettlementLine, error] {
			return bend(s, ctx, q)
		}
	}
}

func dropLines(drop func(l owned) bool) func(*settled) {
	return func(s *settled) { s.held = slices.DeleteFunc(s.held, drop) }
}

func wrongSettlements() map[string]map[string]func(*settled) {
	return map[string]map[string]func(*settled){
		"the lines are those of the source": {
			"loses one":                 dropLines(func(l owned) bool { return l.Line == 28 }),
			"loses a bad one":           dropLines(func(l owned) bool { return l.Line == 91 }),
			"changes a sign":            onLine(func(l *owned) { l.Amount = -l.Amount }),
			"renumbers the lines":       onLine(func(l *owned) { l.Line++ }),
			"treats no amount as 0":     onLine(func(l *owned) { l.HasAmount = true }),
			"treats 0 as no amount":     onLine(func(l *owned) { l.HasAmount = false }),
			"treats a bad line as good": onLine(func(l *owned) { l.Bad = "" }),
			"moves the time": onLine(func(l *owned) {
				if !l.At.IsZero() {
					l.At = l.At.Add(time.Millisecond)
				}
			}),
		},
		"each line has a unique number above 0": {
			"has no number":        onLine(func(l *owned) { l.Line = 0 }),
			"repeats numbers":      onLine(func(l *owned) { l.Line = (l.Line + 5) / 6 }),
			"counts from zero":     onLine(func(l *owned) { l.Line -= 16 }),
			"returns a line twice": func(s *settled) { s.held = append(s.held, s.held[12]) },
		},
		"a good line has a reference, a currency and a time": {
			"has no reference":       onLine(func(l *owned) { l.Reference = "" }),
			"has a currency of text": onLine(func(l *owned) { l.Currency = "shillings" }),
			"has no time":            onLine(func(l *owned) { l.Bad = "" }),
		},
		"a bad line has a short reason without its content": {
			"shows its reference": onLine(func(l *owned) {
				if l.Bad != "" {
					l.Bad += ": " + l.Reference
				}
			}),
			"shows all": onLine(func(l *owned) {
				if l.Bad != "" {
					l.Bad = strings.Repeat("x", 101)
				}
			}),
			"shows a line break": onLine(func(l *owned) {
				if l.Bad != "" {
					l.Bad += "\n"
				}
			}),
		},
		"a bad line has an amount with a currency, or HasAmount is false": {
			"does not report a missing amount": onLine(func(l *owned) {
				if l.Line == 92 {
					l.HasAmount, l.Amount = false, -1
				}
			}),
			"has an amount without a currency": onLine(func(l *owned) { l.HasAmount = l.Bad != "" }),
		},
		"From is included and Until is not": {
			"excludes From": func(s *settled) {
				s.within = func(at time.Time, q ports.RowQuery) bool { return at.After(q.From) && at.Before(q.Until) }
			},
			"includes Until": func(s *settled) {
				s.within = func(at time.Time, q ports.RowQuery) bool { return !at.Before(q.From) && !at.After(q.Until) }
			},
			"ignores the period": func(s *settled) { s.within = func(time.Time, ports.RowQuery) bool { return true } },
		},
		"bad lines whose time cannot be read are in every result": {
			"drops them": dropLines(func(l owned) bool { return l.Bad != "" }),
			"filters them by their time": onLines(func(s *settled, ctx context.Context, q ports.RowQuery) iter.Seq2[ports.SettlementLine, error] {
				if q.From.Year() != sourceStart.Year() {
					dropLines(func(l owned) bool { return l.At.IsZero() })(s)
				}
				return s.stream(ctx, q)
			}),
			"invents a time": onLine(func(l *owned) {
				if l.At.IsZero() {
					l.At = sourceStart.Add(2 * time.Hour)
				}
			}),
		},
		"no good line belongs to another owner or merchant (I31)": {
			"checks only the owner": func(s *settled) { s.theirs = func(l owned, q ports.RowQuery) bool { return l.owner == q.Owner } },
			"checks only the merchant": func(s *settled) {
				s.theirs = func(l owned, q ports.RowQuery) bool { return l.merchant == q.MerchantID }
			},
		},
		"the same query returns the same lines": {
			"numbers lines per call": onLines(func(s *settled, ctx context.Context, q ports.RowQuery) iter.Seq2[ports.SettlementLine, error] {
				onLine(func(l *owned) { l.Line++ })(s)
				return s.stream(ctx, q)
			}),
		},
		"columns and filters change nothing": {
			"filters": onLines(func(s *settled, ctx context.Context, q ports.RowQuery) iter.Seq2[ports.SettlementLine, error] {
				if len(q.Filters) > 0 {
					s.held = s.held[6:]
				}
				return s.stream(ctx, q)
			}),
			"rejects the columns": onLines(func(s *settled, ctx context.Context, q ports.RowQuery) iter.Seq2[ports.SettlementLine, error] {
				if len(q.Columns) > 0 {
					return func(yield func(ports.SettlementLine, error) bool) {
						yield(ports.SettlementLine{}, errcodes.InvalidRequest)
					}
				}
				return s.stream(ctx, q)
			}),
		},
		"a stream that is abandoned stops and leaves nothing running": {
			"continues": onLines(func(s *settled, ctx context.Context, q ports.RowQuery) iter.Seq2[ports.SettlementLine, error] {
				return func(yield func(ports.SettlementLine, error) bool) {
					s.stream(ctx, q)(func(l ports.SettlementLine, err error) bool { yield(l, err); return true })
				}
			}),
		},
		"a done context returns its code": {
			"ignores the context": onLines(func(s *settled, ctx context.Context, q ports.RowQuery) iter.Seq2[ports.SettlementLine, error] {
				return s.stream(context.WithoutCancel(ctx), q)
			}),
			"ignores the context of AsOf": func(s *settled) {
				s.asOf = func(_ context.Context, now time.Time) (time.Time, error) { return minTime(now, s.now), nil }
			},
		},
		"a stream cut short by its context yields an error": {
			"ends without an error": onLines(func(s *settled, ctx context.Context, q ports.RowQuery) iter.Seq2[ports.SettlementLine, error] {
				return silently(ctx, s.stream(ctx, q))
			}),
		},
		"concurrent reads are safe": {
			"rejects the second caller": func(s *settled) {
				var inside atomic.Int32
				s.lines = func(ctx context.Context, q ports.RowQuery) iter.Seq2[ports.SettlementLine, error] {
					return func(yield func(ports.SettlementLine, error) bool) {
						defer inside.Add(-1)
						if inside.Add(1) > 1 {
							yield(ports.SettlementLine{}, errcodes.Unavailable)
							return
						}
						<-time.After(200 * time.Millisecond) // another racer arrives meanwhile, also on a busy machine
						s.stream(ctx, q)(yield)
					}
				}
			},
		},
		"AsOf is not in the future": {
			"uses its own clock": func(s *settled) { s.asOf = func(context.Context, time.Time) (time.Time, error) { return s.now, nil } },
			"fails": func(s *settled) {
				s.asOf = func(context.Context, time.Time) (time.Time, error) { return time.Time{}, errors.New("no") }
			},
		},
	}
}
