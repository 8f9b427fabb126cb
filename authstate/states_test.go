package authstate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/internal/docpage"
	"github.com/corridor-go/corridor/ports"
)

func TestTheDiagramShowsTheTransitionTable(t *testing.T) {
	docpage.Check(t, "../internal/docs/transaction-states.md", drawStates())
}

func drawStates() string {
	var b strings.Builder
	b.WriteString("# States of a transaction\n\nGenerated from the transition table of package authstate (SPEC 2.9 and 3.2; SUCCEEDED is the end that SPEC does not show).\n\n" +
		"```mermaid\nstateDiagram-v2\n    [*] --> PENDING: opened\n")
	for _, row := range authstate.Transitions() {
		if row.Effect == authstate.Moved || row.Effect == authstate.LandedLate {
			fmt.Fprintf(&b, "    %s --> %s: %s\n", row.From, row.To, label(row))
		}
	}
	b.WriteString("```\n\nThe effect of what the provider reports, also after the end:\n\n| state | the provider says | state then | effect | event |\n|---|---|---|---|---|\n")
	for _, row := range authstate.Transitions() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", row.From, row.On, row.To, row.Effect, row.Event)
	}
	b.WriteString("\nA late payment is recorded once; later successes are ignored. The next Run, Tick or Get at or after `RespondBy` ends a pending " +
		"transaction with `timeout`. A report that is recorded before that still decides.\n")
	return b.String()
}

func label(row authstate.Transition) string {
	if row.Effect == authstate.LandedLate {
		return "success (late payment, recorded once)"
	}
	return string(row.On)
}

// Terminal states are final (I27), and every change raises an event (I32).
func TestEachStateHasATransitionForEachOutcome(t *testing.T) {
	statuses := []ports.TransactionStatus{
		ports.TransactionPending, ports.TransactionSucceeded, ports.TransactionFailed, ports.TransactionErrored,
	}
	outcomes := []failures.Outcome{failures.Pending, failures.Success, failures.Failed, failures.Errored}
	seen := map[string]int{}
	for _, row := range authstate.Transitions() {
		seen[string(row.From)+" "+string(row.On)]++
		assert.Equal(t, row.From != row.To, row.Effect == authstate.Moved, row)
		assert.False(t, row.From.Terminal() && row.From != row.To, row)
		assert.Equal(t, row.Effect == authstate.Moved || row.Effect == authstate.LandedLate, row.Event != "", row)
	}
	for _, s := range statuses {
		for _, o := range outcomes {
			assert.Equal(t, 1, seen[string(s)+" "+string(o)], "%s on %s", s, o)
		}
	}
	assert.Len(t, authstate.Transitions(), len(statuses)*len(outcomes))
}
