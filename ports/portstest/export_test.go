package portstest

import (
	"testing"
	"time"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// CheckNames returns the names of a suite's checks.
func CheckNames(suite string) []string {
	switch suite {
	case "EventSink":
		return kit.Names(sinkChecks)
	case "Clock":
		return kit.Names(clockChecks)
	case "Sealer":
		return kit.Names(sealerChecks)
	default:
		return nil
	}
}

// RunSinkCheck runs one check of EventSink.
func RunSinkCheck(tb testing.TB, name string, s Sink) {
	kit.One("EventSink", sinkChecks, name, &sinkKit{kit.Kit{TB: tb}, s})
}

// RunClockCheck runs one check of ClockPort.
func RunClockCheck(tb testing.TB, name string, clock ports.Clock, advance func(time.Duration)) {
	kit.One("ClockPort", clockChecks, name, &clockKit{Kit: kit.Kit{TB: tb}, clock: clock, advance: advance})
}

// RunSealerCheck runs one check of Sealer.
func RunSealerCheck(tb testing.TB, name string, h SealerHarness) {
	kit.One("Sealer", sealerChecks, name, &sealerKit{Kit: kit.Kit{TB: tb}, harness: h})
}
