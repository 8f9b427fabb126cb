package postgres

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// saving is a statement that saves a record: the parts of a WITH clause, the
// first of which is named saved, and a final SELECT. What a change carries is
// put between as parts of their own.
//
// The part saved is the compare-and-swap, and everything else reads saved first:
// nothing of a change is written unless its record was, and the numbers of its
// events are drawn when no other change of the record can be under way, so that
// events of one key have the order of their saves.
type saving struct {
	with   *part
	result *part
}

// part is a piece of a statement, with a question mark for each parameter; the
// first part of a statement numbers them itself.
type part struct {
	text   string
	params int
}

// newSaving makes a saving of one record from the text of its part saved, and how
// many parameters that has.
func newSaving(with string, params int) saving {
	return saving{&part{with, params}, &part{` SELECT count(*) FROM saved`, 0}}
}

// piece is a part with its arguments.
type piece struct {
	part *part
	args []any
}

var (
	// fewEvents are for one to three, which most changes carry.
	fewEvents = [...]*part{eventsPart(1), eventsPart(2), eventsPart(3)}

	manyEvents = &part{`, e AS (INSERT INTO corridor.events (id, kind, key, owner, at, data)
		SELECT v.id, v.kind, v.key, v.owner, v.at, v.data
		FROM unnest(?::bytea[], ?::text[], ?::bytea[], ?::bytea[], ?::timestamptz[], ?::bytea[])
			WITH ORDINALITY AS v (id, kind, key, owner, at, data, n)
		WHERE EXISTS (SELECT FROM saved) ORDER BY v.n)`, eventParams}

	manyItems = &part{`, w AS (INSERT INTO corridor.work_items (id, kind, due_at, payload)
		SELECT v.id, v.kind, v.due_at, v.payload
		FROM unnest(?::bytea[], ?::bytea[], ?::timestamptz[], ?::bytea[])
			WITH ORDINALITY AS v (id, kind, due_at, payload, n)
		WHERE EXISTS (SELECT FROM saved) ORDER BY v.n)`, 4}
)

// eventsPart stores n events. VALUES have no order of their own, and a single
// event does not pay for one.
func eventsPart(n int) *part {
	rows, order := make([]string, n), ""
	for i := range rows {
		rows[i] = fmt.Sprintf(`(%d, ?::bytea, ?::text, ?::bytea, ?::bytea, ?::timestamptz, ?::bytea)`, i)
	}
	if n > 1 {
		order = ` ORDER BY v.n`
	}
	return &part{`, e AS (INSERT INTO corridor.events (id, kind, key, owner, at, data)
		SELECT v.id, v.kind, v.key, v.owner, v.at, v.data
		FROM saved, (VALUES ` + strings.Join(rows, ", ") + `) AS v (n, id, kind, key, owner, at, data)` + order + `)`, n * eventParams}
}

// statements keeps the text of each combination of parts: a dozen or two.
var statements sync.Map // of combination to string

const (
	maxParts    = 7
	eventParams = 6
)

type combination [maxParts]*part

// text puts the parts together.
func (c combination) text() string {
	if known, ok := statements.Load(c); ok {
		if text, ok := known.(string); ok {
			return text
		}
	}
	var b strings.Builder
	b.WriteString("WITH ")
	params := 0
	for _, p := range c {
		if p != nil {
			b.WriteString(numbered(p.text, params))
			params += p.params
		}
	}
	statements.Store(c, b.String())
	return b.String()
}

// numbered puts numbers to the question marks, from the one behind after on.
func numbered(query string, after int) string {
	pieces := strings.Split(query, "?")
	var b strings.Builder
	for i, text := range pieces {
		b.WriteString(text)
		if i < len(pieces)-1 {
			after++
			b.WriteString("$" + strconv.Itoa(after))
		}
	}
	return b.String()
}

// carried is what a change carries beside its record.
type carried struct {
	events []ports.Event
	work   []ports.WorkItem
}

// save runs a saving, whose result is how many records it saved: 0 is
// errcodes.Conflict with the refusal. The pieces, at most three, go behind its
// WITH clause.
func (s *Store) save(ctx context.Context, q saving, refusal string, args []any, c carried, more ...piece) error {
	kept, wanted := s.parted(c)
	if wanted.none() {
		return s.write(ctx, func(ctx context.Context, on querier) error { return q.run(ctx, on, refusal, args, kept, more) })
	}
	return s.transact(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := q.run(ctx, tx, refusal, args, kept, more); err != nil {
			return unsendable.of(ctx, tx.Conn(), err)
		}
		return badHook.of(ctx, tx.Conn(), s.cfg.Hook.Enqueue(ctx, tx, wanted.events, wanted.work))
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

func (q saving) run(ctx context.Context, on querier, refusal string, args []any, c carried, more []piece) error {
	all := combination{q.with}
	n := 1
	for _, m := range append(slices.Clip(more), c.pieces()...) {
		all[n] = m.part
		args = append(args, m.args...)
		n++
	}
	all[n] = q.result
	var saved int
	err := on.QueryRow(ctx, all.text(), args...).Scan(&saved)
	switch {
	case sqlState(err) == divisionByZero:
		return errLeftOut
	case err == nil && saved == 0:
		return errcodes.New(errcodes.Conflict, refusal)
	default:
		return err
	}
}

// errLeftOut is a statement that undid itself since it could not do all.
var errLeftOut error = errcodes.New(errcodes.Conflict, "A record of the change is another's, or has ended")

func isLeftOut(err error) bool { return err == errLeftOut } //nolint:errorlint // it is this one, not any conflict

// pieces store what is carried.
func (c carried) pieces() []piece {
	var all []piece
	switch n := len(c.events); {
	case n == 0:
	case n <= len(fewEvents):
		args := make([]any, 0, n*eventParams)
		for i := range c.events {
			e := &c.events[i]
			args = append(args, []byte(e.ID), e.Kind, []byte(e.Key), []byte(e.Owner), position(e.At), bytesOf(e.Data))
		}
		all = append(all, piece{fewEvents[n-1], args})
	default:
		all = append(all, piece{manyEvents, eventArgs(c.events)})
	}
	if len(c.work) > 0 {
		all = append(all, piece{manyItems, workArgs(c.work)})
	}
	return all
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
	ids, kinds, due, payloads := make([][]byte, n), make([][]byte, n), make([]time.Time, n), make([][]byte, n)
	for i := range items {
		w := &items[i]
		ids[i], kinds[i], due[i], payloads[i] = []byte(w.ID), []byte(w.Kind), position(w.DueAt), bytesOf(w.Payload)
	}
	return []any{ids, kinds, due, payloads}
}
