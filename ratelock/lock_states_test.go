package ratelock_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/internal/docpage"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ratelock"
)

const diagram = "../internal/docs/ratelock-states.md"

func TestTheDiagramShowsTheTransitionTable(t *testing.T) {
	docpage.Check(t, diagram, drawStates())
}

func drawStates() string {
	var b strings.Builder
	b.WriteString("# States of a rate lock\n\nGenerated from the transition table of package ratelock (SPEC 3.1). Other transitions do not occur.\n\n```mermaid\nstateDiagram-v2\n")
	name := func(s ports.LockStatus) string {
		if s == "" {
			return "[*]"
		}
		return string(s)
	}
	for _, row := range ratelock.Transitions() {
		label := string(row.On)
		if row.Reason != "" {
			label += " (" + string(row.Reason) + ")"
		}
		if row.Event == "" {
			label += ", unchanged"
		}
		fmt.Fprintf(&b, "    %s --> %s: %s\n", name(row.From), name(row.To), label)
	}
	b.WriteString("    expired --> [*]\n    cancelled --> [*]\n```\n\n| from | when | to | cancellationReason | event |\n|---|---|---|---|---|\n")
	for _, row := range ratelock.Transitions() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", row.From, row.On, row.To, row.Reason, row.Event)
	}
	return b.String()
}

// SPEC 3.1.
func TestTheTransitionsAreThoseOfSPEC(t *testing.T) {
	type key struct {
		from ports.LockStatus
		on   ratelock.Trigger
	}
	want := map[key]struct {
		to     ports.LockStatus
		reason ports.CancellationReason
	}{
		{"", ratelock.OnMint}:                    {ports.LockActive, ""},
		{ports.LockActive, ratelock.OnTime}:      {ports.LockExpired, ""},
		{ports.LockActive, ratelock.OnCancel}:    {ports.LockCancelled, "requested"},
		{ports.LockActive, ratelock.OnDrift}:     {ports.LockCancelled, "market_drift"},
		{ports.LockCancelled, ratelock.OnCancel}: {ports.LockCancelled, ""},
		{ports.LockExpired, ratelock.OnCancel}:   {ports.LockExpired, ""},
	}
	rows := ratelock.Transitions()
	require.Len(t, rows, len(want))
	ratelock.Transitions()[0].To = "changed"
	require.Equal(t, rows, ratelock.Transitions(), "Transitions returns a copy")
	for _, row := range rows {
		w, ok := want[key{row.From, row.On}]
		require.True(t, ok, "%s on %q", row.From, row.On)
		require.Equal(t, w.to, row.To)
		require.Equal(t, w.reason, row.Reason)
		if row.From == ports.LockExpired || row.From == ports.LockCancelled {
			require.Equal(t, row.From, row.To, "terminal states are final")
			require.Empty(t, row.Event)
		}
	}
}
