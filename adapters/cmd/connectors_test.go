package cmd

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/cmd/internal/docpage"
	"github.com/corridor-go/corridor/adapters/service"
	"github.com/corridor-go/corridor/ports"
)

const matrixFile = "../../internal/docs/connector-matrix.md"

// The page is generated from the connectors' capabilities.
func TestMatrixPageIsFresh(t *testing.T) {
	docpage.Check(t, matrixFile, drawMatrix(t))
}

func drawMatrix(t *testing.T) string {
	t.Helper()
	m, err := capabilityMatrix(parts())
	require.NoError(t, err)
	var b strings.Builder
	b.WriteString("# Connectors\n\nGenerated from the connectors' capabilities; `corridor connectors` prints the same.\n\n" +
		"The capability of each connector by market. In a market without a connector only internal rules apply.\n\n")
	drawTable(&b, m.markets)
	b.WriteString("\n" + matrixLegend + "\n\n")
	drawTable(&b, m.traits)
	b.WriteString("\nLast live-tested: the day on which the tests last passed against the provider itself. The sandboxes call no provider.\n")
	return b.String()
}

func drawTable(b *strings.Builder, rows [][]string) {
	for i, r := range rows {
		b.WriteString("| " + strings.Join(r, " | ") + " |\n")
		if i == 0 {
			b.WriteString("|" + strings.Repeat("---|", len(r)) + "\n")
		}
	}
}

// The table contains exactly the connectors' capabilities.
func TestTheMatrixContainsExactlyTheCapabilities(t *testing.T) {
	m, err := capabilityMatrix(parts())
	require.NoError(t, err)
	for i, kind := range parts().Connectors {
		c, err := kind.Open(service.ConnectorOptions{Env: placeholder})
		require.NoError(t, err)
		require.Equal(t, kind.Name, c.Name(), "a flag's name is the result's")
		var claimed, shown []string
		for _, market := range c.Capabilities() {
			claimed = append(claimed, market.String())
		}
		require.Equal(t, kind.Name, m.markets[0][i+1])
		for _, row := range m.markets[1:] {
			if row[i+1] != none {
				shown = append(shown, row[0])
			}
		}
		require.ElementsMatch(t, claimed, shown, kind.Name)
	}
}

func TestTheMatrixDescribesEachCapability(t *testing.T) {
	here, there := ports.Market{Country: "ZAF", Type: ports.BankAccount}, ports.Market{Country: "NGA", Type: ports.BankAccount}
	can := func(can ports.Capability) []ports.Capability {
		can.Market = here
		return []ports.Capability{can}
	}
	for want, got := range map[string]string{
		"returned":                 inMarket(can(ports.Capability{ReturnsName: true}), here),
		"returned, with identity":  inMarket(can(ports.Capability{ReturnsName: true, NeedsIdentity: true}), here),
		"compared":                 inMarket(can(ports.Capability{ComparesName: true}), here),
		"compared, bills failures": inMarket(can(ports.Capability{ComparesName: true, ReturnsName: true, BillsFailures: true}), here),
		"no name":                  inMarket(can(ports.Capability{}), here),
		none:                       inMarket(can(ports.Capability{ReturnsName: true}), there),
	} {
		require.Equal(t, want, got)
	}
	never, once, again := ports.Capability{}, ports.Capability{LastLiveTested: "2026-11-21"}, ports.Capability{LastLiveTested: "2026-12-01"}
	require.Equal(t, "never", liveTested(service.ConnectorKind{}, []ports.Capability{once, never}))
	require.Equal(t, "2026-11-21", liveTested(service.ConnectorKind{}, []ports.Capability{again, once}))
	require.Equal(t, none, liveTested(service.ConnectorKind{Offline: true}, []ports.Capability{once}))
}

// The lines have every capability, and nothing else.
func TestConnectorsPrintsJSON(t *testing.T) {
	code, out, errs := command(t, "", nil, "connectors", "--json")
	require.Zero(t, code, errs)
	var want, got []connectorLine
	for _, kind := range parts().Connectors {
		c, err := kind.Open(service.ConnectorOptions{Env: placeholder})
		require.NoError(t, err)
		for _, can := range c.Capabilities() {
			want = append(want, connectorLine{
				kind.Name, can.Country, string(can.Type), can.ReturnsName, can.ComparesName, can.NeedsIdentity, can.BillsFailures,
				kind.Offline, can.LastLiveTested,
			})
		}
	}
	for line := range strings.Lines(out) {
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.DisallowUnknownFields()
		var read connectorLine
		require.NoError(t, decoder.Decode(&read), line)
		got = append(got, read)
	}
	require.Equal(t, want, got)
	require.Contains(t, out, `{"connector":"paystack","country":"ZAF","accountType":"bank_account","returnsName":false,"comparesName":true,`)
}

func TestConnectorsPrintsTheMatrix(t *testing.T) {
	code, out, errs := command(t, "", nil, "connectors")
	require.Zero(t, code, errs)
	require.Empty(t, errs)
	m, err := capabilityMatrix(parts())
	require.NoError(t, err)
	for _, row := range append(m.markets, m.traits...) {
		require.Regexp(t, `(?m)^`+strings.Join(row, ` {2,}`)+` *$`, out)
	}
	require.Contains(t, out, matrixLegend)
}
