//go:build !race

package market_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/validation/market"
)

func TestCanonicalTextDoesNotAllocate(t *testing.T) {
	for name, check := range map[string]func() bool{
		"IBAN":   func() bool { _, _, ok := market.IBAN("EG380019000500000000263180002"); return ok },
		"NUBAN":  func() bool { _, _, ok := market.NUBAN("044", "1234567895"); return ok },
		"MSISDN": func() bool { _, ok := market.MSISDN("KEN", "254712345678"); return ok },
	} {
		require.Zero(t, testing.AllocsPerRun(100, func() {
			if !check() {
				panic(name)
			}
		}), name)
	}
}
