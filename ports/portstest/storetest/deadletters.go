package storetest

import (
	"context"
	"slices"
	"testing"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// DeadLetters checks a ports.DeadLetters. Events come in through the store's
// RateLocks, and are buried through its Outbox.
func DeadLetters(t *testing.T, h Harness) {
	t.Helper()
	runStore(t, h, deadLetterChecks, func(s Store) string {
		if s.DeadLetters == nil || s.Outbox == nil || s.RateLocks == nil {
			return "the store lists no buried events, or has no outbox or rate locks to get them from"
		}
		return ""
	})
}

var deadLetterChecks = slices.Concat(buriedChecks, replayChecks, replayedChecks, discardChecks, deadLetterOutcomeChecks)

// bury saves an event of a key of its own for each id, and buries them in the
// order given: the ids are saved in that of their bytes.
func (k *storeKit) bury(ids ...string) {
	k.Helper()
	for _, id := range slices.Sorted(slices.Values(ids)) {
		k.carryEvents(kit.Event(id, "lock of "+id))
	}
	claimed := map[string]ports.Event{}
	for _, e := range k.claimEvents(kit.Epoch, 1000) {
		claimed[e.ID] = e
	}
	for _, id := range ids {
		k.OK(k.Outbox.Bury(k.Context(), claimed[id], "reason of "+id), "Bury")
	}
}

// page lists buried events.
func (k *storeKit) page(after int64, limit int) []ports.BuriedEvent {
	k.Helper()
	page, err := k.DeadLetters.Buried(k.Context(), after, limit)
	k.OK(err, "Buried")
	return page
}

// buries checks which events are listed, in order.
func (k *storeKit) buries(what string, want ...string) {
	k.Helper()
	k.Same(buriedIDs(k.page(0, 1000)), append([]string{}, want...), what)
}

func buriedIDs(page []ports.BuriedEvent) []string {
	out := []string{}
	for i := range page {
		out = append(out, page[i].ID)
	}
	return out
}

// replays brings the events named back at the epoch, or all, and checks how
// many there were.
func (k *storeKit) replays(what string, want int, ids ...string) {
	k.Helper()
	n, err := k.DeadLetters.Replay(k.Context(), kit.Epoch, ids...)
	k.OK(err, "Replay")
	k.Same(n, want, "the number replayed, when "+what)
}

// discards removes the events named, and checks how many there were.
func (k *storeKit) discards(what string, want int, ids ...string) {
	k.Helper()
	n, err := k.DeadLetters.Discard(k.Context(), ids...)
	k.OK(err, "Discard")
	k.Same(n, want, "the number discarded, when "+what)
}

// deadLetterCalls makes every call of the port; the event of the id is buried.
func (k *storeKit) deadLetterCalls(id string) map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"Buried":           func(ctx context.Context) error { _, err := k.DeadLetters.Buried(ctx, 0, 10); return err },
		"Replay of all":    func(ctx context.Context) error { _, err := k.DeadLetters.Replay(ctx, kit.Epoch); return err },
		"Replay of one":    func(ctx context.Context) error { _, err := k.DeadLetters.Replay(ctx, kit.Epoch, id); return err },
		"Discard":          func(ctx context.Context) error { _, err := k.DeadLetters.Discard(ctx, id); return err },
		"Discard of stray": func(ctx context.Context) error { _, err := k.DeadLetters.Discard(ctx, "unknown"); return err },
	}
}
