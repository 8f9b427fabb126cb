package memory

import (
	"context"
	"math"
	"time"

	"github.com/corridor-go/corridor/ports"
)

type event = queueEntry[ports.Event]

// outboxState contains the events that are not acknowledged yet. Only the earliest
// event of each key can be claimed, which is the order per key. A save only appends its
// events to unfiled; a claim that needs them files them by id and key.
type outboxState struct {
	unfiled     []*event                   // saved but not filed yet; later than all others
	byID        map[string]*event          // filed, neither acknowledged nor buried; events with the same id follow by sameID
	keys        map[string]*sorted[*event] // likewise
	heads       *claimQueue[ports.Event]
	buried      map[string][]*buried
	buriedBySeq *sorted[*buried] // the buried events in the order events their saves
}

func newOutboxState() outboxState {
	return outboxState{
		byID:        map[string]*event{},
		keys:        map[string]*sorted[*event]{},
		heads:       newClaimQueue[ports.Event](),
		buried:      map[string][]*buried{},
		buriedBySeq: newSorted(bySeq),
	}
}

func (o *outboxState) add(e ports.Event, seq int64) {
	e.At, e.Data = ports.Millis(e.At), copyBytes(e.Data)
	o.unfiled = append(o.unfiled, &event{value: e, seq: seq, from: math.MinInt64})
}

// admit files unfiled events until n events can be claimed at now, or all are filed.
func (o *outboxState) admit(now int64, n int) {
	for len(o.unfiled) > 0 && o.heads.claimable(now, n) < n {
		some := o.unfiled[:min(n, len(o.unfiled))]
		for _, e := range some {
			o.enqueue(e)
		}
		clear(some)
		o.unfiled = o.unfiled[len(some):]
	}
}

// removeByID removes e from byID.
func (o *outboxState) removeByID(e *event) {
	id, next := e.value.ID, e.sameID
	e.sameID = nil
	switch before := o.byID[id]; {
	case before != e:
		for before.sameID != e {
			before = before.sameID
		}
		before.sameID = next
	case next == nil:
		delete(o.byID, id)
	default:
		o.byID[id] = next
	}
}

func (o *outboxState) enqueue(e *event) {
	e.sameID = o.byID[e.value.ID]
	o.byID[e.value.ID] = e
	o.changeKey(e.value.Key, func(events *sorted[*event]) { events.insert(e) })
}

func (o *outboxState) dequeue(e *event) {
	o.removeByID(e)
	o.changeKey(e.value.Key, func(events *sorted[*event]) { events.remove(e) })
}

// changeKey changes the events of a key with fn, and then makes the earliest one
// claimable instead of the previous earliest.
func (o *outboxState) changeKey(key string, fn func(events *sorted[*event])) {
	events := o.keys[key]
	if events == nil {
		events = newSorted(byDue[ports.Event])
		o.keys[key] = events
	}
	before := first(events)
	fn(events)
	after := first(events)
	if before != nil && before != after {
		o.heads.remove(before)
	}
	if after != nil && before != after {
		o.heads.add(after)
	}
	if after == nil {
		delete(o.keys, key)
	}
}

func first(events *sorted[*event]) *event {
	for e := range events.all() {
		return e
	}
	return nil
}

// claimed returns the event of a claim, if the claim is the latest.
func (o *outboxState) claimed(e ports.Event) (*event, error) {
	for held := o.byID[e.ID]; held != nil; held = held.sameID {
		if held.value.Key == e.Key && held.owns(e.Claim) {
			return held, nil
		}
	}
	return nil, errStaleClaim
}

// retry releases e until at. If an earlier event of its key was replayed meanwhile,
// that one is claimable instead of e.
func (o *outboxState) retry(e *event, at time.Time) {
	if first(o.keys[e.value.Key]) == e {
		o.heads.release(e, at.UnixMilli())
		return
	}
	e.from, e.held = at.UnixMilli(), false
}

// outbox implements ports.Outbox.
type outbox struct{ s *Store }

func (o outbox) Claim(ctx context.Context, now time.Time, lease time.Duration, n int) ([]ports.Event, error) {
	if err := ports.CheckClaim(lease, n); err != nil {
		return nil, err
	}
	if err := o.s.writing(ctx); err != nil {
		return nil, err
	}
	defer o.s.mu.Unlock()
	o.s.outbox.admit(now.UnixMilli(), n)
	var got []ports.Event
	for _, e := range o.s.outbox.heads.claim(now.UnixMilli(), now.Add(lease).UnixMilli(), n) {
		v := e.value
		v.Data, v.Attempt, v.Claim = copyBytes(v.Data), e.attempt, e.claim
		got = append(got, v)
	}
	return got, nil
}

func (o outbox) Ack(ctx context.Context, e ports.Event) error {
	return o.settle(ctx, e, o.s.outbox.dequeue)
}

func (o outbox) Retry(ctx context.Context, e ports.Event, at time.Time) error {
	return o.settle(ctx, e, func(held *event) { o.s.outbox.retry(held, at) })
}

func (o outbox) Bury(ctx context.Context, e ports.Event, reason string) error {
	if err := ports.CheckReason(reason); err != nil {
		return err
	}
	return o.settle(ctx, e, func(held *event) { o.s.outbox.bury(held, reason) })
}

// settle ends a claim with fn.
func (o outbox) settle(ctx context.Context, e ports.Event, fn func(*event)) error {
	if err := o.s.writing(ctx); err != nil {
		return err
	}
	defer o.s.mu.Unlock()
	held, err := o.s.outbox.claimed(e)
	if err != nil {
		return err
	}
	fn(held)
	return nil
}
