//go:build !race

package banks_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/corridor-go/corridor/ports/banks"
)

func TestLookUpsAllocateNothing(t *testing.T) {
	for name, lookUp := range map[string]func(){
		"Find":               func() { _, _ = banks.Find("NGA", "000014") },
		"Find, a branch":     func() { _, _ = banks.Find("KEN", "68000") },
		"Find, unknown":      func() { _, _ = banks.Find("NGA", "999") },
		"Canonical":          func() { _ = banks.Canonical("NGA", "000014") },
		"Canonical, unknown": func() { _ = banks.Canonical("NGA", "999") },
		"Code":               func() { _, _ = banks.Code("paystack", "NGA", "000014") },
	} {
		assert.Zero(t, testing.AllocsPerRun(100, lookUp), name)
	}
}
