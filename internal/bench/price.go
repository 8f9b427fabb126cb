package main

import (
	"github.com/shopspring/decimal"

	"github.com/corridor-go/corridor/ports"
)

// mids have one to ten decimal places, as feeds return them.
var mids = []string{"18.2500", "1.1", "1542.37", "129.501", "0.0547945", "655.957", "0.000629871", "15.1234567891"}

const markupBps = 150

func priceOurs(*setup) step {
	return func(n int) {
		for i := range n {
			kept = must(ports.AllInRate(mids[i%len(mids)], markupBps))
		}
	}
}

var kept string //nolint:unused // keeps the compiler from dropping the work

func priceShopspring(*setup) step {
	factor := decimal.NewFromInt(10_000 + markupBps)
	return func(n int) {
		for i := range n {
			kept = must(decimal.NewFromString(mids[i%len(mids)])).Mul(factor).Shift(-4).String()
		}
	}
}
