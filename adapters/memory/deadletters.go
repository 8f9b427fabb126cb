package memory

import (
	"bytes"
	"cmp"
	"context"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// buried is an event that was set aside.
type buried struct {
	*event
	reason string
}

func bySave(a, b *buried) int { return cmp.Compare(a.seq, b.seq) }

func (o *outboxState) bury(e *event, reason string) {
	o.dequeue(e)
	b := &buried{e, reason}
	o.buried[e.value.ID] = b
	o.aside.insert(b)
}

// unbury takes a buried event out, and gives nil if there is none of the id.
func (o *outboxState) unbury(id string) *buried {
	b := o.buried[id]
	if b != nil {
		delete(o.buried, id)
		o.aside.remove(b)
	}
	return b
}

// replay brings a buried event back, and reports whether there was one.
func (o *outboxState) replay(id string, now time.Time) bool {
	b := o.unbury(id)
	if b == nil {
		return false
	}
	b.from, b.attempt, b.held = now.UnixMilli(), 0, false
	o.enqueue(b.event)
	return true
}

func (b *buried) shown() ports.BuriedEvent {
	v := b.value
	v.Data, v.Attempt, v.Claim = bytes.Clone(v.Data), b.attempt, b.claim
	return ports.BuriedEvent{Event: v, Reason: b.reason, Pos: b.seq}
}

// deadLetters is the store as a ports.DeadLetters.
type deadLetters struct{ s *Store }

const maxBuriedPage = 1000

func (d deadLetters) Buried(ctx context.Context, after int64, limit int) ([]ports.BuriedEvent, error) {
	if err := within(limit, 1, maxBuriedPage, "a page's limit"); err != nil {
		return nil, err
	}
	if err := d.s.reading(ctx); err != nil {
		return nil, err
	}
	defer d.s.mu.RUnlock()
	var page []ports.BuriedEvent
	for b := range d.s.outbox.aside.from(&buried{event: &event{seq: after}}) {
		if len(page) == limit {
			break
		}
		if b.seq > after {
			page = append(page, b.shown())
		}
	}
	return page, nil
}

func (d deadLetters) Replay(ctx context.Context, now time.Time, ids ...string) (int, error) {
	if err := d.s.writing(ctx); err != nil {
		return 0, err
	}
	defer d.s.mu.Unlock()
	if len(ids) == 0 {
		for id := range d.s.outbox.buried {
			ids = append(ids, id)
		}
	}
	return count(ids, func(id string) bool { return d.s.outbox.replay(id, now) }), nil
}

func (d deadLetters) Discard(ctx context.Context, ids ...string) (int, error) {
	if len(ids) == 0 {
		return 0, errcodes.New(errcodes.InvalidRequest, "a discard names at least one event")
	}
	if err := d.s.writing(ctx); err != nil {
		return 0, err
	}
	defer d.s.mu.Unlock()
	return count(ids, func(id string) bool { return d.s.outbox.unbury(id) != nil }), nil
}

// count does to each id what do says, and counts where it did.
func count(ids []string, do func(id string) bool) (n int) {
	for _, id := range ids {
		if do(id) {
			n++
		}
	}
	return n
}
