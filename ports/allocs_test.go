//go:build !race

package ports_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/ports"
)

func TestLookupsDoNotAllocate(t *testing.T) {
	codes := []string{"USD", "XOF", "XAU", "BGN", "usd", ""}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		for _, code := range codes {
			sink, sinkOK = ports.MinorDigits(code)
			sinkOK = ports.KnownCurrency(code)
		}
	}))
}

func TestCheckingAChangeAllocatesNothing(t *testing.T) {
	old, minted := lockOf("lock-0", noon.Add(-time.Minute)), lockOf("lock-1", noon)
	change := ports.RateLockChange{
		Book: ports.Book{Key: minted.Book(), HighWater: noon, Slots: [ports.MaxLiveLocks]ports.RateLock{minted}}, Minted: &minted,
		Ended: []ports.RateLock{expired(old)}, Events: []ports.Event{{ID: "a"}, {ID: "b"}}, Work: []ports.WorkItem{{ID: "a"}},
	}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if change.Check() != nil {
			t.Fatal("a sound change was rejected")
		}
	}))
}
