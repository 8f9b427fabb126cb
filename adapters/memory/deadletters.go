package memory

import (
	"cmp"
	"context"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// buried is a dead letter: an event that is no longer delivered.
type buried struct {
	*event
	reason string
}

func bySeq(a, b *buried) int { return cmp.Compare(a.seq, b.seq) }

func (o *outboxState) bury(e *event, reason string) {
	o.dequeue(e)
	b := &buried{e, reason}
	o.buried[e.value.ID] = append(o.buried[e.value.ID], b)
	o.buriedBySeq.insert(b)
}

// unbury removes and returns the buried events of the id.
func (o *outboxState) unbury(id string) []*buried {
	events := o.buried[id]
	for _, b := range events {
		o.buriedBySeq.remove(b)
	}
	delete(o.buried, id)
	return events
}

// replay makes the buried events of the id claimable again.
func (o *outboxState) replay(id string, now time.Time) []*buried {
	events := o.unbury(id)
	for _, b := range events {
		b.from, b.attempt, b.held = now.UnixMilli(), 0, false
		o.enqueue(b.event)
	}
	return events
}

func (b *buried) asBuriedEvent() ports.BuriedEvent {
	v := b.value
	v.Data, v.Attempt, v.Claim = copyBytes(v.Data), b.attempt, b.claim
	return ports.BuriedEvent{Event: v, Reason: b.reason, Pos: b.seq}
}

// deadLetters implements ports.DeadLetters.
type deadLetters struct{ s *Store }

func (d deadLetters) Buried(ctx context.Context, after int64, limit int) ([]ports.BuriedEvent, error) {
	if err := ports.CheckLimit(limit, ports.MaxSmallPage); err != nil {
		return nil, err
	}
	if err := d.s.reading(ctx); err != nil {
		return nil, err
	}
	defer d.s.mu.RUnlock()
	var page []ports.BuriedEvent
	for b := range d.s.outbox.buriedBySeq.from(&buried{event: &event{seq: after}}) {
		if len(page) == limit {
			break
		}
		if b.seq > after {
			page = append(page, b.asBuriedEvent())
		}
	}
	return page, nil
}

func (d deadLetters) Replay(ctx context.Context, now time.Time, audit ports.AuditRow, ids ...string) (int, error) {
	if err := audit.Check(); err != nil {
		return 0, err
	}
	if err := d.s.writing(ctx); err != nil {
		return 0, err
	}
	defer d.s.mu.Unlock()
	if len(ids) == 0 {
		for id := range d.s.outbox.buried {
			ids = append(ids, id)
		}
	}
	return d.each(ids, audit, func(id string) []*buried { return d.s.outbox.replay(id, now) }), nil
}

func (d deadLetters) Discard(ctx context.Context, audit ports.AuditRow, ids ...string) (int, error) {
	if err := audit.Check(); err != nil {
		return 0, err
	}
	if len(ids) == 0 {
		return 0, errcodes.New(errcodes.InvalidRequest, "ids is empty, want at least one event")
	}
	if err := d.s.writing(ctx); err != nil {
		return 0, err
	}
	defer d.s.mu.Unlock()
	return d.each(ids, audit, d.s.outbox.unbury), nil
}

// each calls do for each id, and audits and counts the events that do returns.
func (d deadLetters) each(ids []string, audit ports.AuditRow, do func(id string) []*buried) (n int) {
	for _, id := range ids {
		for _, b := range do(id) {
			audit.Owner, audit.Object = b.value.Owner, b.value.ID
			d.s.record(audit)
			n++
		}
	}
	return n
}
