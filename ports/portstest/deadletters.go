package portstest

import (
	"context"
	"slices"
	"testing"

	"github.com/corridor-go/corridor/ports"
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

var deadLetterChecks = slices.Concat(buriedChecks, replayChecks, replayedChecks, discardChecks, deadLetterOutcomeChecks)

// bury saves an event of a key of its own for each id, and buries them in the
// order given: the ids are saved in that of their bytes.
func (k *kit) bury(ids ...string) {
	k.Helper()
	for _, id := range slices.Sorted(slices.Values(ids)) {
		k.carryEvents(event(id, "lock of "+id))
	}
	claimed := map[string]ports.Event{}
	for _, e := range k.claimEvents(epoch, 1000) {
		claimed[e.ID] = e
	}
	for _, id := range ids {
		k.ok(k.Outbox.Bury(k.Context(), claimed[id], "reason of "+id), "Bury")
	}
}

// page lists buried events.
func (k *kit) page(after int64, limit int) []ports.BuriedEvent {
	k.Helper()
	page, err := k.DeadLetters.Buried(k.Context(), after, limit)
	k.ok(err, "Buried")
	return page
}

// buries checks which events are listed, in order.
func (k *kit) buries(what string, want ...string) {
	k.Helper()
	k.same(buriedIDs(k.page(0, 1000)), append([]string{}, want...), what)
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
func (k *kit) replays(what string, want int, ids ...string) {
	k.Helper()
	n, err := k.DeadLetters.Replay(k.Context(), epoch, ids...)
	k.ok(err, "Replay")
	k.same(n, want, "the number replayed, when "+what)
}

// discards removes the events named, and checks how many there were.
func (k *kit) discards(what string, want int, ids ...string) {
	k.Helper()
	n, err := k.DeadLetters.Discard(k.Context(), ids...)
	k.ok(err, "Discard")
	k.same(n, want, "the number discarded, when "+what)
}

// deadLetterCalls makes every call of the port; the event of the id is buried.
func (k *kit) deadLetterCalls(id string) map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"Buried":           func(ctx context.Context) error { _, err := k.DeadLetters.Buried(ctx, 0, 10); return err },
		"Replay of all":    func(ctx context.Context) error { _, err := k.DeadLetters.Replay(ctx, epoch); return err },
		"Replay of one":    func(ctx context.Context) error { _, err := k.DeadLetters.Replay(ctx, epoch, id); return err },
		"Discard":          func(ctx context.Context) error { _, err := k.DeadLetters.Discard(ctx, id); return err },
		"Discard of stray": func(ctx context.Context) error { _, err := k.DeadLetters.Discard(ctx, "unknown"); return err },
	}
}
