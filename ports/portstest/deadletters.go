package portstest

import (
	"slices"
	"testing"
)

// DeadLetters checks a ports.DeadLetters. Events come in through the store's
// RateLocks, and are buried through its Outbox.
func DeadLetters(t *testing.T, h StoreHarness) {
	t.Helper()
	runStore(t, h, deadLetterChecks, func(s Store) string {
		if s.DeadLetters == nil || s.Outbox == nil || s.RateLocks == nil {
			return "the store lists no buried events, or has no outbox or rate locks to get them from"
		}
		return ""
	})
}

var deadLetterChecks = slices.Concat(replayChecks)
