package storemodel

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/ports"
)

// RateLocks makes the same calls to the stores and to the memory store and checks
// that all results agree, both for changes that services make and for those that
// only faulty code makes, with an invalid record or a repeated id (I1, I4, I8, I32).
func RateLocks(t *testing.T, fresh Fresh) {
	rapid.Check(t, func(rt *rapid.T) {
		d := &lockDifferential{differential: newDifferential(rt, fresh)}
		rt.Repeat(map[string]func(*rapid.T){
			"save": d.save, "claim": d.claim, "settle": d.settle, "claim work": d.claimWork, "settle work": d.settleWork,
			"list": d.list, "": d.compare,
		})
	})
}

type lockDifferential struct {
	differential
	events []ports.Event    // all that were claimed
	items  []ports.WorkItem // all that were claimed
}

func (d *lockDifferential) save(t *rapid.T) {
	change := d.change(t)
	if rapid.IntRange(0, 2).Draw(t, "spoilt") == 0 {
		rapid.SampledFrom(spoils).Draw(t, "how")(t, &change)
	}
	d.tries(t, func(s Store) error { return s.RateLocks().Save(context.Background(), change) })
}

// change draws a change that mints locks, ends locks, does both or neither.
func (d *lockDifferential) change(t *rapid.T) ports.RateLockChange {
	owner, id := fewOwners.Draw(t, "owner"), fewIDs.Draw(t, "id")
	b, err := d.model.RateLocks().Book(context.Background(), KeyOf(owner))
	require.NoError(t, err)
	change := ports.RateLockChange{Book: b}
	l := ActiveLock(owner, id, nearTimes.Draw(t, "created"))
	if l.CreatedAt.UnixMilli() <= b.HighWater.UnixMilli() {
		l = ActiveLock(owner, id, b.HighWater.Add(time.Millisecond))
	}
	kind := rapid.SampledFrom([]string{"mint", "mint", "mint", "end", "end", "end both", "end both and mint", "end any", "none"}).Draw(t, "kind")
	switch live := b.Live(); kind {
	case "mint":
		if len(live) < len(b.Slots) {
			change = Mint(b, l)
			change.Events = nil
		}
	case "end":
		if len(live) > 0 {
			l = live[0]
			change.Book.Slots = [ports.MaxLiveLocks]ports.RateLock{}
			copy(change.Book.Slots[:], live[1:])
			change.Ended = []ports.RateLock{ended(t, l)}
		}
	case "end both", "end both and mint":
		if len(live) == 2 {
			change.Book.Slots = [ports.MaxLiveLocks]ports.RateLock{}
			if kind == "end both and mint" {
				change = Mint(change.Book, l)
				change.Events = nil
			}
			change.Ended = []ports.RateLock{ended(t, live[1]), ended(t, live[0])}
		}
	case "end any": // it may have ended, or was never saved
		change.Ended = []ports.RateLock{ended(t, l)}
	}
	change.Book.Version += rapid.SampledFrom([]int64{0, 0, 0, 0, 0, 0, -1, 1}).Draw(t, "off")
	for _, id := range rapid.SliceOfN(fewIDs, 0, 3).Draw(t, "events") {
		e := ports.Event{ID: id, Kind: "k", Key: fewKeysOfEvents.Draw(t, "key"), Owner: owner, At: Epoch, Data: fewBytes.Draw(t, "data")}
		change.Events = append(change.Events, e)
	}
	for _, id := range rapid.SliceOfN(fewIDs, 0, 2).Draw(t, "work") {
		change.Work = append(change.Work, ports.WorkItem{ID: id, Kind: "k", DueAt: fewTimes.Draw(t, "due"), Payload: fewBytes.Draw(t, "payload")})
	}
	return change
}

var (
	lives           = named(rapid.SampledFrom([]time.Duration{0, 400 * time.Microsecond, time.Millisecond, 2 * time.Millisecond}))
	fewKeysOfEvents = named(rapid.SampledFrom([]string{"k", "K"}))
	fewBytes        = named(rapid.SampledFrom([][]byte{nil, {}, {0}}))
)

// ended draws an end of l. Sometimes the record also differs in fields that an end
// does not change.
func ended(t *rapid.T, l ports.RateLock) ports.RateLock {
	l.Status, l.EndedAt = ports.LockExpired, l.ExpiresAt
	switch rapid.IntRange(0, 2).Draw(t, "end") {
	case 1:
		l.Status, l.CancellationReason, l.EndedAt = ports.LockCancelled, ports.CancelledRequested, l.CreatedAt.Add(lives.Draw(t, "life"))
	case 2:
		l.Status, l.CancellationReason, l.EndedAt = ports.LockCancelled, ports.CancelledMarketDrift, l.CreatedAt.Add(lives.Draw(t, "life"))
		l.ObservedMid, l.DeviationBps = "18.70", rapid.SampledFrom([]int64{0, 246}).Draw(t, "deviation")
	}
	if rapid.IntRange(0, 3).Draw(t, "other") == 0 {
		l.MidRate, l.MarkupBps, l.AllInRate = "1", 7, "1.0007"
	}
	return l
}

// spoils turn a change into one that no service makes.
var spoils = []func(*rapid.T, *ports.RateLockChange){
	func(t *rapid.T, c *ports.RateLockChange) { // an invalid record
		spoil := impossibleLocks()[rapid.SampledFrom(slices.Sorted(maps.Keys(impossibleLocks()))).Draw(t, "impossible")]
		if len(c.Ended) > 0 {
			spoil(&c.Ended[0])
		}
		if n := len(c.Book.Live()); c.Minted != nil {
			spoil(c.Minted)
			c.Book.Slots[n-1] = *c.Minted
		}
	},
	func(t *rapid.T, c *ports.RateLockChange) { // invalid slots
		spoil := rapid.SampledFrom(slices.Sorted(maps.Keys(impossibleBooks()))).Draw(t, "impossible")
		impossibleBooks()[spoil](&c.Book)
	},
	func(t *rapid.T, c *ports.RateLockChange) { // the same lock twice
		if c.Minted != nil {
			c.Ended = append(c.Ended, ended(t, *c.Minted))
		} else if len(c.Ended) > 0 {
			c.Ended = append(c.Ended, c.Ended[0])
		}
	},
	func(t *rapid.T, c *ports.RateLockChange) { // times that are equal to the millisecond
		if n := len(c.Book.Live()); c.Minted != nil {
			c.Minted.ExpiresAt = nearTimes.Draw(t, "expires")
			c.Book.Slots[n-1] = *c.Minted
		}
	},
	func(_ *rapid.T, c *ports.RateLockChange) {
		if len(c.Ended) > 0 {
			c.Ended[0].Owner = "somebody else"
		}
	},
	func(_ *rapid.T, c *ports.RateLockChange) { // a lock that its book does not have
		if c.Minted != nil {
			c.Minted.ToleranceBps++
		}
	},
	func(_ *rapid.T, c *ports.RateLockChange) { c.Events = append(c.Events, c.Events...) },
	func(_ *rapid.T, c *ports.RateLockChange) { c.Work = append(c.Work, c.Work...) },
}

const aLease = 3 * time.Minute

func (d *lockDifferential) claim(t *rapid.T) {
	now, n := Epoch.Add(time.Duration(rapid.IntRange(0, 9).Draw(t, "minutes"))*time.Minute), rapid.IntRange(1, 4).Draw(t, "n")
	got := asks(t, &d.differential, func(s Store) ([]ports.Event, error) {
		return all(s.Outbox().Claim(context.Background(), now, aLease, n))
	})
	d.events = append(d.events, got...)
}

func (d *lockDifferential) settle(t *rapid.T) {
	if len(d.events) == 0 {
		t.Skip("nothing was claimed")
	}
	e, ctx := rapid.SampledFrom(d.events).Draw(t, "event"), context.Background()
	settle := rapid.SampledFrom([]func(ports.Outbox) error{
		func(o ports.Outbox) error { return o.Ack(ctx, e) },
		func(o ports.Outbox) error { return o.Retry(ctx, e, Epoch) },
		func(o ports.Outbox) error { return o.Bury(ctx, e, "no use") },
		func(o ports.Outbox) error { e.Key = "another"; return o.Ack(ctx, e) },
	}).Draw(t, "how")
	d.tries(t, func(s Store) error { return settle(s.Outbox()) })
}

func (d *lockDifferential) claimWork(t *rapid.T) {
	now, n := Epoch.Add(time.Duration(rapid.IntRange(0, 9).Draw(t, "minutes"))*time.Minute), rapid.IntRange(1, 4).Draw(t, "n")
	got := asks(t, &d.differential, func(s Store) ([]ports.WorkItem, error) {
		return all(s.Work().Claim(context.Background(), "k", now, aLease, n))
	})
	d.items = append(d.items, got...)
}

func (d *lockDifferential) settleWork(t *rapid.T) {
	if len(d.items) == 0 {
		t.Skip("nothing was claimed")
	}
	item, ctx := rapid.SampledFrom(d.items).Draw(t, "item"), context.Background()
	settle := rapid.SampledFrom([]func(ports.Work) error{
		func(w ports.Work) error { return w.Done(ctx, item) },
		func(w ports.Work) error { return w.Retry(ctx, item, Epoch) },
		func(w ports.Work) error { return w.Bury(ctx, item, "no use") },
	}).Draw(t, "how")
	d.tries(t, func(s Store) error { return settle(s.Work()) })
}

// list reads complete listings: the stores have other tests of pages.
func (d *lockDifferential) list(t *rapid.T) {
	for _, q := range []ports.LockQuery{{Pair: USDZAR}, {DueBy: Epoch.AddDate(1, 0, 0)}, {Owner: fewOwners.Draw(t, "owner")}} {
		q.Limit = 1000
		asks(t, &d.differential, func(s Store) ([]ports.RateLock, error) { return all(s.RateLocks().List(context.Background(), q)) })
	}
}

// all returns an empty list for nil.
func all[V any](list []V, err error) ([]V, error) { return append([]V{}, list...), err }

func (d *lockDifferential) compare(t *rapid.T) {
	owner, id := fewOwners.Draw(t, "reader"), fewIDs.Draw(t, "what")
	asks(t, &d.differential, func(s Store) (ports.Book, error) { return s.RateLocks().Book(context.Background(), KeyOf(owner)) })
	type found struct {
		lock ports.RateLock
		book ports.Book
	}
	asks(t, &d.differential, func(s Store) (found, error) {
		l, b, err := s.RateLocks().Lock(context.Background(), owner, id)
		return found{l, b}, err
	})
}
