package connectortest

import (
	"io/fs"
	"testing"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// ConnectorCheckNames lists the checks of AccountConnector for a harness.
func ConnectorCheckNames(tb testing.TB, h Harness) []string {
	return kit.Names(connectorChecksFor(tb, h, h.load(tb)))
}

// RunConnectorCheck runs one check of AccountConnector.
func RunConnectorCheck(tb testing.TB, name string, h Harness) {
	scenarios := h.load(tb)
	kit.One(tb, "AccountConnector", connectorChecksFor(tb, h, scenarios), name,
		&connectorKit{Kit: kit.Kit{TB: tb}, Harness: h, scenarios: scenarios, prompt: patience})
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
