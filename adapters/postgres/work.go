package postgres

import (
	"context"
	"time"

	"github.com/corridor-go/corridor/ports"
)

type work struct{ *Store }

const (
	// claimWork skips what other claims have locked. At READ COMMITTED the server
	// checks a row again under its lock, and skips it if another claim has leased it
	// since this statement began. Leased items are skipped during the scan, not by an
	// index: there are only as many of them as busy workers.
	claimWork = `WITH claimed AS (UPDATE corridor.work_items w SET attempt = w.attempt + 1, leased_until = $3
		WHERE w.id = ANY(ARRAY(SELECT id FROM corridor.work_items
		WHERE reason IS NULL AND kind = $1 AND due_at <= $2 AND (leased_until IS NULL OR leased_until <= $2)
		ORDER BY due_at, seq LIMIT $4 FOR UPDATE SKIP LOCKED))
		RETURNING w.seq, w.id, w.kind, w.due_at, w.payload, w.attempt)
	SELECT id, kind, due_at, payload, attempt, attempt FROM claimed ORDER BY due_at, seq`

	whereLease = ` WHERE id = $1 AND attempt = $2::bigint AND leased_until IS NOT NULL AND reason IS NULL
		RETURNING 1) SELECT count(*) FROM ended`

	doneWork  = `WITH ended AS (DELETE FROM corridor.work_items` + whereLease
	retryWork = `WITH ended AS (UPDATE corridor.work_items SET due_at = $3, leased_until = NULL` + whereLease
	buryWork  = `WITH ended AS (UPDATE corridor.work_items SET reason = $3, leased_until = NULL` + whereLease
)

func (w work) Claim(ctx context.Context, kind string, now time.Time, lease time.Duration, n int) ([]ports.WorkItem, error) {
	if err := ports.CheckClaim(lease, n); err != nil {
		return nil, err
	}
	return claimRows(ctx, w.Store, workFields, claimWork, []byte(kind), millis(now), millis(now.Add(lease)), n)
}

func workFields(i *ports.WorkItem) []any {
	return []any{byteString{&i.ID}, byteString{&i.Kind}, instant{&i.DueAt}, byteSlice{&i.Payload}, &i.Attempt, &i.Claim}
}

func (w work) Done(ctx context.Context, i ports.WorkItem) error {
	return w.settle(ctx, i, doneWork)
}

func (w work) Retry(ctx context.Context, i ports.WorkItem, at time.Time) error {
	return w.settle(ctx, i, retryWork, millis(at))
}

func (w work) Bury(ctx context.Context, i ports.WorkItem, reason string) error {
	if err := ports.CheckReason(reason); err != nil {
		return err
	}
	return w.settle(ctx, i, buryWork, []byte(reason))
}

// settle ends a claim by query, whose first parameters are whereLease's.
func (w work) settle(ctx context.Context, i ports.WorkItem, query string, args ...any) error {
	return w.settleClaim(ctx, query, append([]any{[]byte(i.ID), i.Claim}, args...))
}
