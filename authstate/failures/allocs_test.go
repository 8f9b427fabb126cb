//go:build !race

package failures_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
)

func TestAnExactCodeAllocatesNothing(t *testing.T) {
	n := normaliser(t, overrides(own, row("1", "", declined)))
	for _, in := range []failures.Input{
		payin(failures.MpesaDaraja, "1037", "DS timeout"), {Scheme: failures.ISO8583, Direction: errcodes.Payout, Code: "05"}, payin(own, "1", ""),
	} {
		assert.Zero(t, testing.AllocsPerRun(100, func() {
			if r, err := n.Normalise(in); err != nil || r.Outcome != failures.Failed {
				t.Error(r, err)
			}
		}), "%v", in)
	}
}
