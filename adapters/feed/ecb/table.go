package ecb

import (
	"fmt"
	"time"

	"github.com/cockroachdb/apd/v3"

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

// table contains the prices of one day. It never changes.
type table struct {
	at    time.Time
	mids  map[ports.Pair]string
	pairs ports.PairSet
}

// tabulate calculates all pairs of a day.
func tabulate(d day) (*table, error) {
	list := append([]rate{{euro, "1"}}, d.rates...)
	perEuro := make([]apd.Decimal, len(list))
	for i, r := range list {
		if err := ports.SetRate(&perEuro[i], r.perEuro); err != nil {
			return nil, err
		}
	}
	t := &table{at: d.date.Add(hour), mids: make(map[ports.Pair]string, len(list)*len(list))}
	pairs := make([]ports.Pair, 0, len(list)*len(list))
	for i, base := range list {
		for j, quote := range list {
			if i == j {
				continue
			}
			pair, mid := ports.Pair{Base: base.currency, Quote: quote.currency}, quote.perEuro
			if base.currency != euro {
				var err error
				if mid, err = ratio(&perEuro[j], &perEuro[i]); err != nil {
					return nil, fmt.Errorf("%s: %w", pair, err)
				}
			}
			t.mids[pair] = mid
			pairs = append(pairs, pair)
		}
	}
	t.pairs = ports.NewPairSet(pairs...)
	return t, nil
}

// ratio returns quote / base as decimal text without trailing zeros.
func ratio(quote, base *apd.Decimal) (string, error) {
	var d apd.Decimal
	if _, err := derived.Quo(&d, quote, base); err != nil {
		return "", err
	}
	d.Reduce(&d)
	text := d.Text('f')
	if err := ports.CheckRate(text); err != nil {
		return "", fmt.Errorf("cross rate: %w", err)
	}
	return text, nil
}
