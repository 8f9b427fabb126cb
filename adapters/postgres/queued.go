package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// queued contains what a change stores besides its record.
type queued struct {
	events []ports.Event
	work   []ports.WorkItem
	audit  []ports.AuditRow
}

func (c queued) isEmpty() bool { return len(c.events) == 0 && len(c.work) == 0 }

// wantedByHook returns the events and work that the hook wants.
func (s *Store) wantedByHook(c queued) (wanted queued) {
	if s.cfg.Hook == nil {
		return queued{}
	}
	for _, e := range c.events {
		if s.cfg.Hook.Wants(e.Kind) {
			wanted.events = append(wanted.events, e)
		}
	}
	for _, w := range c.work {
		if s.cfg.Hook.Wants(w.Kind) {
			wanted.work = append(wanted.work, w)
		}
	}
	return wanted
}

var (
	// fewEvents are the parts for one to three events, which most changes have.
	fewEvents = [...]*statementPart{fewEventsPart(1), fewEventsPart(2), fewEventsPart(3)}

	manyEvents = &statementPart{`, e AS (INSERT INTO corridor.events (id, kind, key, owner, at, data)
		SELECT v.id, v.kind, v.key, v.owner, v.at, v.data
		FROM unnest(?::bytea[], ?::text[], ?::bytea[], ?::bytea[], ?::timestamptz[], ?::bytea[])
			WITH ORDINALITY AS v (id, kind, key, owner, at, data, n)
		WHERE EXISTS (SELECT FROM saved) ORDER BY v.n)`, eventParams}

	allWork = &statementPart{`, w AS (INSERT INTO corridor.work_items (id, kind, due_at, payload)
		SELECT v.id, v.kind, v.due_at, v.payload
		FROM unnest(?::bytea[], ?::bytea[], ?::timestamptz[], ?::bytea[])
			WITH ORDINALITY AS v (id, kind, due_at, payload, n)
		WHERE EXISTS (SELECT FROM saved) ORDER BY v.n)`, 4}
)

// fewRows returns a part that stores n rows. Several rows need an ORDER BY, because
// VALUES has no order.
func fewRows(insert, columns, values string, n int) *statementPart {
	rows, order := make([]string, n), ""
	for i := range rows {
		rows[i] = fmt.Sprintf(`(%d, %s)`, i, values)
	}
	if n > 1 {
		order = ` ORDER BY v.n`
	}
	return &statementPart{insert + ` (` + columns + `) SELECT ` + columns + ` FROM saved, (VALUES ` +
		strings.Join(rows, ", ") + `) AS v (n, ` + columns + `)` + order + `)`, n * strings.Count(values, "?")}
}

func fewEventsPart(n int) *statementPart {
	return fewRows(`, e AS (INSERT INTO corridor.events`, `id, kind, key, owner, at, data`,
		`?::bytea, ?::text, ?::bytea, ?::bytea, ?::timestamptz, ?::bytea`, n)
}

// parts returns the parts that store c.
func (c queued) parts() []boundPart {
	var all []boundPart
	switch n := len(c.events); {
	case n == 0:
	case n <= len(fewEvents):
		args := make([]any, 0, n*eventParams)
		for i := range c.events {
			e := &c.events[i]
			args = append(args, []byte(e.ID), e.Kind, []byte(e.Key), []byte(e.Owner), millis(e.At), bytesOf(e.Data))
		}
		all = append(all, boundPart{fewEvents[n-1], args})
	default:
		all = append(all, boundPart{manyEvents, eventArgs(c.events)})
	}
	if len(c.work) > 0 {
		all = append(all, boundPart{allWork, workArgs(c.work)})
	}
	if len(c.audit) > 0 {
		all = append(all, auditPart(c.audit))
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
		at[i], data[i] = millis(e.At), bytesOf(e.Data)
	}
	return []any{ids, kinds, keys, owners, at, data}
}

func workArgs(items []ports.WorkItem) []any {
	n := len(items)
	ids, kinds, due, payloads := make([][]byte, n), make([][]byte, n), make([]time.Time, n), make([][]byte, n)
	for i := range items {
		w := &items[i]
		ids[i], kinds[i], due[i], payloads[i] = []byte(w.ID), []byte(w.Kind), millis(w.DueAt), bytesOf(w.Payload)
	}
	return []any{ids, kinds, due, payloads}
}

const staleClaim = "The claim is no longer the latest"

// claimRows runs a claim and returns what it claimed. The server plans the claim each
// time: a plan cached while the queue was empty would read the whole queue for each
// event once it is long.
func claimRows[V any](ctx context.Context, s *Store, fields func(*V) []any, query string, args ...any) ([]V, error) {
	var claimed []V
	args = append([]any{pgx.QueryExecModeCacheDescribe}, args...)
	err := s.write(ctx, func(ctx context.Context, q querier) (err error) {
		claimed, err = collect(ctx, q, fields, query, args)
		return err
	})
	if err != nil {
		return nil, contended(err)
	}
	return claimed, nil
}

// settleClaim runs a statement that ends a claim. It returns errcodes.Conflict if the
// statement counts no row.
func (s *Store) settleClaim(ctx context.Context, query string, args []any) error {
	n, err := s.count(ctx, query, args...)
	if err == nil && n == 0 {
		return errcodes.New(errcodes.Conflict, staleClaim)
	}
	return contended(err)
}

// contended returns the error of a statement that lost every one of its tries to
// others: all workers of a queue meet at its head, and each time another one won.
func contended(err error) error {
	if isUndone(err) {
		return errcodes.Wrap(errcodes.StorageUnavailable, "", redacted{err}).WithRetryAfter(retryAfter)
	}
	return err
}
