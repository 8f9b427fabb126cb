package river

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/corridor-go/corridor/ports"
)

// decision is how an item was settled.
type decision struct {
	outcome outcome
	at      time.Time // if retried
	reason  string    // if buried
}

type outcome int

const (
	done outcome = iota
	retried
	buried
	replaced // River has assigned the item's job to this process again
)

// localItem is an item whose job runs in this process.
type localItem struct {
	item    ports.WorkItem
	seq     int64     // the order of arrival
	from    time.Time // when it becomes claimable: its due time, or the end of a lease
	claimed bool
	claims  int           // how often it was ever claimed
	settled chan decision // contains one value once the item is settled
}

// localWork connects River's jobs with the services of this process: a job puts its
// item here and waits, and a service claims and settles it. It implements ports.Work.
type localWork struct {
	mu     sync.Mutex
	kinds  map[string]map[string]*localItem // by kind and id
	seq    int64
	claim  int64
	closed bool
}

// newLocalWork counts claims from a random number, so that claims of different
// processes have different numbers.
func newLocalWork(kinds map[string]bool) *localWork {
	var start [8]byte
	_, _ = rand.Read(start[:]) // it never fails (crypto/rand)
	l := &localWork{kinds: map[string]map[string]*localItem{}, claim: int64(binary.BigEndian.Uint64(start[:]) >> 2)}
	for kind := range kinds {
		l.kinds[kind] = map[string]*localItem{}
	}
	return l
}

// put adds an item and replaces an older one with its id.
func (l *localWork) put(item ports.WorkItem, claims int) *localItem {
	l.mu.Lock()
	defer l.mu.Unlock()
	byID := l.kinds[item.Kind]
	if old := byID[item.ID]; old != nil {
		old.settled <- decision{outcome: replaced}
	}
	l.seq++
	e := &localItem{item: item, seq: l.seq, from: item.DueAt, claims: claims, settled: make(chan decision, 1)}
	byID[item.ID] = e
	return e
}

// remove removes an item. If it was settled before, its decision can still be read.
func (l *localWork) remove(e *localItem) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.removeLocked(e)
}

// removeUnclaimed removes an item unless it is claimed, and reports whether it did.
func (l *localWork) removeUnclaimed(e *localItem) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !e.claimed {
		l.removeLocked(e)
	}
	return !e.claimed
}

// removeLocked removes an item unless a newer one has replaced it. The caller holds mu.
func (l *localWork) removeLocked(e *localItem) {
	if byID := l.kinds[e.item.Kind]; byID[e.item.ID] == e {
		delete(byID, e.item.ID)
	}
}

func (l *localWork) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}

// Claim implements ports.Work.
func (l *localWork) Claim(ctx context.Context, kind string, now time.Time, lease time.Duration, n int) ([]ports.WorkItem, error) {
	if err := cmp.Or(ports.CheckClaim(lease, n), ctx.Err()); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	byID, known := l.kinds[kind]
	switch {
	case l.closed:
		return nil, errStopped
	case !known:
		return nil, misconfigured(fmt.Sprintf("The kind %q is not in Config.Kinds", kind))
	}
	var items []ports.WorkItem
	for _, e := range claimable(byID, now, n) {
		l.claim++
		e.claims++
		e.claimed, e.from = true, now.Add(lease)
		item := e.item
		item.Payload, item.Attempt, item.Claim = slices.Clone(item.Payload), e.claims, l.claim
		e.item.Claim = l.claim
		items = append(items, item)
	}
	return items, nil
}

// claimable returns at most n items that are claimable at now, the earliest due first.
func claimable(byID map[string]*localItem, now time.Time, n int) []*localItem {
	var ready []*localItem
	for _, e := range byID {
		if e.from.UnixMilli() <= now.UnixMilli() {
			ready = append(ready, e)
		}
	}
	slices.SortFunc(ready, func(a, b *localItem) int {
		return cmp.Or(a.item.DueAt.Compare(b.item.DueAt), cmp.Compare(a.seq, b.seq))
	})
	return ready[:min(n, len(ready))]
}

// Done implements ports.Work.
func (l *localWork) Done(ctx context.Context, w ports.WorkItem) error {
	return l.settle(ctx, &w, decision{outcome: done})
}

// Retry implements ports.Work.
func (l *localWork) Retry(ctx context.Context, w ports.WorkItem, at time.Time) error {
	return l.settle(ctx, &w, decision{outcome: retried, at: at})
}

// Bury implements ports.Work.
func (l *localWork) Bury(ctx context.Context, w ports.WorkItem, reason string) error {
	if err := ports.CheckReason(reason); err != nil {
		return err
	}
	return l.settle(ctx, &w, decision{outcome: buried, reason: reason})
}

func (l *localWork) settle(ctx context.Context, w *ports.WorkItem, how decision) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return errStopped
	}
	e := l.kinds[w.Kind][w.ID]
	if e == nil || !e.claimed || e.item.Claim != w.Claim {
		return errStaleClaim
	}
	delete(l.kinds[w.Kind], w.ID)
	e.settled <- how
	return nil
}
