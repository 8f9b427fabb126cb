package ecb

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cockroachdb/apd/v3"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Source is the Source of the prices.
const Source = "ecb"

const euro = "EUR"

// hour is the time of day of the prices; see the package comment.
const hour = 12 * time.Hour

// derived rounds the rates that the bank does not publish.
var derived = apd.Context{
	Precision: 10, Rounding: apd.RoundHalfEven,
	MaxExponent: 2 * ports.MaxRateDigits, MinExponent: -2 * ports.MaxRateDigits,
	Traps: apd.DefaultTraps,
}

// table contains the rates of one day. It never changes.
type table struct {
	at      time.Time
	rates   map[string]*rate // by currency, the euro included
	pairs   ports.PairSet
	skipped []string // the day's currencies without ports.MinorDigits, in order
}

// rate is the units of a currency for one euro.
type rate struct {
	text  string
	value apd.Decimal
}

// tabulate returns the table of a day. last is the table before it, or nil.
func tabulate(d day, last *table) (*table, error) {
	t := &table{at: d.date.Add(hour), rates: map[string]*rate{}}
	if err := t.add(euro, "1"); err != nil {
		return nil, err
	}
	low, high := euro, euro // the currencies with the lowest and the highest rate
	for _, currency := range slices.Sorted(maps.Keys(d.rates)) {
		if _, ok := ports.MinorDigits(currency); !ok {
			t.skipped = append(t.skipped, currency)
			continue
		}
		if err := t.add(currency, d.rates[currency]); err != nil {
			return nil, err
		}
		if t.rates[currency].value.Cmp(&t.rates[low].value) < 0 {
			low = currency
		}
		if t.rates[currency].value.Cmp(&t.rates[high].value) > 0 {
			high = currency
		}
	}
	if len(t.rates) == 1 {
		return nil, errors.New("there is no currency of ISO 4217")
	}
	// The other cross rates are between this one and its inverse: if it is a rate, below
	// 1e12, they are rates, too.
	highest := ports.Pair{Base: low, Quote: high}
	if _, err := t.ratio(highest); err != nil {
		return nil, fmt.Errorf("%s: %w", highest, err)
	}
	t.pairs = t.offer(last)
	return t, nil
}

func (t *table) add(currency, perEuro string) error {
	r := &rate{text: perEuro}
	t.rates[currency] = r
	return ports.SetRate(&r.value, perEuro)
}

// offer returns all pairs of the currencies. If last has the same currencies, it is last's
// set: with all of ISO 4217, a set has 27,000 pairs.
func (t *table) offer(last *table) ports.PairSet {
	if last != nil && maps.EqualFunc(t.rates, last.rates, func(_, _ *rate) bool { return true }) {
		return last.pairs
	}
	pairs := make([]ports.Pair, 0, len(t.rates)*len(t.rates))
	for base := range t.rates {
		for quote := range t.rates {
			if base != quote {
				pairs = append(pairs, ports.Pair{Base: base, Quote: quote})
			}
		}
	}
	return ports.NewPairSet(pairs...)
}

// mid returns the price of a pair: the bank's text or a cross rate.
func (t *table) mid(pair ports.Pair) (string, error) {
	if !t.pairs.Has(pair) {
		return "", errcodes.New(errcodes.PairNotOffered, "")
	}
	if pair.Base == euro {
		return t.rates[pair.Quote].text, nil
	}
	text, err := t.ratio(pair)
	if err != nil {
		return "", errcodes.Wrap(errcodes.PriceUnavailable, "", err)
	}
	return text, nil
}

// ratio returns the cross rate of two currencies of the table as decimal text without
// trailing zeros.
func (t *table) ratio(pair ports.Pair) (string, error) {
	var d apd.Decimal
	if _, err := derived.Quo(&d, &t.rates[pair.Quote].value, &t.rates[pair.Base].value); err != nil {
		return "", err
	}
	d.Reduce(&d)
	text := d.Text('f')
	if err := ports.CheckRate(text); err != nil {
		return "", fmt.Errorf("cross rate: %w", err)
	}
	return text, nil
}
