package main

import (
	"github.com/shopspring/decimal"

	"github.com/corridor-go/corridor/ports"
)

// mids have one to ten digits behind the point, as feeds give them.
var mids = []string{"18.2500", "1.1", "1542.37", "129.501", "0.0547945", "655.957", "0.000629871", "15.1234567891"}

const markupBps = 150

func noClose() {}

func priceOurs() (subject, error) {
	return subject{func(n int) error {
		for i := range n {
			text, err := ports.AllInRate(mids[i%len(mids)], markupBps)
			if err != nil {
				return err
			}
			kept = text
		}
		return nil
	}, noClose}, nil
}

var kept string // keeps the compiler from dropping the work

func priceShopspring() (subject, error) {
	factor := decimal.NewFromInt(10_000 + markupBps)
	return subject{func(n int) error {
		for i := range n {
			mid, err := decimal.NewFromString(mids[i%len(mids)])
			if err != nil {
				return err
			}
			kept = mid.Mul(factor).Shift(-4).String()
		}
		return nil
	}, noClose}, nil
}
