package stores_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

func (w *worlds) queueActions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"queue save": w.saveQueued, "outbox claim": w.claimEvents, "outbox settle": w.settleEvent, "work claim": w.claimWork,
		"work settle": w.settleWork, "buried list": w.listBuried, "buried replay": w.replay, "buried discard": w.discard,
	}
}

var workKinds = []string{"kind-a", "kind-b"}

// saveQueued saves events and work of a few keys, together with a separate book.
func (w *worlds) saveQueued(t *rapid.T) {
	key := ports.BookKey{Owner: "carrier", Pair: usdZAR}
	change := ports.RateLockChange{Book: ports.Book{Key: key, Version: w.versions["carrier"]}}
	for range rapid.IntRange(0, 4).Draw(t, "events") {
		w.serial++
		change.Events = append(change.Events, ports.Event{
			ID: fmt.Sprintf("ev-%d", w.serial), Kind: "test.happened", Owner: key.Owner, At: w.clock.Now(),
			Key: rapid.SampledFrom([]string{"k1", "k2", "K1", ""}).Draw(t, "key"), Data: []byte(`{"n":1}`),
		})
	}
	for range rapid.IntRange(0, 3).Draw(t, "work") {
		w.serial++
		due := w.clock.Now().Add(time.Duration(rapid.IntRange(-2, 2).Draw(t, "due")) * time.Minute)
		change.Work = append(change.Work, ports.WorkItem{
			ID: fmt.Sprintf("work-%d", w.serial), Kind: rapid.SampledFrom(workKinds).Draw(t, "kind"), DueAt: due, Payload: []byte{0, 0xff},
		})
	}
	if err := agree(t, w, func(ctx context.Context, w *world) error { return w.RateLocks().Save(ctx, change) }); err == nil {
		w.versions["carrier"]++
	}
}

func (w *worlds) claimEvents(t *rapid.T) {
	now, lease, n := w.claim(t)
	got, err := same(t, w, func(ctx context.Context, w *world) ([]ports.Event, error) {
		return w.Outbox().Claim(ctx, now, lease, n)
	})
	if err == nil {
		w.events = append(w.events, got...)
	}
}

func (w *worlds) claim(t *rapid.T) (now time.Time, lease time.Duration, n int) {
	lease = time.Duration(rapid.SampledFrom([]int{0, 1, 60_000, 60_000}).Draw(t, "lease")) * time.Millisecond
	return w.clock.Now(), lease, rapid.SampledFrom([]int{0, 1, 2, 5, 1000, 1001}).Draw(t, "n")
}

var longReason = strings.Repeat("r", 1025)

func (w *worlds) settleEvent(t *rapid.T) {
	e, how := draw(t, w.events, "event"), rapid.IntRange(0, 5).Draw(t, "how")
	at := w.clock.Now().Add(time.Minute)
	_ = agree(t, w, func(ctx context.Context, w *world) error {
		switch how {
		case 0, 1:
			return w.Outbox().Ack(ctx, e)
		case 2:
			return w.Outbox().Retry(ctx, e, at)
		case 3:
			return w.Outbox().Bury(ctx, e, longReason)
		default:
			return w.Outbox().Bury(ctx, e, "the receiver\xff is gone")
		}
	})
}

func (w *worlds) claimWork(t *rapid.T) {
	now, lease, n := w.claim(t)
	kind := rapid.SampledFrom(workKinds).Draw(t, "kind")
	got, err := same(t, w, func(ctx context.Context, w *world) ([]ports.WorkItem, error) {
		return w.Work().Claim(ctx, kind, now, lease, n)
	})
	if err == nil {
		w.items = append(w.items, got...)
	}
}

func (w *worlds) settleWork(t *rapid.T) {
	i, how := draw(t, w.items, "item"), rapid.IntRange(0, 4).Draw(t, "how")
	at := w.clock.Now().Add(time.Minute)
	_ = agree(t, w, func(ctx context.Context, w *world) error {
		switch how {
		case 0:
			return w.Work().Done(ctx, i)
		case 1:
			return w.Work().Bury(ctx, i, "hopeless")
		case 2:
			return w.Work().Bury(ctx, i, longReason)
		default:
			return w.Work().Retry(ctx, i, at)
		}
	})
}

// listBuried compares everything except the positions, which only increase in each store.
func (w *worlds) listBuried(t *rapid.T) {
	limit, from := rapid.IntRange(0, 3).Draw(t, "limit"), rapid.IntRange(0, 2).Draw(t, "from")
	got, _ := same(t, w, func(ctx context.Context, w *world) ([]ports.BuriedEvent, error) {
		after := int64(0)
		if from > 0 && from <= len(w.pos) {
			after = w.pos[from-1]
		}
		page, err := w.DeadLetters().Buried(ctx, after, limit)
		w.pos = nil
		for i := range page {
			if page[i].Pos <= after {
				t.Fatalf("%s: a listing from %d on has %d", w.name, after, page[i].Pos)
			}
			after = page[i].Pos
			w.pos = append(w.pos, after)
			page[i].Pos = 0
		}
		return page, err
	})
	w.buried = nil
	for i := range got {
		w.buried = append(w.buried, got[i].ID)
	}
}

func (w *worlds) someBuried(t *rapid.T) []string {
	n := rapid.IntRange(0, len(w.buried)).Draw(t, "named")
	return append([]string(nil), w.buried[:n]...)
}

func (w *worlds) replay(t *rapid.T) {
	now, ids := w.clock.Now(), w.someBuried(t)
	_, _ = same(t, w, func(ctx context.Context, w *world) (int, error) {
		return w.DeadLetters().Replay(ctx, now, storemodel.AuditRow, ids...)
	})
}

func (w *worlds) discard(t *rapid.T) {
	ids := append(w.someBuried(t), w.someBuried(t)...)
	_, _ = same(t, w, func(ctx context.Context, w *world) (int, error) {
		return w.DeadLetters().Discard(ctx, storemodel.AuditRow, ids...)
	})
}

// drain delivers and compares all remaining events, including the buried ones.
func (w *worlds) drain(t *rapid.T) {
	now := w.clock.Now().Add(365 * 24 * time.Hour)
	_, _ = same(t, w, func(ctx context.Context, w *world) (int, error) {
		return w.DeadLetters().Replay(ctx, now, storemodel.AuditRow)
	})
	for {
		got, err := same(t, w, func(ctx context.Context, w *world) ([]ports.Event, error) {
			return w.Outbox().Claim(ctx, now, time.Minute, 1000)
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(got) == 0 {
			break
		}
		for i := range got {
			if err := agree(t, w, func(ctx context.Context, w *world) error { return w.Outbox().Ack(ctx, got[i]) }); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, kind := range workKinds {
		_, _ = same(t, w, func(ctx context.Context, w *world) ([]ports.WorkItem, error) {
			return w.Work().Claim(ctx, kind, now, time.Minute, 1000)
		})
	}
}
