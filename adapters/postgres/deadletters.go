package postgres

import (
	"context"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

type deadLetters struct{ *Store }

const (
	selectBuried = `SELECT ` + eventColumns + `, e.reason, e.seq FROM corridor.events e
		WHERE e.state = 'buried' AND e.seq > $1 ORDER BY e.seq LIMIT $2`

	// Rows are locked in the order of seq before they are changed, so that two calls
	// with the same ids cannot deadlock. At READ COMMITTED the server checks a row
	// again under its lock: of several concurrent calls, one counts it.
	buriedAll   = `WITH b AS (SELECT e.seq FROM corridor.events e WHERE e.state = 'buried' ORDER BY e.seq FOR UPDATE) `
	buriedNamed = `WITH b AS (SELECT e.seq FROM corridor.events e WHERE e.state = 'buried' AND e.id = ANY($1) ORDER BY e.seq FOR UPDATE) `

	// A replayed event is waiting; the next claim finds out which of its key is first.
	setWaiting  = `UPDATE corridor.events e SET state = 'waiting', attempt = 0, available_at = `
	whereBuried = ` WHERE e.state = 'buried' AND e.seq = b.seq RETURNING e.owner, e.id`
	clearReason = `, reason = NULL, changes = e.changes + 1 FROM b`
)

var (
	replayAll    = audited(buriedAll+setWaiting+`$1`+clearReason+whereBuried, 1, `owner`, `id`)
	replayNamed  = audited(buriedNamed+setWaiting+`$2`+clearReason+whereBuried, 2, `owner`, `id`)
	discardNamed = audited(buriedNamed+`DELETE FROM corridor.events e USING b`+whereBuried, 1, `owner`, `id`)
)

func (d deadLetters) Buried(ctx context.Context, after int64, limit int) ([]ports.BuriedEvent, error) {
	if err := ports.CheckLimit(limit, ports.MaxSmallPage); err != nil {
		return nil, err
	}
	fields := func(e *ports.BuriedEvent) []any { return append(eventFields(&e.Event), byteString{&e.Reason}, &e.Pos) }
	return list(ctx, d.Store, fields, selectBuried, after, limit)
}

func (d deadLetters) Replay(ctx context.Context, now time.Time, audit ports.AuditRow, ids ...string) (int, error) {
	if len(ids) == 0 {
		return d.countRows(ctx, &audit, replayAll, millis(now))
	}
	return d.countRows(ctx, &audit, replayNamed, bytesOfAll(ids), millis(now))
}

func (d deadLetters) Discard(ctx context.Context, audit ports.AuditRow, ids ...string) (int, error) {
	if len(ids) == 0 {
		return 0, errcodes.New(errcodes.InvalidRequest, "ids is empty, want at least one event")
	}
	return d.countRows(ctx, &audit, discardNamed, bytesOfAll(ids))
}

// countRows runs query with its audit rows and returns how many rows it changed.
func (d deadLetters) countRows(ctx context.Context, audit *ports.AuditRow, query string, args ...any) (n int, err error) {
	if err := audit.Check(); err != nil {
		return 0, err
	}
	n, err = d.count(ctx, query, appendAudit(args, audit)[:len(args)+auditParams]...)
	return n, contended(err)
}

func bytesOfAll(ids []string) [][]byte {
	all := make([][]byte, len(ids))
	for i, id := range ids {
		all[i] = []byte(id)
	}
	return all
}
