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

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Outbox compares the outbox with its rule written down plainly: an event is
// claimable if it is the first of its key that is not settled, and its time has
// come. Claims, late acknowledgements, replays and a clock that jumps come in any
// order.
func Outbox(t *testing.T, fresh Fresh) {
	t.Helper()
	rapid.Check(t, func(rt *rapid.T) {
		m := &outboxModel{stores: fresh(), now: Epoch}
		rt.Repeat(map[string]func(*rapid.T){
			"save": m.save, "claim": m.claim, "settle": m.settle, "replay": m.replay, "discard": m.discard, "list": m.list, "jump": m.jump,
		})
	})
}

// modelEvent is what the rule has to know of an event.
type modelEvent struct {
	ports.Event
	from    time.Time // not claimable before
	claimed bool
	buried  bool
	reason  string
}

type outboxModel struct {
	stores []Store
	now    time.Time
	saved  int
	events []*modelEvent // in the order of their saves
	claims []ports.Event // all that were ever handed out
}

func (m *outboxModel) any(t *rapid.T) Store { return rapid.SampledFrom(m.stores).Draw(t, "store") }

func (m *outboxModel) jump(t *rapid.T) {
	m.now = m.now.Add(time.Duration(rapid.IntRange(-20, 60).Draw(t, "seconds")) * time.Second)
}

func (m *outboxModel) save(t *rapid.T) {
	store := m.any(t)
	b, err := store.RateLocks().Book(context.Background(), KeyOf("acme"))
	require.NoError(t, err)
	change := ports.RateLockChange{Book: b}
	for _, key := range rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "A"}), 1, 4).Draw(t, "keys") {
		m.saved++
		e := ports.Event{ID: strconv.Itoa(m.saved), Key: key, At: Epoch}
		if again := strconv.Itoa(rapid.IntRange(1, m.saved).Draw(t, "again")); !m.has(again, key) && !carries(change, again) {
			e.ID = again // one of another change, and of another key, may have it
		}
		change.Events = append(change.Events, e)
		m.events = append(m.events, &modelEvent{Event: e, from: time.Time{}})
	}
	require.NoError(t, store.RateLocks().Save(context.Background(), change))
}

func (m *outboxModel) has(id, key string) bool {
	return slices.ContainsFunc(m.events, func(e *modelEvent) bool { return e.ID == id && e.Key == key })
}

func carries(change ports.RateLockChange, id string) bool {
	return slices.ContainsFunc(change.Events, func(e ports.Event) bool { return e.ID == id })
}

// claimable lists what the rule allows to be claimed now.
func (m *outboxModel) claimable() []*modelEvent {
	var list []*modelEvent
	seen := map[string]bool{}
	for _, e := range m.events {
		if e.buried || seen[e.Key] {
			continue
		}
		seen[e.Key] = true
		if !e.from.After(m.now) {
			list = append(list, e)
		}
	}
	return list
}

func (m *outboxModel) claim(t *rapid.T) {
	n := rapid.IntRange(1, 4).Draw(t, "n")
	lease := time.Duration(rapid.IntRange(1, 30).Draw(t, "lease")) * time.Second
	got, err := m.any(t).Outbox().Claim(context.Background(), m.now, lease, n)
	require.NoError(t, err)
	want := m.claimable()
	want = want[:min(n, len(want))]
	require.Len(t, got, len(want))
	for i, e := range want {
		e.Attempt, e.Claim, e.claimed, e.from = e.Attempt+1, e.Claim+1, true, m.now.Add(lease)
		require.Equal(t, e.ID, got[i].ID)
		require.Equal(t, e.Attempt, got[i].Attempt)
		require.Equal(t, e.Claim, got[i].Claim)
	}
	m.claims = append(m.claims, got...)
}

// settle ends any claim there ever was: only the latest may.
func (m *outboxModel) settle(t *rapid.T) {
	if len(m.claims) == 0 {
		t.Skip("nothing was claimed")
	}
	claim := rapid.SampledFrom(m.claims).Draw(t, "claim")
	i := slices.IndexFunc(m.events, func(e *modelEvent) bool {
		return e.ID == claim.ID && e.Key == claim.Key && e.claimed && e.Claim == claim.Claim
	})
	want := errcodes.Conflict
	if i >= 0 {
		want = ""
	}
	how := rapid.SampledFrom([]string{"ack", "retry", "bury"}).Draw(t, "how")
	at := m.now.Add(time.Duration(rapid.IntRange(-5, 30).Draw(t, "delay")) * time.Second)
	var err error
	var reason string
	switch how {
	case "ack":
		err = m.any(t).Outbox().Ack(context.Background(), claim)
	case "retry":
		err = m.any(t).Outbox().Retry(context.Background(), claim, at)
	case "bury":
		reason = rapid.SampledFrom([]string{"", "no use", "\x00\xff"}).Draw(t, "reason")
		err = m.any(t).Outbox().Bury(context.Background(), claim, reason)
	}
	require.Equal(t, want, errcodes.Of(err), "%v", err)
	if i < 0 {
		return
	}
	e := m.events[i]
	e.claimed, e.from, e.buried, e.reason = false, at, how == "bury", reason
	if how == "ack" {
		m.events = slices.Delete(m.events, i, i+1)
	}
}

func (m *outboxModel) replay(t *rapid.T) {
	var ids []string
	if !rapid.Bool().Draw(t, "all") {
		ids = []string{strconv.Itoa(rapid.IntRange(1, m.saved+1).Draw(t, "id"))}
	}
	want := 0
	for _, e := range m.events {
		if e.buried && (ids == nil || slices.Contains(ids, e.ID)) {
			want++
			e.buried, e.Attempt, e.from = false, 0, m.now
		}
	}
	got, err := m.any(t).DeadLetters().Replay(context.Background(), m.now, ids...)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func (m *outboxModel) discard(t *rapid.T) {
	ids, want := []string{strconv.Itoa(rapid.IntRange(1, m.saved+1).Draw(t, "id")), strconv.Itoa(rapid.IntRange(1, m.saved+1).Draw(t, "another"))}, 0
	m.events = slices.DeleteFunc(m.events, func(e *modelEvent) bool {
		if !e.buried || !slices.Contains(ids, e.ID) {
			return false
		}
		want++
		return true
	})
	got, err := m.any(t).DeadLetters().Discard(context.Background(), ids...)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// list reads the buried events in pages.
func (m *outboxModel) list(t *rapid.T) {
	var want, got []string
	for _, e := range m.events {
		if e.buried {
			want = append(want, fmt.Sprintf("%s %d %d %q", e.ID, e.Attempt, e.Claim, e.reason))
		}
	}
	limit, after := rapid.IntRange(1, 3).Draw(t, "limit"), int64(0)
	for {
		page, err := m.any(t).DeadLetters().Buried(context.Background(), after, limit)
		require.NoError(t, err)
		for _, e := range page {
			got, after = append(got, fmt.Sprintf("%s %d %d %q", e.ID, e.Attempt, e.Event.Claim, e.Reason)), e.Pos
		}
		if len(page) < limit || len(got) > len(want) {
			break
		}
	}
	require.Equal(t, want, got)
}

// Backlog has more new events than one transaction looks at,
// all behind a delayed head; the claimable one is the last.
func Backlog(t *testing.T, fresh Fresh) {
	t.Helper()
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
