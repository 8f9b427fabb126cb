package sqlite

import (
	"cmp"
	"context"
	"slices"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

const (
	hasEvent = `SELECT count(*) FROM events WHERE id = ?`
	hasWork  = `SELECT count(*) FROM work_items WHERE id = ?`
)

var errTaken error = errcodes.New(errcodes.Conflict, "A work item with this id already exists")

const staleClaim = "The claim is no longer the latest"

// admitWork returns errTaken if an item's id is stored already. A save calls it
// before it writes anything.
func admitWork(ctx context.Context, s *session, items []ports.WorkItem) error {
	for i := range items {
		if result, err := presence(ctx, s, discarded, hasWork, blob(items[i].ID)); err != nil || result == stored {
			return cmp.Or(err, errTaken)
		}
	}
	return nil
}

// queued contains what a change stores besides its record.
type queued struct {
	events []ports.Event
	work   []ports.WorkItem
	audit  []ports.AuditRow
}

func (q queued) isEmpty() bool { return len(q.events)+len(q.work)+len(q.audit) == 0 }

// saveRecord inserts a record if version is 0, and otherwise updates it if it still
// has that version. It stores q with it.
func (s *Store) saveRecord(
	ctx context.Context, noun string, version int64, insert, update string, args []any, q queued, check outcomeReader,
) error {
	if err := ports.CheckQueued(q.events, q.work, q.audit); err != nil {
		return err
	}
	query, conflict := insert, "A "+noun+" with this id already exists"
	if version != 0 {
		query, conflict = update, "The "+noun+" has changed since it was read, or has ended"
	}
	return s.save(ctx, func(ctx context.Context, s *session) error {
		if err := admitWork(ctx, s, q.work); err != nil {
			return err
		}
		if err := s.mustChange(ctx, conflict, query, args...); err != nil {
			return err
		}
		return enqueue(ctx, s, q)
	}, check)
}

func enqueue(ctx context.Context, s *session, q queued) error {
	for i := range q.events {
		if err := addEvent(ctx, s, &q.events[i]); err != nil {
			return err
		}
	}
	for i := range q.work {
		if err := addWork(ctx, s, &q.work[i]); err != nil {
			return err
		}
	}
	for i := range q.audit {
		if err := addAudit(ctx, s, &q.audit[i]); err != nil {
			return err
		}
	}
	return nil
}

// outcomeByVersion returns the outcome of a save of a record that had version read
// (0 for a new one) and now has version now. isSave reports whether the row is as the
// save leaves it, proves whether that proves the save, and ends whether the save is
// the record's last.
func outcomeByVersion(now, read int64, ends, isSave, proves bool) outcome {
	switch {
	case now == read, now > read+1 && ends, now == read+1 && !isSave:
		return discarded
	case now == read+1 && proves:
		return stored
	}
	return unknown
}

// outcomeOfEvents returns stored if one of a change's events is stored. The absence
// of an event proves nothing: it may have been delivered and removed.
func outcomeOfEvents(ctx context.Context, s *session, events []ports.Event) (outcome, error) {
	for i := range events {
		if result, err := presence(ctx, s, unknown, hasEvent, blob(events[i].ID)); err != nil || result == stored {
			return result, err
		}
	}
	return unknown, nil
}

// outcomeOfQueued is outcomeOfEvents for events and work items.
func outcomeOfQueued(ctx context.Context, s *session, events []ports.Event, items []ports.WorkItem) (outcome, error) {
	result, err := outcomeOfEvents(ctx, s, events)
	for i := 0; i < len(items) && err == nil && result == unknown; i++ {
		result, err = presence(ctx, s, unknown, hasWork, blob(items[i].ID))
	}
	return result, err
}

// sequenced is a claimed item with its position by due time, then by order of
// saving. RETURNING does not return rows in an order.
type sequenced[V any] struct {
	due, seq int64
	value    V
}

func inOrder[V any](claimed []sequenced[V]) []V {
	slices.SortFunc(claimed, func(a, b sequenced[V]) int {
		return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.seq, b.seq))
	})
	values := make([]V, len(claimed))
	for i := range claimed {
		values[i] = claimed[i].value
	}
	return values
}
