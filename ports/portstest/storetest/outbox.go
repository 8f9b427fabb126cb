package storetest

import (
	"slices"
	"testing"
)

// Outbox checks a ports.Outbox. Events come in through the store's RateLocks.
func Outbox(t *testing.T, h Harness) {
	t.Helper()
	runStore(t, h, outboxChecks, func(s Store) string {
		if s.Outbox == nil || s.RateLocks == nil {
			return "the store keeps no events, or no rate locks to save them with"
		}
		return ""
	})
}

var outboxChecks = slices.Concat(eventChecks, eventOrderChecks, eventClaimChecks, eventOutcomeChecks)
