package storemodel

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/ports"
)

// Outbox makes the same calls to the stores and to the memory store, which has its
// own model, and checks that all results agree. Claims, late acknowledgements,
// replays and jumps of the clock come in any order.
func Outbox(t *testing.T, fresh Fresh) {
	rapid.Check(t, func(rt *rapid.T) {
		d := &outboxDifferential{differential: newDifferential(rt, fresh), now: Epoch, used: map[[2]string]bool{}}
		rt.Repeat(map[string]func(*rapid.T){
			"save": d.save, "claim": d.claim, "settle": d.settle, "replay": d.replay, "discard": d.discard, "list": d.list, "jump": d.jump,
		})
	})
}

type outboxDifferential struct {
	differential
	now    time.Time
	used   map[[2]string]bool // ids and keys of events
	claims []ports.Event      // all events ever claimed
}

func (d *outboxDifferential) jump(t *rapid.T) {
	d.now = d.now.Add(time.Duration(rapid.IntRange(-20, 60).Draw(t, "seconds")) * time.Second)
}

func (d *outboxDifferential) id(t *rapid.T, label string) string {
	return strconv.Itoa(rapid.IntRange(1, d.saves+1).Draw(t, label))
}

func (d *outboxDifferential) save(t *rapid.T) {
	b, err := d.model.RateLocks().Book(context.Background(), KeyOf("acme"))
	require.NoError(t, err)
	change := ports.RateLockChange{Book: b}
	for _, key := range rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "A"}), 1, 4).Draw(t, "keys") {
		d.saves++
		e := ports.Event{ID: strconv.Itoa(d.saves), Key: key, At: Epoch}
		again := d.id(t, "again")
		here := slices.ContainsFunc(change.Events, func(e ports.Event) bool { return e.ID == again })
		if !here && !d.used[[2]string{again, key}] {
			e.ID = again // an event of another change and key may have the same id
		}
		d.used[[2]string{e.ID, key}] = true
		change.Events = append(change.Events, e)
	}
	d.tries(t, func(s Store) error { return s.RateLocks().Save(context.Background(), change) })
}

func (d *outboxDifferential) claim(t *rapid.T) {
	n := rapid.IntRange(1, 4).Draw(t, "n")
	lease := time.Duration(rapid.IntRange(1, 30).Draw(t, "lease")) * time.Second
	d.claims = append(d.claims, asks(t, &d.differential, func(s Store) ([]ports.Event, error) {
		return all(s.Outbox().Claim(context.Background(), d.now, lease, n))
	})...)
}

// settle ends one of all claims ever made. Only an event's latest claim can
// be ended.
func (d *outboxDifferential) settle(t *rapid.T) {
	if len(d.claims) == 0 {
		t.Skip("nothing was claimed")
	}
	ctx, e := context.Background(), rapid.SampledFrom(d.claims).Draw(t, "claim")
	at := d.now.Add(time.Duration(rapid.IntRange(-5, 30).Draw(t, "delay")) * time.Second)
	reason := rapid.SampledFrom([]string{"", "no use", "\x00\xff"}).Draw(t, "reason")
	settle := rapid.SampledFrom([]func(o ports.Outbox) error{
		func(o ports.Outbox) error { return o.Ack(ctx, e) },
		func(o ports.Outbox) error { return o.Retry(ctx, e, at) },
		func(o ports.Outbox) error { return o.Bury(ctx, e, reason) },
	}).Draw(t, "how")
	d.tries(t, func(s Store) error { return settle(s.Outbox()) })
}

func (d *outboxDifferential) replay(t *rapid.T) {
	var ids []string
	if !rapid.Bool().Draw(t, "all") {
		ids = []string{d.id(t, "id")}
	}
	asks(t, &d.differential, func(s Store) (int, error) {
		return s.DeadLetters().Replay(context.Background(), d.now, AuditRow, ids...)
	})
}

func (d *outboxDifferential) discard(t *rapid.T) {
	ids := []string{d.id(t, "id"), d.id(t, "another")}
	asks(t, &d.differential, func(s Store) (int, error) { return s.DeadLetters().Discard(context.Background(), AuditRow, ids...) })
}

// list reads the buried events in pages. Their positions differ between stores.
func (d *outboxDifferential) list(t *rapid.T) {
	limit := rapid.IntRange(1, 3).Draw(t, "limit")
	asks(t, &d.differential, func(s Store) (list []string, err error) {
		page, after := make([]ports.BuriedEvent, limit), int64(0)
		for len(page) == limit && len(list) <= d.saves {
			if page, err = s.DeadLetters().Buried(context.Background(), after, limit); err != nil {
				return nil, err
			}
			for _, e := range page {
				list, after = append(list, fmt.Sprintf("%s %d %d %q", e.ID, e.Attempt, e.Event.Claim, e.Reason)), e.Pos
			}
		}
		return list, nil
	})
}

// Backlog saves more new events of one key than one transaction reads, followed by
// an event of another key. While the first event is claimed, only that last event
// can be claimed.
func Backlog(t *testing.T, fresh Fresh) {
	store := fresh()[0]
	change := ports.RateLockChange{Book: ports.Book{Key: KeyOf("acme")}}
	for i := range 2500 {
		change.Events = append(change.Events, ports.Event{ID: strconv.Itoa(i), Key: "hot", At: Epoch})
	}
	change.Events = append(change.Events, ports.Event{ID: "last", Key: "cold", At: Epoch})
	require.NoError(t, store.RateLocks().Save(t.Context(), change))
	for _, want := range []string{"0", "last"} {
		events, err := store.Outbox().Claim(t.Context(), Epoch, time.Minute, 1)
		require.NoError(t, err)
		require.Len(t, events, 1)
		require.Equal(t, want, events[0].ID)
	}
	events, err := store.Outbox().Claim(t.Context(), Epoch, time.Minute, 1)
	require.NoError(t, err)
	require.Empty(t, events)
}
