package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

type deadLetters struct{ *Store }

const (
	selectBuried = `SELECT ` + eventColumns + `, e.reason, e.seq FROM corridor.events e
		WHERE e.state = 'buried' AND e.seq > $1 ORDER BY e.seq LIMIT $2`

	// Rows are locked in their order before they are changed, so that two who name
	// the same ones do not wait for one another. At READ COMMITTED a lock judges
	// its row anew: of many who name it, one counts it.
	buriedAll   = `WITH b AS (SELECT e.seq FROM corridor.events e WHERE e.state = 'buried' ORDER BY e.seq FOR UPDATE), `
	buriedNamed = `WITH b AS (SELECT e.seq FROM corridor.events e WHERE e.state = 'buried' AND e.id = ANY($1) ORDER BY e.seq FOR UPDATE), `

	// A replayed event only waits: the next claim finds out which of its key is first.
	replay = `done AS (UPDATE corridor.events e SET state = 'waiting', attempt = 0, available_at = `
	buried = ` WHERE e.state = 'buried' AND e.seq = b.seq RETURNING 1) SELECT count(*) FROM done`
	anew   = `, reason = NULL, changes = e.changes + 1 FROM b`

	replayAll    = buriedAll + replay + `$1` + anew + buried
	replayNamed  = buriedNamed + replay + `$2` + anew + buried
	discardNamed = buriedNamed + `done AS (DELETE FROM corridor.events e USING b` + buried
)

func (d deadLetters) Buried(ctx context.Context, after int64, limit int) ([]ports.BuriedEvent, error) {
	if err := inRange(limit, maxBuriedPage); err != nil {
		return nil, err
	}
	return list(ctx, d.Store, selectBuried, []any{after, limit}, func(rows pgx.Rows, e *ports.BuriedEvent) error {
		return rows.Scan(append(eventFields(&e.Event), raw{&e.Reason}, &e.Pos)...)
	})
}

func (d deadLetters) Replay(ctx context.Context, now time.Time, ids ...string) (int, error) {
	if len(ids) == 0 {
		return d.tally(ctx, replayAll, position(now))
	}
	return d.tally(ctx, replayNamed, bytesOfAll(ids), position(now))
}

func (d deadLetters) Discard(ctx context.Context, ids ...string) (int, error) {
	if len(ids) == 0 {
		return 0, errcodes.New(errcodes.InvalidRequest, "A discard names at least one event")
	}
	return d.tally(ctx, discardNamed, bytesOfAll(ids))
}

// tally makes a change that tells how many rows it was about.
func (d deadLetters) tally(ctx context.Context, query string, args ...any) (n int, err error) {
	n, err = d.count(ctx, query, args...)
	return n, contended(err)
}

func bytesOfAll(ids []string) [][]byte {
	all := make([][]byte, len(ids))
	for i, id := range ids {
		all[i] = []byte(id)
	}
	return all
}
