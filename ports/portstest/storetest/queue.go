package storetest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// queue describes a port that leases what was saved with a change, for the checks
// that the outbox and the work share.
type queue[T any] struct {
	noun  string // what is leased: "event"
	done  string // the method that settles a successful claim: "Ack"
	make  func(id string) T
	carry func(k *storeKit, items ...T)
	claim func(ctx context.Context, s Store, now time.Time, n int) ([]T, error)
	// ends returns every way to settle a claim; Retry is for the time at.
	ends func(s Store, item T, retry time.Time) map[string]func(ctx context.Context) error
	head func(item *T) queuedHead
}

type queuedHead struct {
	id      *string
	data    *[]byte
	attempt *int
	claim   *int64
}

func (q *queue[T]) take(k *storeKit, now time.Time, n int) []T {
	return kit.Got(q.claim(k.Context(), k.Store, now, n)).OK(k, "Claim")
}

func (q *queue[T]) first(k *storeKit, now time.Time, id string) T {
	got := q.take(k, now, 1)
	k.Same(q.ids(got), []string{id}, "the next "+q.noun)
	return got[0]
}

// one claims what can be claimed at now and checks that it is the expected one.
func (q *queue[T]) one(k *storeKit, now time.Time, id string) T {
	got := q.take(k, now, 10)
	k.Same(q.ids(got), []string{id}, "the result of a claim")
	return got[0]
}

func (q *queue[T]) none(k *storeKit, now time.Time, when string) {
	k.Same(q.ids(q.take(k, now, 1)), []string{}, "the result of a claim "+when)
}

func (q *queue[T]) ids(items []T) []string {
	out := []string{}
	for i := range items {
		out = append(out, *q.head(&items[i]).id)
	}
	return out
}

func (q *queue[T]) settle(k *storeKit, name string, item T, retry time.Time) {
	k.OK(q.ends(k.Store, item, retry)[name](k.Context()), name)
}

func (q *queue[T]) roundTrip(k *storeKit) {
	want := q.make("first")
	h := q.head(&want)
	*h.attempt, *h.claim = 7, 7 // Claim sets these; the saved values do not matter
	q.carry(k, want)
	*h.attempt = 1
	k.Same(q.one(k, kit.Epoch, "first"), want, "the "+q.noun)
}

func (q *queue[T]) anyData(k *storeKit) {
	for i, data := range append([][]byte{{}}, kit.AnyBytes...) {
		k.Case(kit.Name(data), func() {
			want := q.make(fmt.Sprint(q.noun, "-", i))
			h := q.head(&want)
			*h.data = data
			q.carry(k, want)
			*h.attempt = 1
			got := q.one(k, kit.Epoch, *h.id)
			k.Same(got, want, "the "+q.noun)
			if b := *q.head(&got).data; !bytes.Equal(b, data) || b != nil && len(b) == 0 {
				k.Fatalf("the bytes of the %s: got %#.80v, want %#.80v (nil if empty)", q.noun, b, data)
			}
		})
	}
}

func (q *queue[T]) notAliased(k *storeKit) {
	in := q.make("first")
	want := in
	h := q.head(&want)
	*h.data = bytes.Clone(*h.data)
	q.carry(k, in)
	(*q.head(&in).data)[0] = '!'
	for attempt := range 2 {
		*h.attempt = attempt + 1
		got := q.one(k, kit.Epoch.Add(time.Duration(attempt)*lease), "first")
		k.Same(got, want, "the "+q.noun+" after its bytes were changed outside the store")
		(*q.head(&got).data)[0] = '?'
	}
}

func (q *queue[T]) bounded(k *storeKit) {
	q.carry(k, q.make("a"), q.make("b"), q.make("c"))
	for _, want := range []int{2, 1, 0} {
		k.Same(len(q.take(k, kit.Epoch, 2)), want, "the number returned by a claim of at most 2")
	}
}

func (q *queue[T]) lease(k *storeKit) {
	q.carry(k, q.make("first"))
	for attempt := 1; attempt <= 3; attempt++ {
		start := kit.Epoch.Add(time.Duration(attempt) * lease)
		got := q.one(k, start, "first")
		k.Same(*q.head(&got).attempt, attempt, "the attempt")
		q.none(k, start, "at the start of a lease")
		q.none(k, start.Add(lease-time.Millisecond), "just before a lease ends")
	}
}

func (q *queue[T]) leaseBackwards(k *storeKit) {
	q.carry(k, q.make("first"))
	q.one(k, kit.Epoch, "first")
	q.none(k, kit.Epoch.Add(-24*time.Hour), "a day before the lease")
}

func (q *queue[T]) retry(k *storeKit) {
	q.carry(k, q.make("first"))
	at := kit.Epoch.Add(2 * lease)
	q.settle(k, "Retry", q.one(k, kit.Epoch, "first"), at)
	q.none(k, at.Add(-time.Millisecond), "before the retry's time")
	again := q.one(k, at, "first")
	k.Same(*q.head(&again).attempt, 2, "the attempt")
	q.settle(k, "Retry", again, at) // within its lease
	q.one(k, at, "first")
}

func (q *queue[T]) staleClaim(k *storeKit) {
	q.carry(k, q.make("first"))
	stale := q.one(k, kit.Epoch, "first")
	latest := q.one(k, kit.Epoch.Add(lease), "first")
	k.conflicts(q.ends(k.Store, stale, kit.Epoch), "with a claim that is not the latest")
	unknown := latest
	*q.head(&unknown).id = "unknown"
	k.conflicts(q.ends(k.Store, unknown, kit.Epoch), "of an unknown "+q.noun)
	q.none(k, kit.Epoch.Add(2*lease-time.Millisecond), "within the latest lease")
	q.settle(k, q.done, latest, kit.Epoch)
}

func (q *queue[T]) claimOnce(k *storeKit) {
	kit.Each(k, []string{q.done, "Retry", "Bury"}, kit.Text, func(name string) {
		q.carry(k, q.make(name))
		item := q.one(k, kit.Epoch, name)
		q.settle(k, name, item, kit.Epoch)
		k.conflicts(q.ends(k.Store, item, kit.Epoch), "with a claim that was settled by "+name)
		if name == "Retry" {
			q.settle(k, q.done, q.one(k, kit.Epoch, name), kit.Epoch)
		}
	})
}

func (q *queue[T]) racers(k *storeKit) {
	const n = 64
	for i := range n {
		q.carry(k, q.make(fmt.Sprint(q.noun, "-", i)))
	}
	got := make([][]T, kit.Racers)
	k.RaceOK("a concurrent Claim", func(i int) (err error) {
		got[i], err = q.claim(k.Context(), k.Store, kit.Epoch, n/kit.Racers)
		return err
	})
	seen := map[string]bool{}
	for _, item := range slices.Concat(got...) {
		h := q.head(&item)
		if seen[*h.id] || *h.attempt != 1 {
			k.Fatalf("%s was claimed twice", *h.id)
		}
		seen[*h.id] = true
	}
	k.Same(len(seen)+len(q.take(k, kit.Epoch, n)), n, "the number claimed")
}

func (q *queue[T]) calls(k *storeKit, item T) map[string]func(ctx context.Context) error {
	calls := q.ends(k.Store, item, kit.Epoch)
	calls["Claim"] = func(ctx context.Context) error { return errOf(q.claim(ctx, k.Store, kit.Epoch, 1)) }
	return calls
}

func (q *queue[T]) closed(k *storeKit) {
	q.carry(k, q.make("first"))
	k.closed(q.calls(k, q.one(k, kit.Epoch, "first")))
}

func (k *storeKit) conflicts(calls map[string]func(ctx context.Context) error, what string) {
	for name, call := range kit.ByName(calls) {
		k.Case(name+" "+what, func() {
			k.Code(call(k.Context()), errcodes.Conflict, name+" "+what)
		})
	}
}

// nothingQueued checks that no event or work item is waiting.
func (k *storeKit) nothingQueued(when string) {
	if k.Outbox != nil {
		if got := events.take(k, kit.Epoch.AddDate(1, 0, 0), 10); len(got) != 0 {
			k.Fatalf("%s the outbox contains %s", when, kit.Short(got))
		}
	}
	if k.Work != nil {
		if got := items.take(k, kit.Epoch.AddDate(1, 0, 0), 10); len(got) != 0 {
			k.Fatalf("%s the work contains %s", when, kit.Short(got))
		}
	}
}

// queuedOnce claims the one event and the one work item that must be waiting.
func (k *storeKit) queuedOnce() {
	if k.Outbox != nil {
		got := events.take(k, kit.Epoch, 10)
		k.Same(len(got), 1, "the number of events")
		k.OK(k.Outbox.Ack(k.Context(), got[0]), "Ack")
	}
	if k.Work != nil {
		got := items.take(k, kit.Epoch, 10)
		k.Same(len(got), 1, "the number of work items")
		k.OK(k.Work.Done(k.Context(), got[0]), "Done")
	}
}

// queuedTwice checks that save rejects repeated events and work items.
func (k *storeKit) queuedTwice(save func(events []ports.Event, work []ports.WorkItem) error) {
	first, second := kit.Event("event-1", "lock-1"), kit.Event("event-1", "lock-2")
	err := save([]ports.Event{first, kit.Event("event-2", "lock-3"), second}, []ports.WorkItem{job("work-1", kit.Epoch)})
	k.Code(err, errcodes.Conflict, "saving an event twice in one change")
	k.nothingQueued("after a repeated event")
	err = save([]ports.Event{first}, []ports.WorkItem{job("work-1", kit.Epoch), job("work-2", kit.Epoch), job("work-1", kit.Epoch)})
	k.Code(err, errcodes.Conflict, "saving a work item twice in one change")
	k.nothingQueued("after a repeated item")
}
