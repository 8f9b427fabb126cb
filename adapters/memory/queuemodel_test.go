package memory_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

// thing is an event or a work item in the model; key is the event's key or the item's
// kind.
type thing struct {
	id, key string
	due     time.Time // of a work item
	from    time.Time
	attempt int
	claim   int64
	held    bool
	buried  bool
	reason  string
}

// queueModel keeps things in the order of their saves; every method walks through all.
type queueModel struct{ things []*thing }

// events returns the events of a claim: at most one per key, in order.
func (m *queueModel) events(now time.Time, n int) []*thing {
	seen := map[string]bool{}
	var got []*thing
	for _, th := range m.things {
		if th.buried || seen[th.key] {
			continue
		}
		seen[th.key] = true
		if !th.from.After(now) && len(got) < n {
			got = append(got, th)
		}
	}
	return got
}

// items returns the work items of a claim.
func (m *queueModel) items(kind string, now time.Time, n int) []*thing {
	var got []*thing
	for _, th := range m.things {
		if th.key == kind && !th.from.After(now) {
			got = append(got, th)
		}
	}
	slices.SortStableFunc(got, func(a, b *thing) int { return a.due.Compare(b.due) })
	return got[:min(n, len(got))]
}

func lease(got []*thing, until time.Time) []string {
	var ids []string
	for _, th := range got {
		th.from, th.held = until, true
		th.attempt++
		th.claim++
		ids = append(ids, fmt.Sprint(th.id, " ", th.attempt, " ", th.claim))
	}
	return ids
}

// latest returns the thing of a claim, if the claim is the latest. An empty key matches
// any: the ids of items are unique.
func (m *queueModel) latest(id, key string, claim int64) *thing {
	i := slices.IndexFunc(m.things, func(th *thing) bool {
		return th.id == id && (key == "" || th.key == key) && th.claim == claim && th.held && !th.buried
	})
	if i < 0 {
		return nil
	}
	return m.things[i]
}

func (m *queueModel) has(id, key string) bool {
	return slices.ContainsFunc(m.things, func(th *thing) bool { return th.id == id && th.key == key })
}

// drawEvent draws an event with the id, or another key's event with an existing id.
func (m *queueModel) drawEvent(t *rapid.T, id string) ports.Event {
	e := ports.Event{ID: id, Key: rapid.SampledFrom([]string{"a", "A", "b"}).Draw(t, "key")}
	if again := fmt.Sprint("id-", rapid.IntRange(1, 10).Draw(t, "again")); !m.has(again, e.Key) {
		e.ID = again
	}
	return e
}

// drawEvents draws the events of a change, with ids unique in the change, and adds them
// to the model.
func (m *queueModel) drawEvents(t *rapid.T, saved int) []ports.Event {
	var events []ports.Event
	for i := range rapid.IntRange(1, 3).Draw(t, "events") {
		e := m.drawEvent(t, fmt.Sprint("id-", 3*saved+i))
		if !slices.ContainsFunc(events, func(other ports.Event) bool { return other.ID == e.ID }) {
			events = append(events, e)
			m.things = append(m.things, &thing{id: e.ID, key: e.Key})
		}
	}
	return events
}

func (m *queueModel) remove(gone *thing) {
	m.things = slices.DeleteFunc(m.things, func(th *thing) bool { return th == gone })
}

// codeFor returns the code that settling the claim of th must return.
func codeFor(th *thing) errcodes.Code {
	if th == nil {
		return errcodes.Conflict
	}
	return ""
}

// drawClaim draws a claim, mostly an existing one.
func (m *queueModel) drawClaim(t *rapid.T) (id, key string, claim int64) {
	var held []*thing
	for _, th := range m.things {
		if th.held && !th.buried {
			held = append(held, th)
		}
	}
	if len(held) > 0 && rapid.IntRange(0, 3).Draw(t, "held") > 0 {
		th := rapid.SampledFrom(held).Draw(t, "thing")
		return th.id, th.key, th.claim
	}
	return fmt.Sprint("id-", rapid.IntRange(1, 10).Draw(t, "id")), "a", rapid.Int64Range(1, 3).Draw(t, "claim")
}

func drawNow(t *rapid.T, label string) time.Time {
	return start.Add(time.Duration(rapid.IntRange(-5, 10).Draw(t, label)) * time.Minute)
}

func agreeOn(t *rapid.T, what string, err error, want errcodes.Code) {
	if errcodes.Of(err) != want {
		t.Fatalf("%s: %v, want code %q", what, err, want)
	}
}

// list reads the buried events in pages.
func (m *queueModel) list(t *rapid.T, letters ports.DeadLetters) {
	var want, got []string
	for _, th := range m.things {
		if th.buried {
			want = append(want, fmt.Sprint(th.id, " ", th.attempt, " ", th.claim, " ", th.reason))
		}
	}
	limit, after := rapid.IntRange(1, 3).Draw(t, "limit"), int64(0)
	for {
		page, err := letters.Buried(context.Background(), after, limit)
		agreeOn(t, "Buried", err, "")
		for _, e := range page {
			got, after = append(got, fmt.Sprint(e.ID, " ", e.Attempt, " ", e.Claim, " ", e.Reason)), e.Pos
		}
		if len(page) < limit || len(got) > len(want) {
			break
		}
	}
	same(t, nil, got, want)
}

func TestOutboxAgreesWithASlice(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		store, m, saved := newStore(t), &queueModel{}, 0
		out, ctx := store.Outbox(), context.Background()
		rt.Repeat(map[string]func(*rapid.T){
			"save": func(rt *rapid.T) {
				saved++
				k := ports.BookKey{Owner: fmt.Sprint("owner-", saved)}
				change := ports.RateLockChange{Book: ports.Book{Key: k}, Events: m.drawEvents(rt, saved)}
				agreeOn(rt, "Save", store.RateLocks().Save(ctx, change), "")
			},
			"claim": func(rt *rapid.T) {
				now, n := drawNow(rt, "now"), rapid.IntRange(1, 3).Draw(rt, "n")
				events, err := out.Claim(ctx, now, 3*time.Minute, n)
				var got []string
				for _, e := range events {
					got = append(got, fmt.Sprint(e.ID, " ", e.Attempt, " ", e.Claim))
				}
				same(rt, err, got, lease(m.events(now, n), now.Add(3*time.Minute)))
			},
			"ack": func(rt *rapid.T) {
				id, key, claim := m.drawClaim(rt)
				th := m.latest(id, key, claim)
				agreeOn(rt, "Ack", out.Ack(ctx, ports.Event{ID: id, Key: key, Claim: claim}), codeFor(th))
				m.remove(th)
			},
			"retry": func(rt *rapid.T) {
				id, key, claim := m.drawClaim(rt)
				th, at := m.latest(id, key, claim), drawNow(rt, "at")
				agreeOn(rt, "Retry", out.Retry(ctx, ports.Event{ID: id, Key: key, Claim: claim}, at), codeFor(th))
				if th != nil {
					th.from, th.held = at, false
				}
			},
			"bury": func(rt *rapid.T) {
				id, key, claim := m.drawClaim(rt)
				th := m.latest(id, key, claim)
				reason := rapid.SampledFrom([]string{"", "410 gone"}).Draw(rt, "reason")
				agreeOn(rt, "Bury", out.Bury(ctx, ports.Event{ID: id, Key: key, Claim: claim}, reason), codeFor(th))
				if th != nil {
					th.buried, th.reason = true, reason
				}
			},
			"discard": func(rt *rapid.T) {
				id, _, _ := m.drawClaim(rt)
				ids, want := []string{id, fmt.Sprint("id-", rapid.IntRange(1, 10).Draw(rt, "another"))}, 0
				for _, th := range slices.Clone(m.things) {
					if th.buried && slices.Contains(ids, th.id) {
						want++
						m.remove(th)
					}
				}
				n, err := store.DeadLetters().Discard(ctx, storemodel.AuditRow, ids...)
				same(rt, err, []int{n}, []int{want})
			},
			"list": func(rt *rapid.T) {
				m.list(rt, store.DeadLetters())
			},
			"replay": func(rt *rapid.T) {
				var ids []string
				if rapid.Bool().Draw(rt, "named") {
					id, _, _ := m.drawClaim(rt)
					ids = append(ids, id)
				}
				now, want := drawNow(rt, "now"), 0
				for _, th := range m.things {
					if th.buried && (ids == nil || ids[0] == th.id) {
						want++
						*th = thing{id: th.id, key: th.key, from: now, claim: th.claim}
					}
				}
				n, err := store.DeadLetters().Replay(ctx, now, storemodel.AuditRow, ids...)
				same(rt, err, []int{n}, []int{want})
			},
		})
	})
}

func TestWorkAgreesWithASlice(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		store, m, saved := newStore(t), &queueModel{}, 0
		work, ctx := store.Work(), context.Background()
		drawKind := rapid.SampledFrom([]string{"notify", "Notify"})
		rt.Repeat(map[string]func(*rapid.T){
			"save": func(rt *rapid.T) {
				saved++
				w := ports.WorkItem{ID: fmt.Sprint("id-", saved), Kind: drawKind.Draw(rt, "kind"), DueAt: drawNow(rt, "due")}
				k := ports.BookKey{Owner: w.ID}
				agreeOn(rt, "Save", store.RateLocks().Save(ctx, ports.RateLockChange{Book: ports.Book{Key: k}, Work: []ports.WorkItem{w}}), "")
				m.things = append(m.things, &thing{id: w.ID, key: w.Kind, due: w.DueAt, from: w.DueAt})
			},
			"claim": func(rt *rapid.T) {
				kind, now, n := drawKind.Draw(rt, "kind"), drawNow(rt, "now"), rapid.IntRange(1, 3).Draw(rt, "n")
				items, err := work.Claim(ctx, kind, now, 3*time.Minute, n)
				var got []string
				for _, w := range items {
					got = append(got, fmt.Sprint(w.ID, " ", w.Attempt, " ", w.Claim))
				}
				same(rt, err, got, lease(m.items(kind, now, n), now.Add(3*time.Minute)))
			},
			"done": func(rt *rapid.T) {
				id, _, claim := m.drawClaim(rt)
				th := m.latest(id, "", claim)
				agreeOn(rt, "Done", work.Done(ctx, ports.WorkItem{ID: id, Claim: claim}), codeFor(th))
				m.remove(th)
			},
			"retry": func(rt *rapid.T) {
				id, _, claim := m.drawClaim(rt)
				th, at := m.latest(id, "", claim), drawNow(rt, "at")
				agreeOn(rt, "Retry", work.Retry(ctx, ports.WorkItem{ID: id, Claim: claim}, at), codeFor(th))
				if th != nil {
					th.due, th.from, th.held = at, at, false
				}
			},
			"bury": func(rt *rapid.T) {
				id, _, claim := m.drawClaim(rt)
				th := m.latest(id, "", claim)
				agreeOn(rt, "Bury", work.Bury(ctx, ports.WorkItem{ID: id, Claim: claim}, ""), codeFor(th))
				m.remove(th)
			},
		})
	})
}

func TestTokensAgreeWithAMap(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tokens, m, ctx := newStore(t).Tokens(), map[[32]byte]ports.Token{}, context.Background()
		draw := func(rt *rapid.T) [32]byte { return [32]byte{31: byte(rapid.IntRange(0, 6).Draw(rt, "hash"))} }
		rt.Repeat(map[string]func(*rapid.T){
			"put": func(rt *rapid.T) {
				v := ports.Token{SHA256: draw(rt), ExpiresAt: drawNow(rt, "expires")}
				var want errcodes.Code
				if _, taken := m[v.SHA256]; taken {
					want = errcodes.Conflict
				} else {
					m[v.SHA256] = v
				}
				agreeOn(rt, "PutToken", tokens.PutToken(ctx, v, ports.MaxPage), want)
			},
			"revoke": func(rt *rapid.T) {
				h := draw(rt)
				delete(m, h)
				agreeOn(rt, "Revoke", tokens.Revoke(ctx, h, storemodel.AuditRow), "")
			},
			"purge": func(rt *rapid.T) {
				before, n := drawNow(rt, "before"), rapid.IntRange(1, 3).Draw(rt, "n")
				var due []ports.Token
				for _, v := range m {
					if !v.ExpiresAt.After(before) {
						due = append(due, v)
					}
				}
				slices.SortFunc(due, func(a, b ports.Token) int {
					return cmp.Or(a.ExpiresAt.Compare(b.ExpiresAt), cmp.Compare(a.SHA256[31], b.SHA256[31]))
				})
				due = due[:min(n, len(due))]
				for _, v := range due {
					delete(m, v.SHA256)
				}
				got, err := tokens.PurgeTokens(ctx, before, n)
				same(rt, err, []int{got}, []int{len(due)})
			},
			"": func(rt *rapid.T) {
				for i := range byte(7) {
					h := [32]byte{31: i}
					want, ok := m[h]
					got, err := tokens.Token(ctx, h)
					if ok != (err == nil) || got != want {
						rt.Fatalf("Token: %+v %v, want %+v", got, err, want)
					}
				}
			},
		})
	})
}
