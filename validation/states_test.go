package validation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/corridor-go/corridor/internal/docpage"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation"
)

const diagram = "../internal/docs/validation-states.md"

// The page is generated from the tables that drive the code.
func TestStateDiagramIsFresh(t *testing.T) {
	docpage.Check(t, diagram, drawStates())
}

func drawStates() string {
	var b strings.Builder
	b.WriteString("# States of a validation\n\nGenerated from the transition table of package validation (SPEC 2.8 and 4.7). No other transition exists.\n\n```mermaid\nstateDiagram-v2\n")
	name := func(s ports.ValidationStatus) string {
		if s == "" {
			return "[*]"
		}
		return string(s)
	}
	for _, row := range validation.Transitions() {
		fmt.Fprintf(&b, "    %s --> %s: %s\n", name(row.From), name(row.To), row.On)
	}
	b.WriteString("```\n\n| from | when | to | event |\n|---|---|---|---|\n")
	for _, row := range validation.Transitions() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", row.From, row.On, row.To, row.Event)
	}
	b.WriteString("\n## Outcomes of connector calls\n\nThe consequences of each outcome (`ports.OutcomeRules`). The last two columns are what a circuit breaker counts.\n\n" +
		"| outcome | status | cached | next connector called | one retry | success | failure |\n|---|---|---|---|---|---|---|\n")
	for _, r := range ports.OutcomeRules() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", r.Outcome, r.Status, yes(r.Cached), yes(r.FailOver), yes(r.Retry), yes(r.Success), yes(r.Failure))
	}
	return b.String()
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

// Each status except pending is terminal, and each terminal status can be reached
// directly and from pending (I18).
func TestTransitionsEnd(t *testing.T) {
	ends := []ports.ValidationStatus{ports.StatusVerified, ports.StatusNameMismatch, ports.StatusNotFound, ports.StatusError}
	reached := map[[2]ports.ValidationStatus]int{}
	for _, row := range validation.Transitions() {
		assert.False(t, row.From != "" && row.From.Terminal(), "a terminal state is left by %s", row.On)
		assert.NotEmpty(t, row.Event, "I32")
		reached[[2]ports.ValidationStatus{row.From, row.To}]++
	}
	for _, from := range []ports.ValidationStatus{"", ports.StatusPending} {
		assert.Equal(t, 1, reached[[2]ports.ValidationStatus{from, ports.StatusPending}])
		for _, end := range ends {
			assert.Equal(t, 1, reached[[2]ports.ValidationStatus{from, end}], "%s to %s", from, end)
		}
	}
}

// Only definite outcomes are cached, and definite outcomes end the lookup.
func TestTheOutcomeTableIsConsistent(t *testing.T) {
	seen := make(map[ports.Outcome]bool)
	for _, r := range ports.OutcomeRules() {
		assert.False(t, seen[r.Outcome], "%s stands twice", r.Outcome)
		seen[r.Outcome] = true
		assert.False(t, r.Cached && r.FailOver, "%s", r.Outcome)
		assert.False(t, r.Cached && r.Status == ports.StatusError, "%s: an error is kept", r.Outcome)
		assert.False(t, r.Status != ports.StatusError && r.FailOver, "%s: a definite answer is not final", r.Outcome)
		assert.False(t, r.Success && r.Failure, "%s", r.Outcome)
		assert.False(t, r.Retry && r.Success, "%s", r.Outcome)
		assert.True(t, r.Status.Terminal())
		assert.Equal(t, r, r.Outcome.Rule())
	}
	assert.Equal(t, ports.OutcomeMalformed, ports.Outcome("nonsense").Rule().Outcome)
}
