package connectortest

import (
	"io/fs"
	"testing"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// ConnectorCheckNames returns the names of AccountConnector's checks for a harness.
func ConnectorCheckNames(tb testing.TB, h Harness) []string {
	return kit.Names(connectorChecksFor(tb, h, h.load(tb)))
}

// RunConnectorCheck runs one check of AccountConnector.
func RunConnectorCheck(tb testing.TB, name string, h Harness) {
	scenarios := h.load(tb)
	kit.One("AccountConnector", connectorChecksFor(tb, h, scenarios), name,
		&connectorKit{Kit: kit.Kit{TB: tb}, Harness: h, scenarios: scenarios, prompt: patience})
}

// ParseScenario reads a scenario and returns the expected answer.
func ParseScenario(data []byte) (ports.AccountLookup, ports.Answer, error) {
	s, err := parseScenario(data)
	if err != nil {
		return ports.AccountLookup{}, ports.Answer{}, err
	}
	a, err := s.Expect.answer()
	return s.lookup(), a, err
}

// Assumptions reports how many scenarios are not, or not completely, documented.
func Assumptions(files fs.FS) (string, error) {
	scenarios, err := readScenarios(files)
	return assumptions(scenarios), err
}
