package postgres

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// saveStatement is a statement that saves a record: the parts of a WITH clause, the
// first of which is named saved, and a final SELECT. What a change carries is
// put between as parts of their own.
//
// The part saved is the compare-and-swap: it has a row if all that the change rests
// on holds, and holds the lock of its record then. Everything else reads saved
// first: nothing of a change is written unless saved has its row, and the numbers
// of its events are drawn when no other change of the record can be under way, so
// that events of one key have the order of their saves.
type saveStatement struct {
	with   *statementPart
	result *statementPart
}

// statementPart is a piece of a statement, with a question mark for each parameter;
// the first part of a statement numbers them itself.
type statementPart struct {
	text   string
	params int
}

// boundPart is a part with its arguments.
type boundPart struct {
	part *statementPart
	args []any
}

// newSaveStatement makes a statement that saves one record from the text of its
// part saved, and how many parameters that has.
func newSaveStatement(with string, params int) saveStatement {
	return saveStatement{&statementPart{with, params}, &statementPart{` SELECT count(*) FROM saved`, 0}}
}

const (
	maxParts    = 8
	eventParams = 6
)

// partList is the parts of one statement in their order; the rest is nil.
type partList [maxParts]*statementPart

// statementTexts keeps the text of each combination of parts: a dozen or two.
var statementTexts sync.Map // of partList to string

// text puts the parts together.
func (c partList) text() string {
	if known, ok := statementTexts.Load(c); ok {
		if text, ok := known.(string); ok {
			return text
		}
	}
	var b strings.Builder
	b.WriteString("WITH ")
	params := 0
	for _, p := range c {
		if p != nil {
			b.WriteString(numberParams(p.text, params))
			params += p.params
		}
	}
	statementTexts.Store(c, b.String())
	return b.String()
}

// numberParams puts numbers to the question marks, from the one behind after on.
func numberParams(query string, after int) string {
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

// saveRecord inserts a record whose version is 0, or updates one that still has
// version, and stores what comes with it.
func (s *Store) saveRecord(ctx context.Context, noun string, version int64, insert, update saveStatement, args []any, c queued) error {
	if err := ports.CheckQueued(c.events, c.work, c.audit); err != nil {
		return err
	}
	if version == 0 {
		return s.save(ctx, insert, "A "+noun+" of this id exists", args, c)
	}
	return s.save(ctx, update, "The "+noun+" has changed since it was read, or has ended", args, c)
}

// save runs q, whose result is how many records it saved: 0 is errcodes.Conflict
// with the refusal. The extra parts, at most three, go behind its part saved.
func (s *Store) save(ctx context.Context, q saveStatement, refusal string, args []any, c queued, extra ...boundPart) error {
	kept, wanted := s.splitForHook(c)
	if wanted.isEmpty() {
		return s.write(ctx, func(ctx context.Context, on querier) error { return q.run(ctx, on, refusal, args, kept, extra) })
	}
	return s.transact(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := q.run(ctx, tx, refusal, args, kept, extra); err != nil {
			return unencodable.coded(ctx, tx.Conn(), err)
		}
		return hookFailed.coded(ctx, tx.Conn(), s.cfg.Hook.Enqueue(ctx, tx, wanted.events, wanted.work))
	})
}

func (q saveStatement) run(ctx context.Context, on querier, refusal string, args []any, c queued, extra []boundPart) error {
	all := partList{q.with}
	n := 1
	for _, m := range append(slices.Clip(extra), c.parts()...) {
		all[n] = m.part
		args = append(args, m.args...)
		n++
	}
	all[n] = q.result
	var saved int
	err := on.QueryRow(ctx, all.text(), args...).Scan(&saved)
	if err == nil && saved == 0 {
		return errcodes.New(errcodes.Conflict, refusal)
	}
	return err
}
