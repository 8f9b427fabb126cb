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

// saveStatement is a statement that saves a record: a WITH clause, whose first part
// is named saved, and a final SELECT. The parts for events, work and audit rows go
// between.
//
// The part saved is the compare-and-swap: it returns a row if all conditions of the
// change are met, and has then locked the record. All other parts read saved first.
// So nothing is written unless saved has a row, and the events are numbered while no
// other change of the record is running, so that the events of one key are in the
// order of their saves.
type saveStatement struct {
	with   *statementPart
	result *statementPart
}

// statementPart is a part of a statement, with a question mark for each parameter.
// The first part of a statement has numbered parameters instead.
type statementPart struct {
	text   string
	params int
}

// boundPart is a part with its arguments.
type boundPart struct {
	part *statementPart
	args []any
}

// newSaveStatement returns a statement that saves one record. with is its part saved,
// which has params parameters.
func newSaveStatement(with string, params int) saveStatement {
	return saveStatement{&statementPart{with, params}, &statementPart{` SELECT count(*) FROM saved`, 0}}
}

const (
	maxParts    = 8
	eventParams = 6
)

// partList contains the parts of one statement in order, followed by nils.
type partList [maxParts]*statementPart

// statementTexts caches the text of each combination of parts, of which there are few.
var statementTexts sync.Map // of partList to string

// text returns the statement's text.
func (c partList) text() string {
	if cached, ok := statementTexts.Load(c); ok {
		if text, ok := cached.(string); ok {
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

// numberParams numbers the question marks, starting with after + 1.
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

// saveRecord inserts a record if version is 0, and otherwise updates it if it still
// has that version. It stores c with it.
func (s *Store) saveRecord(ctx context.Context, noun string, version int64, insert, update saveStatement, args []any, c queued) error {
	if err := ports.CheckQueued(c.events, c.work, c.audit); err != nil {
		return err
	}
	if version == 0 {
		return s.save(ctx, insert, "A "+noun+" with this id already exists", args, c)
	}
	return s.save(ctx, update, "The "+noun+" has changed since it was read, or has ended", args, c)
}

// save runs q, which returns how many records it saved. If that is 0, save returns
// errcodes.Conflict with the message conflict. The extra parts, at most three, follow
// the part saved.
func (s *Store) save(ctx context.Context, q saveStatement, conflict string, args []any, c queued, extra ...boundPart) error {
	wanted := s.wantedByHook(c)
	if wanted.isEmpty() {
		return s.write(ctx, func(ctx context.Context, on querier) error { return q.run(ctx, on, conflict, args, c, extra) })
	}
	return s.transact(ctx, "", func(ctx context.Context, tx pgx.Tx) error {
		if err := q.run(ctx, tx, conflict, args, c, extra); err != nil {
			return unencodable.coded(ctx, tx.Conn(), err)
		}
		return hookFailed.coded(ctx, tx.Conn(), s.cfg.Hook.Enqueue(ctx, tx, wanted.events, wanted.work))
	})
}

func (q saveStatement) run(ctx context.Context, on querier, conflict string, args []any, c queued, extra []boundPart) error {
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
		return errcodes.New(errcodes.Conflict, conflict)
	}
	return err
}
