package cmd

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/corridor-go/corridor/adapters/service"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation/market"
)

type connectorsCmd struct {
	JSON bool `help:"Print one JSON object for each connector and market." name:"json"`
}

// connectorLine is a connector's capability in a market.
type connectorLine struct {
	Connector      string `json:"connector"`
	Country        string `json:"country"`
	Type           string `json:"accountType"`
	ReturnsName    bool   `json:"returnsName"`
	ComparesName   bool   `json:"comparesName"`
	NeedsIdentity  bool   `json:"needsIdentity"`
	BillsFailures  bool   `json:"billsFailures"`
	Sandbox        bool   `json:"sandbox"` // it calls no provider
	LastLiveTested string `json:"lastLiveTested,omitempty"`
}

// matrixLegend explains the table.
const matrixLegend = `returned: the provider returns the holder's name. compared: it compares the name itself and returns only the result.
with identity: it also needs the holder's identity document.`

// Run prints the capabilities of each connector.
func (c *connectorsCmd) Run(world *surroundings) error {
	if c.JSON {
		return printLines(world)
	}
	m, err := capabilityMatrix(world.parts)
	if err != nil {
		return err
	}
	if err := printTable(world.stdout, m.markets); err != nil {
		return err
	}
	_, err = fmt.Fprintf(world.stdout, "\n%s\n\n", matrixLegend)
	if err != nil {
		return err
	}
	return printTable(world.stdout, m.traits)
}

func printLines(world *surroundings) error {
	out := json.NewEncoder(world.stdout)
	for _, kind := range world.parts.Connectors {
		c, err := kind.Open(service.ConnectorOptions{Env: placeholder})
		if err != nil {
			return err
		}
		for _, can := range c.Capabilities() {
			err := out.Encode(connectorLine{
				kind.Name, can.Country, string(can.Type), can.ReturnsName, can.ComparesName, can.NeedsIdentity, can.BillsFailures,
				kind.Offline, can.LastLiveTested,
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func printTable(out io.Writer, rows [][]string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		if _, err := fmt.Fprintln(w, strings.Join(r, "\t")); err != nil {
			return err
		}
	}
	return w.Flush()
}

// placeholder stands in for credentials: a connector's capabilities do not depend on
// them.
func placeholder(name string) string {
	switch {
	case strings.HasSuffix(name, "_BASE_URL"):
		return ""
	case strings.HasSuffix(name, "_API_USER"):
		return "00000000-0000-4000-8000-000000000000"
	case strings.HasSuffix(name, "_ENVIRONMENT"):
		return "mtnghana"
	default:
		return "placeholder"
	}
}

// matrix contains two tables with headings: the capabilities of connectors by market, and
// their other properties.
type matrix struct{ markets, traits [][]string }

const none = "–"

func capabilityMatrix(parts service.Parts) (matrix, error) {
	rules := market.Rules()
	m := matrix{
		markets: [][]string{{"market"}},
		traits:  [][]string{{"connector", "last live-tested"}},
	}
	for _, rule := range rules {
		m.markets = append(m.markets, []string{rule.Market.String()})
	}
	for _, kind := range parts.Connectors {
		c, err := kind.Open(service.ConnectorOptions{Env: placeholder})
		if err != nil {
			return m, err
		}
		can := c.Capabilities()
		m.markets[0] = append(m.markets[0], kind.Name)
		for i, rule := range rules {
			m.markets[i+1] = append(m.markets[i+1], inMarket(can, rule.Market))
		}
		m.traits = append(m.traits, []string{kind.Name, liveTested(kind, can)})
	}
	return m, nil
}

// inMarket returns a connector's capability in a market.
func inMarket(all []ports.Capability, m ports.Market) string {
	can, served := ports.CapabilityIn(all, m)
	answer := "no name"
	switch {
	case !served:
		return none
	case can.ComparesName:
		answer = "compared"
	case can.ReturnsName:
		answer = "returned"
	}
	if can.NeedsIdentity {
		answer += ", with identity"
	}
	if can.BillsFailures {
		answer += ", bills failures"
	}
	return answer
}

// liveTested returns the day since which all markets have been tested live.
func liveTested(kind service.ConnectorKind, all []ports.Capability) string {
	if kind.Offline {
		return none
	}
	oldest := slices.MinFunc(all, func(a, b ports.Capability) int { return strings.Compare(a.LastLiveTested, b.LastLiveTested) })
	return cmp.Or(oldest.LastLiveTested, "never")
}
