package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// claimReport looks once, since it is materialized, for the first job that nobody
// else is just taking. READ COMMITTED judges a job that changed meanwhile anew
// once it is locked: a lease that was extended makes it the next job's turn. The
// update then finds its own lock, and the newest version.
//
// Jobs under lease are taken out while they are scanned: those are few, as many
// as there are workers at it.
const claimReport = `WITH free AS MATERIALIZED (
		SELECT id AS free_id FROM corridor.reports
		WHERE status = 'RUNNING' AND (lease_until IS NULL OR lease_until <= $1)
		ORDER BY created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
	UPDATE corridor.reports SET version = version + 1, attempts = attempts + 1, holder = $2, lease_until = $3,
		started_at = coalesce(started_at, $1)
	FROM free WHERE id = free_id
	RETURNING ` + reportColumns

// ClaimReport leaves a job that cannot be read with its lease, so that the next
// claim gets the next job.
func (r reports) ClaimReport(ctx context.Context, holder string, now time.Time, lease time.Duration) (ports.ReportJob, error) {
	if err := checkClaim(lease, 1); err != nil {
		return ports.ReportJob{}, err
	}
	var j ports.ReportJob
	args := []any{position(now), []byte(holder), position(now.Add(lease))}
	err := r.write(ctx, func(ctx context.Context, q querier) error {
		err := q.QueryRow(ctx, claimReport, args...).Scan(reportFields(&j)...)
		if errors.Is(err, pgx.ErrNoRows) {
			return errcodes.New(errcodes.NotFound, "No report waits")
		}
		return err
	})
	if err != nil {
		return ports.ReportJob{}, err
	}
	return j, nil
}
