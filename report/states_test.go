package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/corridor-go/corridor/internal/docpage"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report"
)

// The page is generated from the table that drives the code.
func TestStateDiagramIsFresh(t *testing.T) {
	docpage.Check(t, "../internal/docs/report-states.md", drawStates())
}

func drawStates() string {
	var b strings.Builder
	b.WriteString("# States of a report\n\nGenerated from the transition table of package report (SPEC 2.6). No other transition exists.\n\n```mermaid\nstateDiagram-v2\n")
	name := func(s ports.ReportStatus) string {
		if s == "" {
			return "[*]"
		}
		return string(s)
	}
	for _, row := range report.Transitions() {
		fmt.Fprintf(&b, "    %s --> %s: %s\n", name(row.From), name(row.To), row.On)
	}
	b.WriteString("```\n\n| from | when | to | event |\n|---|---|---|---|\n")
	for _, row := range report.Transitions() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", row.From, row.On, row.To, row.Event)
	}
	b.WriteString("\nOne process has the lease of a running report. When the lease runs out, another process starts the report again, a few times at most; " +
		"its files appear under their names only when they are complete.\n")
	return b.String()
}

// Terminal states are final (I22), and each change of state has its event (I32).
func TestTransitionsEnd(t *testing.T) {
	for _, row := range report.Transitions() {
		assert.False(t, row.From.Terminal() && row.From != "", row)
		assert.Equal(t, row.From != row.To, row.Event != "", row)
	}
}
