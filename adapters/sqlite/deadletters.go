package sqlite

import (
	"context"
	"slices"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

type deadLetters struct{ *Store }

const (
	selectBuried = `SELECT seq, id, kind, key, owner, at, data, attempt, claim, reason FROM events
		WHERE state = 'buried' AND seq > ? ORDER BY seq LIMIT ?`

	replayAll   = `UPDATE events SET state = 'waiting', attempt = 0, available_at = ?, reason = NULL WHERE state = 'buried'`
	replayEvent = replayAll + ` AND id = ?`

	// A replayed event comes before the later ones of its key.
	blockEvents = `UPDATE events SET state = 'blocked' WHERE state = 'ready' AND ` + hasEarlier

	discardEvent = `DELETE FROM events WHERE state = 'buried' AND id = ?`
)

func (d deadLetters) Buried(ctx context.Context, after int64, limit int) ([]ports.BuriedEvent, error) {
	if err := ports.CheckLimit(limit, ports.MaxSmallPage); err != nil {
		return nil, err
	}
	return list(ctx, d.Store, buriedFields, selectBuried, after, limit)
}

func buriedFields(e *ports.BuriedEvent) []any {
	return []any{&e.Pos, &e.ID, &e.Kind, &e.Key, &e.Owner, instant{&e.At}, &e.Data, &e.Attempt, &e.Claim, &e.Reason}
}

func (d deadLetters) Replay(ctx context.Context, now time.Time, audit ports.AuditRow, ids ...string) (int, error) {
	return d.count(ctx, &audit, func(ctx context.Context, s *session) (int64, error) {
		n, err := replay(ctx, s, now, &audit, ids)
		if err == nil && n > 0 {
			_, err = s.exec(ctx, blockEvents)
		}
		return n, err
	})
}

func replay(ctx context.Context, s *session, now time.Time, audit *ports.AuditRow, ids []string) (int64, error) {
	if len(ids) == 0 {
		if _, err := s.exec(ctx, auditBuried, auditArgs(audit)...); err != nil {
			return 0, err
		}
		return s.exec(ctx, replayAll, now.UnixMilli())
	}
	return execEach(ctx, s, audit, ids, replayEvent, now.UnixMilli())
}

func (d deadLetters) Discard(ctx context.Context, audit ports.AuditRow, ids ...string) (int, error) {
	if len(ids) == 0 {
		return 0, errcodes.New(errcodes.InvalidRequest, "ids is empty, want at least one event")
	}
	return d.count(ctx, &audit, func(ctx context.Context, s *session) (int64, error) {
		return execEach(ctx, s, &audit, ids, discardEvent)
	})
}

// count runs do in a transaction and returns do's number of rows.
func (d deadLetters) count(ctx context.Context, audit *ports.AuditRow, do func(context.Context, *session) (int64, error)) (int, error) {
	if err := audit.Check(); err != nil {
		return 0, err
	}
	var n int64
	err := d.update(ctx, func(ctx context.Context, s *session) (err error) {
		n, err = do(ctx, s)
		return err
	}, nil)
	if err != nil {
		return 0, err
	}
	return int(n), nil
}

// execEach runs the query for each id, its last argument, after storing an audit row
// for each buried event of that id. It returns how many rows the query changed.
func execEach(ctx context.Context, s *session, audit *ports.AuditRow, ids []string, query string, args ...any) (total int64, err error) {
	for _, id := range ids {
		if _, err := s.exec(ctx, auditEvent, append(auditArgs(audit), blob(id))...); err != nil {
			return 0, err
		}
		n, err := s.exec(ctx, query, append(slices.Clip(args), blob(id))...)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}
