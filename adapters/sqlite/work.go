package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/corridor-go/corridor/ports"
)

type work struct{ *Store }

const (
	insertWork = `INSERT INTO work_items (id, kind, due_at, payload) VALUES (?, ?, ?, ?)`

	// claimable skips leased items during the scan, not by an index: there are only
	// as many of them as busy workers.
	claimable = `FROM work_items WHERE reason IS NULL AND kind = ?1 AND due_at <= ?2
		AND (leased_until IS NULL OR leased_until <= ?2)`

	peekWork = `SELECT EXISTS (SELECT 1 ` + claimable + `)`

	claimWork = `UPDATE work_items SET attempt = attempt + 1, leased_until = ?3
		WHERE seq IN (SELECT seq ` + claimable + ` ORDER BY due_at, seq LIMIT ?4)
		RETURNING seq, id, kind, due_at, payload, attempt, attempt`

	whereLease = ` WHERE id = ? AND attempt = ? AND leased_until IS NOT NULL AND reason IS NULL`

	doneWork  = `DELETE FROM work_items` + whereLease
	retryWork = `UPDATE work_items SET due_at = ?, leased_until = NULL` + whereLease
	buryWork  = `UPDATE work_items SET reason = ?, leased_until = NULL` + whereLease
)

func addWork(ctx context.Context, s *session, w *ports.WorkItem) error {
	_, err := s.exec(ctx, insertWork, blob(w.ID), w.Kind, w.DueAt.UnixMilli(), bytesOf(w.Payload))
	return err
}

func (w work) Claim(ctx context.Context, kind string, now time.Time, lease time.Duration, n int) ([]ports.WorkItem, error) {
	if err := ports.CheckClaim(lease, n); err != nil {
		return nil, err
	}
	var due bool
	if err := w.scan(ctx, peekWork, []any{kind, now.UnixMilli()}, &due); err != nil || !due {
		return nil, err
	}
	var claimed []sequenced[ports.WorkItem]
	err := w.update(ctx, func(ctx context.Context, s *session) error {
		args := []any{kind, now.UnixMilli(), now.Add(lease).UnixMilli(), n}
		return s.each(ctx, claimWork, args, func(rows *sql.Rows) error {
			var seq int64
			var i ports.WorkItem
			err := rows.Scan(&seq, &i.ID, &i.Kind, instant{&i.DueAt}, &i.Payload, &i.Attempt, &i.Claim)
			claimed = append(claimed, sequenced[ports.WorkItem]{i.DueAt.UnixMilli(), seq, i})
			return err
		})
	}, nil)
	if err != nil {
		return nil, err
	}
	return inOrder(claimed), nil
}

func (w work) Done(ctx context.Context, i ports.WorkItem) error {
	return w.settle(ctx, i, doneWork)
}

func (w work) Retry(ctx context.Context, i ports.WorkItem, at time.Time) error {
	return w.settle(ctx, i, retryWork, at.UnixMilli())
}

func (w work) Bury(ctx context.Context, i ports.WorkItem, reason string) error {
	if err := ports.CheckReason(reason); err != nil {
		return err
	}
	return w.settle(ctx, i, buryWork, reason)
}

// settle ends a claim by query, whose last arguments are whereLease's.
func (w work) settle(ctx context.Context, i ports.WorkItem, query string, args ...any) error {
	return w.update(ctx, func(ctx context.Context, s *session) error {
		return s.mustChange(ctx, staleClaim, query, append(args, blob(i.ID), i.Claim)...)
	}, nil)
}
