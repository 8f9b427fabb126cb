package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/corridor-go/corridor/ports"
)

type connectorsCmd struct{}

// Run prints what each connector can do.
func (connectorsCmd) Run(world *surroundings) error {
	rows, err := capabilityMatrix()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(world.stdout, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		if _, err := fmt.Fprintln(w, strings.Join(r, "\t")); err != nil {
			return err
		}
	}
	return w.Flush()
}

// placeholder stands for every credential where no provider is asked: what a
// connector can do does not depend on them.
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

// capabilityMatrix is a head and a row for each connector and market.
func capabilityMatrix() ([][]string, error) {
	rows := [][]string{{"connector", "market", "holder's name", "needs identity", "bills failures", "last live-tested"}}
	for _, kind := range connectorKinds {
		c, err := kind.open(placeholder)
		if err != nil {
			return nil, err
		}
		can := c.Capabilities()
		for _, m := range can.Markets {
			rows = append(rows, []string{
				c.Name(), m.String(), nameKnowledge(can, m), yesNo(needsIdentity(can, m)), yesNo(can.BillsFailures), orNever(can.LastLiveTested),
			})
		}
	}
	return rows, nil
}

// nameKnowledge says what a connector knows of names in a market. One that both
// returns and compares compares where it must be given an identity.
func nameKnowledge(can ports.Capabilities, m ports.Market) string {
	switch {
	case can.ComparesName && (!can.ReturnsName || needsIdentity(can, m)):
		return "compared by the provider"
	case can.ReturnsName:
		return "returned"
	default:
		return "unknown"
	}
}

func needsIdentity(can ports.Capabilities, m ports.Market) bool {
	return slices.Contains(can.NeedsIdentity, m)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func orNever(day string) string {
	if day == "" {
		return "never"
	}
	return day
}
