package river

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"slices"
	"sync"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

const (
	maxClaim  = 1000
	maxReason = 1024
)

// ending says how an item was settled.
type ending struct {
	how    outcome
	at     time.Time // of retried
	reason string    // of buried
}

type outcome int

const (
	done outcome = iota
	retried
	buried
	replaced // River gave the item's job to this process once more
)

// entry is an item that lies on the desk while its job runs here.
type entry struct {
	item    ports.WorkItem
	seq     int64     // the order of arrival
	from    time.Time // not claimable before: its due time, or the end of a lease
	held    bool
	claims  int         // how often it was claimed, ever
	settled chan ending // of one
}

// desk is where River's jobs and the services meet: a job puts its item there and
// waits; a service claims and settles it. It is the queue as a ports.Work.
type desk struct {
	mu     sync.Mutex
	kinds  map[string]map[string]*entry // by kind and id
	seq    int64
	claim  int64
	closed bool
}

// newDesk starts counting claims at random, so that a claim of another process is
// none of this one's.
func newDesk(kinds map[string]bool) *desk {
	var start [8]byte
	_, _ = rand.Read(start[:]) // it never fails (crypto/rand)
	d := &desk{kinds: map[string]map[string]*entry{}, claim: int64(binary.BigEndian.Uint64(start[:]) >> 2)}
	for kind := range kinds {
		d.kinds[kind] = map[string]*entry{}
	}
	return d
}

// put lays an item on the desk, in the place of an older one of its id.
func (d *desk) put(item ports.WorkItem, claims int) *entry {
	d.mu.Lock()
	defer d.mu.Unlock()
	of := d.kinds[item.Kind]
	if old := of[item.ID]; old != nil {
		old.settled <- ending{how: replaced}
	}
	d.seq++
	e := &entry{item: item, seq: d.seq, from: item.DueAt, claims: claims, settled: make(chan ending, 1)}
	of[item.ID] = e
	return e
}

// withdraw takes an item away. An ending that came first is still there.
func (d *desk) withdraw(e *entry) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.remove(e)
}

// withdrawUnclaimed takes an item away, unless somebody is at it.
func (d *desk) withdrawUnclaimed(e *entry) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !e.held {
		d.remove(e)
	}
	return !e.held
}

// remove removes an item that is not replaced by a newer one.
func (d *desk) remove(e *entry) {
	if of := d.kinds[e.item.Kind]; of[e.item.ID] == e {
		delete(of, e.item.ID)
	}
}

func (d *desk) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
}

// Claim implements ports.Work.
func (d *desk) Claim(ctx context.Context, kind string, now time.Time, lease time.Duration, n int) ([]ports.WorkItem, error) {
	switch {
	case n < 1 || n > maxClaim:
		return nil, errcodes.New(errcodes.InvalidRequest, "a claim's n is 1 to 1000")
	case lease <= 0:
		return nil, errcodes.New(errcodes.InvalidRequest, "a lease is above zero")
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	of, known := d.kinds[kind]
	switch {
	case d.closed:
		return nil, errClosed
	case !known:
		return nil, refuse("The queue was not told of this kind of work")
	}
	var got []ports.WorkItem
	for _, e := range free(of, now, n) {
		d.claim++
		e.claims++
		e.held, e.from = true, now.Add(lease)
		item := e.item
		item.Payload, item.Attempt, item.Claim = slices.Clone(item.Payload), e.claims, d.claim
		e.item.Claim = d.claim
		got = append(got, item)
	}
	return got, nil
}

// free are up to n items that are claimable at now, earliest due first.
func free(of map[string]*entry, now time.Time, n int) []*entry {
	var ready []*entry
	for _, e := range of {
		if e.from.UnixMilli() <= now.UnixMilli() {
			ready = append(ready, e)
		}
	}
	slices.SortFunc(ready, func(a, b *entry) int {
		return cmp.Or(a.item.DueAt.Compare(b.item.DueAt), cmp.Compare(a.seq, b.seq))
	})
	return ready[:min(n, len(ready))]
}

// Done implements ports.Work.
func (d *desk) Done(ctx context.Context, w ports.WorkItem) error {
	return d.settle(ctx, &w, ending{how: done})
}

// Retry implements ports.Work.
func (d *desk) Retry(ctx context.Context, w ports.WorkItem, at time.Time) error {
	return d.settle(ctx, &w, ending{how: retried, at: at})
}

// Bury implements ports.Work.
func (d *desk) Bury(ctx context.Context, w ports.WorkItem, reason string) error {
	if len(reason) > maxReason {
		return errcodes.New(errcodes.InvalidRequest, "a reason is at most 1024 bytes")
	}
	return d.settle(ctx, &w, ending{how: buried, reason: reason})
}

func (d *desk) settle(ctx context.Context, w *ports.WorkItem, how ending) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return errClosed
	}
	e := d.kinds[w.Kind][w.ID]
	if e == nil || !e.held || e.item.Claim != w.Claim {
		return errStaleClaim
	}
	delete(d.kinds[w.Kind], w.ID)
	e.settled <- how
	return nil
}
