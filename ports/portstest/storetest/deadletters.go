package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// DeadLetters checks a ports.DeadLetters. Events are saved through the store's
// RateLocks and buried through its Outbox.
func DeadLetters(t *testing.T, h Harness) {
	t.Helper()
	runStore(t, h, deadLetterChecks, "Store.DeadLetters, Store.Outbox or Store.RateLocks is nil", func(s Store) bool { return s.DeadLetters != nil && s.Outbox != nil && s.RateLocks != nil })
}

var deadLetterChecks = slices.Concat(buriedChecks, replayChecks)

// bury saves an event for each id, each with a different key, in the order of the
// ids' bytes, and buries them in the order given.
func (k *storeKit) bury(ids ...string) {
	for _, id := range slices.Sorted(slices.Values(ids)) {
		k.carryEvents(kit.Event(id, "lock of "+id))
	}
	claimed := map[string]ports.Event{}
	for _, e := range events.take(k, kit.Epoch, 1000) {
		claimed[e.ID] = e
	}
	for _, id := range ids {
		k.OK(k.Outbox.Bury(k.Context(), claimed[id], "reason of "+id), "Bury")
	}
}

func (k *storeKit) page(after int64, limit int) []ports.BuriedEvent {
	return kit.Got(k.DeadLetters.Buried(k.Context(), after, limit)).OK(k, "Buried")
}

func (k *storeKit) buries(what string, want ...string) {
	k.Same(buriedIDs(k.page(0, 1000)), append([]string{}, want...), what)
}

func buriedIDs(page []ports.BuriedEvent) []string {
	out := []string{}
	for i := range page {
		out = append(out, page[i].ID)
	}
	return out
}

// replays replays the given events, or all, at the epoch and checks the returned
// number.
func (k *storeKit) replays(what string, want int, ids ...string) {
	k.Same(kit.Got(k.DeadLetters.Replay(k.Context(), kit.Epoch, anyAct, ids...)).OK(k, "Replay"), want, "the number replayed: "+what)
}

func (k *storeKit) discards(what string, want int, ids ...string) {
	k.Same(kit.Got(k.DeadLetters.Discard(k.Context(), anyAct, ids...)).OK(k, "Discard"), want, "the number discarded: "+what)
}

func (k *storeKit) deadLetterCalls(id string) map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"Buried":                      func(ctx context.Context) error { return errOf(k.DeadLetters.Buried(ctx, 0, 10)) },
		"Replay of all":               func(ctx context.Context) error { return errOf(k.DeadLetters.Replay(ctx, kit.Epoch, anyAct)) },
		"Replay of one":               func(ctx context.Context) error { return errOf(k.DeadLetters.Replay(ctx, kit.Epoch, anyAct, id)) },
		"Discard":                     func(ctx context.Context) error { return errOf(k.DeadLetters.Discard(ctx, anyAct, id)) },
		"Discard of an unknown event": func(ctx context.Context) error { return errOf(k.DeadLetters.Discard(ctx, anyAct, "unknown")) },
	}
}

var buriedChecks = []storeCheck{
	{"only buried events are listed", func(k *storeKit) {
		k.buries("Buried of an empty store")
		for _, id := range []string{"acknowledged", "retried", "claimed", "waiting"} {
			k.carryEvents(kit.Event(id, id))
		}
		k.OK(k.Outbox.Ack(k.Context(), events.first(k, kit.Epoch, "acknowledged")), "Ack")
		k.OK(k.Outbox.Retry(k.Context(), events.first(k, kit.Epoch, "retried"), kit.Epoch.Add(lease)), "Retry")
		events.first(k, kit.Epoch, "claimed")
		k.buries("Buried while nothing is buried")
	}},
	{"a buried event is listed as it was claimed, with its reason", buriedRoundTrip},
	{"data and reasons of any bytes are listed unchanged", func(k *storeKit) {
		reasons := []string{"", "\x00", "a\x00b\xff\xfe\xc3(", " blanks ", longReason, strings.Repeat("\x00", 1024)}
		for i, reason := range reasons {
			want := kit.Event(fmt.Sprint("event-", i), fmt.Sprint("lock-", i))
			want.Data = kit.AnyBytes[i%len(kit.AnyBytes)]
			k.carryEvents(want)
			k.OK(k.Outbox.Bury(k.Context(), events.first(k, kit.Epoch, want.ID), reason), "Bury")
			want.Attempt = 1
			page := k.page(0, 10)
			k.Same(len(page), i+1, "the number of buried events")
			k.Same(page[i].Event, want, "the buried event")
			k.Same(page[i].Reason, reason, "the reason")
		}
	}},
	{"buried events of every owner are listed in the order of their saves", buriedOrder},
	{"Buried pages without a gap or a repeat", func(k *storeKit) {
		k.bury("d", "a", "e", "c", "b")
		k.carryEvents(kit.Event("waiting", "waiting"))
		k.Same(k.readBuried(func([]ports.BuriedEvent) {}), []string{"a", "b", "c", "d", "e"}, "all pages")
		last := k.page(0, 5)[4].Pos
		k.Same(buriedIDs(k.page(last, 5)), []string{}, "the page after the last event")
		k.Same(buriedIDs(k.page(last-1, 1)), []string{"e"}, "the page before the last event")
	}},
	{"a page continues even if the last event of the previous page was removed", func(k *storeKit) {
		k.bury("a", "b", "c", "d", "e")
		k.Same(k.readBuried(func(page []ports.BuriedEvent) {
			if len(page) == 2 {
				k.discards("a page was read", 1, page[0].ID)
				k.replays("a page was read", 1, page[1].ID)
			}
		}), []string{"a", "b", "c", "d", "e"}, "pages whose events were removed before the next was read")
		k.buries("the events left after the pages", "e")
	}},
	{"changing a listed event does not change the store", func(k *storeKit) {
		k.bury("event-1")
		want := kit.Event("event-1", "lock of event-1")
		want.Attempt = 1
		for range 2 {
			page := k.page(0, 10)
			k.Same(len(page), 1, "the number of buried events")
			k.Same(page[0].Event, want, "the buried event after its bytes were changed outside the store")
			page[0].Data[0] = '?'
		}
		k.replays("its bytes were changed outside", 1)
		k.Same(events.first(k, kit.Epoch, "event-1"), want, "the replayed event after its bytes were changed outside the store")
	}},
	{"a page of buried events is 1 to 1,000", func(k *storeKit) {
		k.bury("a", "b")
		calls := map[string]error{}
		for _, limit := range []int{-1, 0, 1001} {
			calls[fmt.Sprint("Buried with a limit of ", limit)] = errOf(k.DeadLetters.Buried(k.Context(), 0, limit))
		}
		k.invalid(calls)
		k.Same(buriedIDs(k.page(0, 1)), []string{"a"}, "a page of 1")
		k.Same(buriedIDs(k.page(0, 1000)), []string{"a", "b"}, "a page of up to 1,000")
	}},
}

func buriedRoundTrip(k *storeKit) {
	want := kit.Event("event-1", "lock-1")
	want.Kind, want.Owner = "transaction.failed", "zenith"
	k.carryEvents(want)
	events.first(k, kit.Epoch, "event-1")
	k.OK(k.Outbox.Bury(k.Context(), events.first(k, kit.Epoch.Add(lease), "event-1"), "410 gone"), "Bury")
	want.Attempt = 2
	page := k.page(0, 10)
	k.Same(len(page), 1, "the number of buried events")
	k.Same(page[0].Event, want, "the buried event")
	k.Same(page[0].Reason, "410 gone", "the reason")
	if page[0].Pos <= 0 {
		k.Fatalf("Pos is %d, want above 0", page[0].Pos)
	}
	k.conflicts(events.ends(k.Store, page[0].Event, kit.Epoch), "with an event as listed")
}

func buriedOrder(k *storeKit) {
	for _, id := range []string{"m", "z", "a", "k"} {
		e := kit.Event(id, "lock of "+id)
		e.Owner = "owner of " + id
		k.carryEvents(e)
	}
	claimed := events.take(k, kit.Epoch, 10)
	for _, i := range []int{2, 3, 0, 1} {
		k.OK(k.Outbox.Bury(k.Context(), claimed[i], "no use"), "Bury")
	}
	page := k.page(0, 10)
	k.Same(buriedIDs(page), []string{"m", "z", "a", "k"}, "Buried")
	for i := range page {
		k.Same(page[i].Owner, "owner of "+page[i].ID, "the owner")
		if i > 0 && page[i].Pos <= page[i-1].Pos {
			k.Fatalf("Pos does not rise: %d, then %d", page[i-1].Pos, page[i].Pos)
		}
	}
}

func (k *storeKit) readBuried(then func(page []ports.BuriedEvent)) []string {
	return readPages(k, func(after int64, limit int) ([]ports.BuriedEvent, error) {
		return k.DeadLetters.Buried(k.Context(), after, limit)
	}, func(e ports.BuriedEvent) int64 { return e.Pos }, buriedIDs, then)
}
