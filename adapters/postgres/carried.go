package postgres

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// saving is a statement that saves a record, in four forms: with the events and
// the work that a change may carry, or without.
//
// Its part saved is the compare-and-swap, and everything else reads saved first:
// nothing of a change is written unless its record was, and the numbers of its
// events are drawn when no other change of the record can be under way, so that
// events of one key have the order of their saves.
type saving [4]string

const withEvents, withWork = 1, 2

// newSaving makes the forms from the text of a WITH clause that has a part named
// saved, the final SELECT, and how many parameters they have.
func newSaving(with, result string, params int) saving {
	events := numbered(`, e AS (INSERT INTO corridor.events (id, kind, key, owner, at, data)
		SELECT v.id, v.kind, v.key, v.owner, v.at, v.data
		FROM unnest(?::bytea[], ?::text[], ?::bytea[], ?::bytea[], ?::timestamptz[], ?::bytea[])
			WITH ORDINALITY AS v (id, kind, key, owner, at, data, n)
		WHERE EXISTS (SELECT FROM saved) ORDER BY v.n)`, params)
	const work = `, w AS (INSERT INTO corridor.work_items (id, kind, due_at, payload)
		SELECT v.id, v.kind, v.due_at, v.payload
		FROM unnest(?::bytea[], ?::text[], ?::timestamptz[], ?::bytea[])
			WITH ORDINALITY AS v (id, kind, due_at, payload, n)
		WHERE EXISTS (SELECT FROM saved) ORDER BY v.n)`
	return saving{
		0:                     "WITH " + with + " " + result,
		withEvents:            "WITH " + with + events + " " + result,
		withWork:              "WITH " + with + numbered(work, params) + " " + result,
		withEvents | withWork: "WITH " + with + events + numbered(work, params+eventParams) + " " + result,
	}
}

const eventParams = 6

// numbered puts numbers to the question marks, from the one behind after on.
func numbered(query string, after int) string {
	var b strings.Builder
	for part := range strings.SplitSeq(query, "?") {
		if b.Len() > 0 {
			after++
			b.WriteString("$" + strconv.Itoa(after))
		}
		b.WriteString(part)
	}
	return b.String()
}

// carried is what a change carries beside its record.
type carried struct {
	events []ports.Event
	work   []ports.WorkItem
}

// save runs a saving, whose result is how many records it saved: 0 is
// errcodes.Conflict with the refusal.
func (s *Store) save(ctx context.Context, q saving, refusal string, args []any, c carried) error {
	kept, wanted := s.parted(c)
	if wanted.none() {
		return s.write(ctx, func(ctx context.Context, on querier) error { return q.run(ctx, on, refusal, args, kept) })
	}
	return s.transact(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := q.run(ctx, tx, refusal, args, kept); err != nil {
			return err
		}
		return s.cfg.Hook.Enqueue(ctx, tx, wanted.events, wanted.work)
	})
}

func (c carried) none() bool { return len(c.events) == 0 && len(c.work) == 0 }

// parted tells what the tables keep and what the hook wants.
func (s *Store) parted(c carried) (kept, wanted carried) {
	if s.cfg.Hook == nil {
		return c, carried{}
	}
	kept.events = c.events
	for _, e := range c.events {
		if s.cfg.Hook.Wants(e.Kind) {
			wanted.events = append(wanted.events, e)
		}
	}
	for _, w := range c.work {
		if s.cfg.Hook.Wants(w.Kind) {
			wanted.work = append(wanted.work, w)
		} else {
			kept.work = append(kept.work, w)
		}
	}
	return kept, wanted
}

func (q saving) run(ctx context.Context, on querier, refusal string, args []any, c carried) error {
	form := 0
	if len(c.events) > 0 {
		form |= withEvents
		args = append(args, eventArgs(c.events)...)
	}
	if len(c.work) > 0 {
		form |= withWork
		args = append(args, workArgs(c.work)...)
	}
	var saved int
	err := on.QueryRow(ctx, q[form], args...).Scan(&saved)
	if sqlState(err) == divisionByZero || err == nil && saved == 0 {
		return errcodes.New(errcodes.Conflict, refusal)
	}
	return err
}

func eventArgs(events []ports.Event) []any {
	n := len(events)
	ids, kinds, keys, owners := make([][]byte, n), make([]string, n), make([][]byte, n), make([][]byte, n)
	at, data := make([]time.Time, n), make([][]byte, n)
	for i := range events {
		e := &events[i]
		ids[i], kinds[i], keys[i], owners[i] = []byte(e.ID), e.Kind, []byte(e.Key), []byte(e.Owner)
		at[i], data[i] = position(e.At), bytesOf(e.Data)
	}
	return []any{ids, kinds, keys, owners, at, data}
}

func workArgs(items []ports.WorkItem) []any {
	n := len(items)
	ids, kinds, due, payloads := make([][]byte, n), make([]string, n), make([]time.Time, n), make([][]byte, n)
	for i := range items {
		w := &items[i]
		ids[i], kinds[i], due[i], payloads[i] = []byte(w.ID), w.Kind, position(w.DueAt), bytesOf(w.Payload)
	}
	return []any{ids, kinds, due, payloads}
}
