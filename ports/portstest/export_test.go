package portstest

import (
	"io/fs"
	"testing"
	"time"

	"github.com/corridor-go/corridor/ports"
)

var storeSuites = map[string][]storeCheck{
	"RateLockStore": rateLockChecks,
	"Outbox":        outboxChecks,
	"Work":          workChecks,
	"DeadLetters":   deadLetterChecks,
	"ClientStore":   clientChecks,
	"TokenStore":    tokenChecks,

	"ValidationStore":  validationChecks,
	"TransactionStore": transactionChecks,
	"ReportStore":      reportChecks,
	"AnswerCache":      answerCacheChecks,
	"SecretStore":      secretChecks,
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
	case "Sealer":
		for _, c := range sealerChecks {
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

// RunSealerCheck runs one check of Sealer.
func RunSealerCheck(tb testing.TB, name string, h SealerHarness) {
	for _, c := range sealerChecks {
		if c.name == name {
			c.run(&sealerKit{kit: kit{TB: tb}, harness: h})
			return
		}
	}
	tb.Fatalf("Sealer has no check %q", name)
}

// CheckExceptions is the check of Except.
var CheckExceptions = checkExceptions

// ConnectorCheckNames lists the checks of AccountConnector for a harness.
func ConnectorCheckNames(tb testing.TB, h ConnectorHarness) []string {
	scenarios := h.load(tb)
	var out []string
	for _, c := range connectorChecksFor(tb, h, scenarios) {
		out = append(out, c.name)
	}
	return out
}

// RunConnectorCheck runs one check of AccountConnector.
func RunConnectorCheck(tb testing.TB, name string, h ConnectorHarness) {
	scenarios := h.load(tb)
	for _, c := range connectorChecksFor(tb, h, scenarios) {
		if c.name == name {
			c.run(&connectorKit{kit: kit{TB: tb}, ConnectorHarness: h, scenarios: scenarios, prompt: patience})
			return
		}
	}
	tb.Fatalf("AccountConnector has no check %q", name)
}

// ParseScenario reads a scenario; the answer is what it expects.
func ParseScenario(data []byte) (ports.AccountLookup, ports.Answer, error) {
	s, err := parseScenario(data)
	if err != nil {
		return ports.AccountLookup{}, ports.Answer{}, err
	}
	a, err := s.Expect.answer()
	return s.lookup(), a, err
}

// Assumptions tells how much of the scenarios no page shows.
func Assumptions(files fs.FS) (string, error) {
	scenarios, err := readScenarios(files)
	return assumptions(scenarios), err
}
