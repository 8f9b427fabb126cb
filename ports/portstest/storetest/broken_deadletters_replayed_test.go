package storetest_test

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

const (
	replayedFields    = "a replayed event is claimed as it was saved"
	replayedMark      = "a replayed event is marked as such until it is delivered"
	replayedInstant   = "a replayed event waits until the time of its replay"
	replayedListed    = "a replayed event is not listed until it is buried again"
	replayedDelivered = "a replayed event can be delivered"
	discardNamed      = "Discard removes the given buried events and returns their number"
	discardNone       = "Discard without ids is rejected"
	discardForGood    = "a discarded event is never claimed again"
	oneOfMany         = "of many concurrent replays and discards of an event one succeeds"
	allOnce           = "concurrent replays of all events replay each event once"
)

type (
	replayFunc  = func(ctx context.Context, now time.Time, ids ...string) (int, error)
	discardFunc = func(ctx context.Context, ids ...string) (int, error)
)

// replaysBy replaces Replay with fn.
func replaysBy(fn func(ctx context.Context, replay replayFunc, now time.Time, ids []string) (int, error)) func(b *bundle) {
	return func(b *bundle) {
		replay := b.letters.replay
		b.letters.replay = func(ctx context.Context, now time.Time, audit ports.AuditRow, ids ...string) (int, error) {
			return fn(ctx, func(ctx context.Context, now time.Time, ids ...string) (int, error) {
				return replay(ctx, now, audit, ids...)
			}, now, ids)
		}
	}
}

// discardsBy replaces Discard with fn.
func discardsBy(fn func(ctx context.Context, discard discardFunc, ids []string) (int, error)) func(b *bundle) {
	return func(b *bundle) {
		discard := b.letters.discard
		b.letters.discard = func(ctx context.Context, audit ports.AuditRow, ids ...string) (int, error) {
			return fn(ctx, func(ctx context.Context, ids ...string) (int, error) { return discard(ctx, audit, ids...) }, ids)
		}
	}
}

// namedAs returns the ids of the buried events that f does not distinguish from the given ones.
func (b *bundle) namedAs(ctx context.Context, f func(string) string, ids []string) []string {
	page, err := b.letters.buried(ctx, 0, 1000)
	if err != nil {
		panic(err)
	}
	var found []string
	for i := range page {
		if slices.ContainsFunc(ids, func(id string) bool { return f(id) == f(page[i].ID) }) {
			found = append(found, page[i].ID)
		}
	}
	return found
}

func mapReplayed(b *bundle, f func(string) string) {
	replaysBy(func(ctx context.Context, replay replayFunc, now time.Time, ids []string) (int, error) {
		return replay(ctx, now, b.namedAs(ctx, f, ids)...)
	})(b)
}

func mapDiscarded(b *bundle, f func(string) string) {
	discardsBy(func(ctx context.Context, discard discardFunc, ids []string) (int, error) {
		return discard(ctx, b.namedAs(ctx, f, ids)...)
	})(b)
}

// onReplayed lets fn change the events whose ids were passed to Replay.
func onReplayed(fn func(e *ports.Event)) func(b *bundle) {
	return func(b *bundle) {
		named := map[string]bool{}
		replaysBy(func(ctx context.Context, replay replayFunc, now time.Time, ids []string) (int, error) {
			for _, id := range ids {
				named[id] = true
			}
			return replay(ctx, now, ids...)
		})(b)
		eachEvent(func(e *ports.Event) {
			if named[e.ID] {
				fn(e)
			}
		})(b)
	}
}

func replaysLater(by time.Duration) func(b *bundle) {
	return replaysBy(func(ctx context.Context, replay replayFunc, now time.Time, ids []string) (int, error) {
		return replay(ctx, now.Add(by), ids...)
	})
}

// listsForEver lists every event that it has ever listed.
func listsForEver(b *bundle) {
	seen := map[int64]ports.BuriedEvent{}
	onBuried(func(page []ports.BuriedEvent) []ports.BuriedEvent {
		for _, e := range page {
			seen[e.Pos] = e
		}
		var all []ports.BuriedEvent
		for _, pos := range slices.Sorted(maps.Keys(seen)) {
			all = append(all, seen[pos])
		}
		return all
	})(b)
}

// onBury passes each buried event and its reason to fn.
func onBury(b *bundle, fn func(e ports.Event, reason *string)) {
	bury := b.outbox.bury
	b.outbox.bury = func(ctx context.Context, e ports.Event, reason string) error {
		fn(e, &reason)
		return bury(ctx, e, reason)
	}
}

// countsEver counts every event that was ever buried.
func countsEver(b *bundle) {
	var mu sync.Mutex
	ever := map[string]bool{}
	onBury(b, func(e ports.Event, _ *string) { ever[e.ID] = true })
	replaysBy(func(ctx context.Context, replay replayFunc, now time.Time, ids []string) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		n, err := replay(ctx, now, ids...)
		if len(ids) == 0 {
			n = len(ever)
		}
		return n, err
	})(b)
}

var replayedFlaws = append(
	confuse("replayed ids", "ids that look alike are replayed separately", looks, mapReplayed),
	flawedStore{"forgets the owner of a replayed event", replayedFields, onReplayed(func(e *ports.Event) { e.Owner = "" })},
	flawedStore{"forgets the data of a replayed event", replayedFields, onReplayed(func(e *ports.Event) { e.Data = nil })},
	flawedStore{"continues to count the attempts of a replayed event", replayedFields, onReplayed(func(e *ports.Event) { e.Attempt++ })},
	flawedStore{"counts the claims of a replayed event from 1", replayedMark, eachEvent(func(e *ports.Event) { e.Claim = int64(e.Attempt) })},
	flawedStore{"counts claims from 0", replayedMark, eachEvent(func(e *ports.Event) { e.Claim-- })},
	flawedStore{"marks events that were never replayed", replayedMark, eachEvent(func(e *ports.Event) { e.Claim++ })},
	flawedStore{"replays at once", replayedInstant, replaysLater(-24 * time.Hour)},
	flawedStore{"replays too late", replayedInstant, replaysLater(time.Millisecond)},
	flawedStore{"lists replayed events", replayedListed, listsForEver},
	flawedStore{"keeps the first reason", replayedListed, func(b *bundle) {
		first := map[string]string{}
		onBury(b, func(e ports.Event, reason *string) {
			if first[e.ID] == "" {
				first[e.ID] = *reason
			}
			*reason = first[e.ID]
		})
	}},
	flawedStore{"changes the position of an event buried again", replayedListed, func(b *bundle) {
		buried := map[string]int64{}
		onBury(b, func(e ports.Event, _ *string) { buried[e.ID]++ })
		eachBuried(func(e *ports.BuriedEvent) { e.Pos += (buried[e.ID] - 1) * 1000 })(b)
	}},
	flawedStore{"counts claimed events as replayed", replayedDelivered, countsEver},
	flawedStore{"buries events delivered after a replay", replayedDelivered, func(b *bundle) {
		b.outbox.ack = func(ctx context.Context, e ports.Event) error { return b.outbox.bury(ctx, e, "") }
	}},
)

// discardsClaimed also removes claimed events.
func discardsClaimed(b *bundle) {
	out := map[string]ports.Event{}
	eachEvent(func(e *ports.Event) { out[e.ID] = *e })(b)
	discardsBy(func(ctx context.Context, discard discardFunc, ids []string) (int, error) {
		for _, id := range ids {
			if err := b.outbox.ack(ctx, out[id]); err != nil && errcodes.Of(err) != errcodes.Conflict {
				return 0, err
			}
		}
		return discard(ctx, ids...)
	})(b)
}

// hidesDiscarded only omits discarded events from listings.
func hidesDiscarded(b *bundle) {
	hidden := map[string]bool{}
	discardsBy(func(_ context.Context, _ discardFunc, ids []string) (int, error) {
		for _, id := range ids {
			hidden[id] = true
		}
		return len(ids), nil
	})(b)
	onBuried(func(page []ports.BuriedEvent) []ports.BuriedEvent {
		return slices.DeleteFunc(page, func(e ports.BuriedEvent) bool { return hidden[e.ID] })
	})(b)
}

var countsNamed = discardsBy(func(ctx context.Context, discard discardFunc, ids []string) (int, error) {
	_, err := discard(ctx, ids...)
	return len(ids), err
})

var discardFlaws = append(
	confuse("discarded ids", "ids that look alike are discarded separately", looks, mapDiscarded),
	flawedStore{"discards nothing", discardNamed, discardsBy(func(_ context.Context, _ discardFunc, ids []string) (int, error) { return len(ids), nil })},
	flawedStore{"counts the given ids", discardNamed, countsNamed},
	flawedStore{"discards the first of the given events", discardNamed, discardsBy(func(ctx context.Context, discard discardFunc, ids []string) (int, error) {
		n, err := discard(ctx, ids[0])
		return max(n, min(2, len(ids)-n)), err
	})},
	flawedStore{"discards claimed events", discardNamed, discardsClaimed},
	flawedStore{"discards all without ids", discardNone, discardsBy(func(ctx context.Context, discard discardFunc, ids []string) (int, error) {
		if len(ids) == 0 {
			ids = []string{"a"}
		}
		return discard(ctx, ids...)
	})},
	flawedStore{"accepts a discard without ids", discardNone, discardsBy(func(ctx context.Context, discard discardFunc, ids []string) (int, error) {
		if len(ids) == 0 {
			return 0, nil
		}
		return discard(ctx, ids...)
	})},
	flawedStore{"only hides discarded events", discardForGood, hidesDiscarded},
	flawedStore{"lets the claim that buried settle a discarded event", discardForGood, takesStale},
	flawedStore{"counts every concurrent discard", oneOfMany, countsNamed},
	flawedStore{"replays discarded events", oneOfMany, func(b *bundle) {
		discardsBy(func(ctx context.Context, _ discardFunc, ids []string) (int, error) {
			return b.letters.replay(ctx, time.Time{}, ports.AuditRow{At: kit.Epoch, Act: "test.write"}, ids...)
		})(b)
	}},
	flawedStore{"counts every concurrent replay", allOnce, countsEver},
	flawedStore{"replays one of all", allOnce, replaysBy(func(ctx context.Context, replay replayFunc, now time.Time, ids []string) (int, error) {
		if len(ids) == 0 {
			ids = []string{"a"}
		}
		return replay(ctx, now, ids...)
	})},
)
