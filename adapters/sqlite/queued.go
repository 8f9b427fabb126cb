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

var errTaken error = errcodes.New(errcodes.Conflict, "An id of the change's work is taken")

const staleClaim = "The claim is no longer the latest"

// admitWork rejects work of which an id is taken. A save calls it before it writes
// anything.
func admitWork(ctx context.Context, s *session, items []ports.WorkItem) error {
	for i := range items {
		if what, err := presence(ctx, s, discarded, hasWork, blob(items[i].ID)); err != nil || what == stored {
			return cmp.Or(err, errTaken)
		}
	}
	return nil
}

// queued is what a change carries beside its record.
type queued struct {
	events []ports.Event
	work   []ports.WorkItem
	audit  []ports.AuditRow
}

func (q queued) isEmpty() bool { return len(q.events)+len(q.work)+len(q.audit) == 0 }

// saveRecord inserts a record whose version is 0, or updates one that still has
// version, and stores what comes with it.
func (s *Store) saveRecord(
	ctx context.Context, noun string, version int64, insert, update string, args []any, q queued, check fateReader,
) error {
	if err := ports.CheckQueued(q.events, q.work, q.audit); err != nil {
		return err
	}
	query, refusal := insert, "A "+noun+" of this id exists"
	if version != 0 {
		query, refusal = update, "The "+noun+" has changed since it was read, or has ended"
	}
	return s.save(ctx, func(ctx context.Context, s *session) error {
		if err := admitWork(ctx, s, q.work); err != nil {
			return err
		}
		if err := s.mustChange(ctx, refusal, query, args...); err != nil {
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

// fateByVersion judges by the version of a record's row, of which a save read one:
// the next is this save's or another's, as isSave says. The row proves the save only
// where proves is set. ends says that nothing can follow the save.
func fateByVersion(now, read int64, ends, isSave, proves bool) fate {
	switch {
	case now == read, now > read+1 && ends, now == read+1 && !isSave: // read is 0 for none
		return discarded
	case now == read+1 && proves:
		return stored
	}
	return unknown
}

// fateOfEvents judges by the events that a change carries. One may be delivered
// and gone already, so only its presence proves anything.
func fateOfEvents(ctx context.Context, s *session, events []ports.Event) (fate, error) {
	for i := range events {
		if what, err := presence(ctx, s, unknown, hasEvent, blob(events[i].ID)); err != nil || what == stored {
			return what, err
		}
	}
	return unknown, nil
}

// fateOfQueued judges by the work that a change carries, too.
func fateOfQueued(ctx context.Context, s *session, events []ports.Event, items []ports.WorkItem) (fate, error) {
	what, err := fateOfEvents(ctx, s, events)
	for i := 0; i < len(items) && err == nil && what == unknown; i++ {
		what, err = presence(ctx, s, unknown, hasWork, blob(items[i].ID))
	}
	return what, err
}

// sequenced is a claimed item with its rank: what is due earlier, then what was
// saved earlier. RETURNING gives rows in no order.
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
