package postgres

import (
	"context"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/corridor-go/corridor/adapters/postgres/internal/jsonlist"
	"github.com/corridor-go/corridor/ports"
)

const (
	insertReport = `saved AS (INSERT INTO corridor.reports (` + reportColumns + `)
		VALUES ($1, $2, $3::bigint + 1, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
			$21, $22, $23, $24, $25)
		ON CONFLICT (id) DO NOTHING RETURNING 1)`

	// updateReport takes the parameters of insertReport. An end is for good (I22):
	// whoever writes, here or in another process, finds the status in its way.
	updateReport = `saved AS (UPDATE corridor.reports
		SET (version, kind, merchant_id, name, first_day, last_day, columns, filters, format, status,
				created_at, updated_at, ended_at, attempts, holder, lease_until, started_at,
				rows_written, rows_total, as_of, reason, file_size, file_sha256)
			= (version + 1, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
				$21, $22, $23, $24, $25)
		WHERE id = $1 AND owner = $2 AND version = $3 AND status = 'RUNNING'
		RETURNING 1)`
)

var (
	beginReport  = newSaving(insertReport, 25)
	changeReport = newSaving(updateReport, 25)
)

func (r reports) Save(ctx context.Context, c ports.ReportChange) error {
	if err := ports.CheckQueued(c.Events, c.Work); err != nil {
		return err
	}
	args, err := reportArgs(&c.Job)
	if err != nil {
		return coded(err)
	}
	query, refusal := beginReport, "A report of this id exists"
	if c.Job.Version != 0 {
		query, refusal = changeReport, "The report has changed since it was read, or has ended"
	}
	return r.save(ctx, query, refusal, args, carried{c.Events, c.Work})
}

// reportArgs are the values of reportColumns.
func reportArgs(j *ports.ReportJob) ([]any, error) {
	columns, err := jsonlist.Texts(j.Request.Columns)
	if err != nil {
		return nil, err
	}
	filters, err := jsonlist.Filters(j.Request.Filters)
	if err != nil {
		return nil, err
	}
	return []any{
		[]byte(j.ID), []byte(j.Owner), j.Version, string(j.Kind), []byte(j.Request.MerchantID), []byte(j.Request.Name),
		millis(j.Request.From), millis(j.Request.To), columns, filters, []byte(j.Request.Format), string(j.Status),
		position(j.CreatedAt), millis(j.UpdatedAt), millis(j.EndedAt), j.Attempts, []byte(j.Holder),
		millis(j.LeaseUntil), millis(j.StartedAt), j.Rows, j.Total, millis(j.AsOf),
		optional(j.Reason), fileSize(j), optional(j.FileSHA256),
	}, nil
}

// fileSize is NULL where there is no file; one of no bytes has a size.
func fileSize(j *ports.ReportJob) pgtype.Int8 {
	return pgtype.Int8{Int64: j.FileSize, Valid: j.Status == ports.ReportCompleted || j.FileSize != 0}
}
