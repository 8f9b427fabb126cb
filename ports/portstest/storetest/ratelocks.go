package storetest

import (
	"slices"
	"testing"
)

// RateLockStore checks a ports.RateLockStore.
func RateLockStore(t *testing.T, h Harness) {
	t.Helper()
	runStore(t, h, rateLockChecks, func(s Store) string {
		if s.RateLocks == nil {
			return "the store keeps no rate locks"
		}
		return ""
	})
}

var rateLockChecks = slices.Concat(
	recordChecks,
	versionChecks,
	changeChecks,
	endingChecks,
	keyChecks,
	listingChecks,
	outcomeChecks,
)
