package demo

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/authstate/failures"
)

// Each chapter fails if its values are wrong.
func TestDemoFailsOnUnexpectedFailures(t *testing.T) {
	for name, c := range map[string]struct {
		row     failures.Row
		chapter func(s *story)
	}{
		"the payer's PIN is another code": {
			failures.Row{Code: "2001", Payin: "declined", Payout: "configurationError", Confidence: failures.Sure},
			(*story).wrongPIN,
		},
		"the operator's credential is another code": {
			failures.Row{Code: "2001", Payin: "invalidPin", Payout: "downstreamError", Confidence: failures.Sure},
			(*story).wrongPIN,
		},
		"the confidence is lower": {
			failures.Row{Code: "2001", Payin: "invalidPin", Payout: "configurationError", Confidence: failures.Judgement},
			(*story).wrongPIN,
		},
		"no money arrives": {
			failures.Row{Code: "0", Payin: failures.AnswerPending, Confidence: failures.Sure},
			(*story).lateMoney,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := newStory(t.Context(), io.Discard)
			require.NoError(t, err)
			normaliser, err := failures.New(&failures.Config{
				Overrides: map[failures.Scheme][]failures.Row{failures.MpesaDaraja: {c.row}},
			})
			require.NoError(t, err)
			s.payments, err = authstate.New(
				authstate.Ports{Transactions: s.store.Transactions(), Work: s.store.Work()},
				authstate.Policy{Normaliser: normaliser}, &authstate.Config{Clock: s.clock},
			)
			require.NoError(t, err)
			require.ErrorContains(t, s.play(func() { c.chapter(s) }), "the demo failed")
		})
	}
}
