package demo

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/validation"
)

// Each chapter fails if its values are wrong.
func TestDemoFailsOnUnexpectedAccounts(t *testing.T) {
	for name, c := range map[string]struct {
		policy   validation.Policy
		chapters func(s *story) []func()
	}{
		"answers are cached for an hour only": {
			validation.Policy{AnswerTTL: time.Hour}, func(s *story) []func() { return []func(){s.payee} },
		},
		"the cached answer is stale": {
			validation.Policy{AnswerTTL: time.Hour}, func(s *story) []func() {
				return []func(){func() { s.validate(demoAccount, "") }, s.anotherName}
			},
		},
		"check digits are ignored": {
			validation.Policy{CheckDigit: validation.Advise}, func(s *story) []func() { return []func(){s.wrongCheckDigit} },
		},
		"the slow bank has already answered": {
			validation.Policy{AnswerTTL: time.Hour}, func(s *story) []func() {
				return []func(){func() { s.impatient(); s.clock.Add(time.Second); _, _ = s.accounts.Wait(s.ctx, shop, s.slow) }, s.slowBank}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := newStory(t.Context(), io.Discard)
			require.NoError(t, err)
			s.accounts, err = s.newAccounts(c.policy)
			require.NoError(t, err)
			require.ErrorContains(t, s.play(c.chapters(s)...), "the demo failed")
			require.NoError(t, s.accounts.Stop(context.Background()))
		})
	}
}
