package portstest

import (
	"testing"
	"time"

	"github.com/corridor-go/corridor/ports"
)

var storeSuites = map[string][]storeCheck{
	"RateLockStore": rateLockChecks,
	"Outbox":        outboxChecks,
	"Work":          workChecks,
	"ClientStore":   clientChecks,
	"TokenStore":    tokenChecks,
}

// CheckNames lists the checks of a suite.
func CheckNames(suite string) []string {
	var out []string
	switch suite {
	case "EventSink":
		for _, c := range sinkChecks {
			out = append(out, c.name)
		}
	case "Clock":
		for _, c := range clockChecks {
			out = append(out, c.name)
		}
	default:
		out = names(storeSuites[suite])
	}
	return out
}

// RunStoreCheck runs one check of a store suite.
func RunStoreCheck(tb testing.TB, suite, name string, s Store) {
	for _, c := range storeSuites[suite] {
		if c.name == name {
			c.run(&kit{TB: tb, Store: s})
			return
		}
	}
	tb.Fatalf("%s has no check %q", suite, name)
}

// RunSinkCheck runs one check of EventSink.
func RunSinkCheck(tb testing.TB, name string, s Sink) {
	for _, c := range sinkChecks {
		if c.name == name {
			c.run(&kit{TB: tb}, s)
			return
		}
	}
	tb.Fatalf("EventSink has no check %q", name)
}

// RunClockCheck runs one check of ClockPort.
func RunClockCheck(tb testing.TB, name string, clock ports.Clock, advance func(time.Duration)) {
	for _, c := range clockChecks {
		if c.name == name {
			c.run(&clockKit{kit: kit{TB: tb}, clock: clock, advance: advance})
			return
		}
	}
	tb.Fatalf("ClockPort has no check %q", name)
}

// CheckExceptions is the check of Except.
var CheckExceptions = checkExceptions
