package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/corridor-go/corridor/adapters/jsonlist"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

type reports struct{ *Store }

const (
	reportColumns = `id, owner, version, kind, merchant_id, name, first_day, last_day, columns, filters, format, status,
		created_at, updated_at, ended_at, attempts, holder, lease_until, started_at,
		rows_written, rows_total, as_of, reason, file_size, file_sha256`

	selectReport = `SELECT ` + reportColumns + ` FROM corridor.reports WHERE id = $1 AND owner = $2`

	selectExpired = `SELECT ` + reportColumns + ` FROM corridor.reports
		WHERE status <> 'RUNNING' AND ended_at <= $1 ORDER BY ended_at, id LIMIT $2`

	// removeReport returns 1 and removes nothing if the job is running. If another
	// process removes the job at the same time, it returns 0.
	removeReport = `WITH gone AS (DELETE FROM corridor.reports WHERE id = $1 AND owner = $2 AND status <> 'RUNNING')
		SELECT count(*) FROM corridor.reports WHERE id = $1 AND owner = $2 AND status = 'RUNNING'`

	insertReport = `saved AS (INSERT INTO corridor.reports (` + reportColumns + `)
		VALUES ($1, $2, $3::bigint + 1, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
			$21, $22, $23, $24, $25)
		ON CONFLICT (id) DO NOTHING RETURNING 1)`

	// updateReport takes the parameters of insertReport. Its condition on status makes
	// terminal states final for writers of all processes (I22).
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
	beginReport  = newSaveStatement(insertReport, 25)
	changeReport = newSaveStatement(updateReport, 25)
)

// claimReport locks the first free job that no other claim has locked; MATERIALIZED
// makes it look only once. At READ COMMITTED the server checks a job again under its
// lock and, if its lease was extended meanwhile, goes on to the next job. The update
// then sees the newest version of the row.
//
// Leased jobs are skipped during the scan, not by an index: there are only as many
// of them as busy workers.
const claimReport = `WITH free AS MATERIALIZED (
		SELECT id AS free_id FROM corridor.reports
		WHERE status = 'RUNNING' AND (lease_until IS NULL OR lease_until <= $1)
		ORDER BY created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
	UPDATE corridor.reports SET version = version + 1, attempts = attempts + 1, holder = $2, lease_until = $3,
		started_at = coalesce(started_at, $1)
	FROM free WHERE id = free_id
	RETURNING ` + reportColumns

// reportFields returns the destinations of reportColumns.
func reportFields(j *ports.ReportJob) []any {
	return reportTargets(j, func(list pgtype.BytesScanner) pgtype.BytesScanner { return list })
}

// listedFields returns the destinations of a listing, which damaged lists must not
// end: they become nil, and the caller finds the job invalid.
func listedFields(j *ports.ReportJob) []any {
	return reportTargets(j, func(list pgtype.BytesScanner) pgtype.BytesScanner { return lenientList{list} })
}

func reportTargets(j *ports.ReportJob, listed func(pgtype.BytesScanner) pgtype.BytesScanner) []any {
	r := &j.Request
	return []any{
		byteString{&j.ID}, byteString{&j.Owner}, &j.Version, known[ports.ReportKind]{&j.Kind, reportKinds}, byteString{&r.MerchantID}, byteString{&r.Name},
		instant{&r.From}, instant{&r.To},
		listed(jsonList[string]{&r.Columns, jsonlist.ReadTexts}), listed(jsonList[ports.Filter]{&r.Filters, jsonlist.ReadFilters}),
		byteString{&r.Format}, known[ports.ReportStatus]{&j.Status, reportStatuses},
		instant{&j.CreatedAt}, instant{&j.UpdatedAt}, instant{&j.EndedAt}, &j.Attempts, byteString{&j.Holder},
		instant{&j.LeaseUntil}, instant{&j.StartedAt}, &j.Rows, &j.Total, instant{&j.AsOf}, text{&j.Reason},
		number{&j.FileSize}, text{&j.FileSHA256},
	}
}

var (
	reportKinds    = []ports.ReportKind{ports.ReportTransactions, ports.ReportUnmatched}
	reportStatuses = []ports.ReportStatus{ports.ReportRunning, ports.ReportCompleted, ports.ReportFailed}
)

func (r reports) Save(ctx context.Context, c ports.ReportChange) error {
	return r.saveRecord(ctx, "report", c.Job.Version, beginReport, changeReport, reportArgs(&c.Job), queued{c.Events, c.Work, c.Audit})
}

// reportArgs are the values of reportColumns.
func reportArgs(j *ports.ReportJob) []any {
	return []any{
		[]byte(j.ID), []byte(j.Owner), j.Version, string(j.Kind), []byte(j.Request.MerchantID), []byte(j.Request.Name),
		optionalMillis(j.Request.From), optionalMillis(j.Request.To), jsonlist.Texts(j.Request.Columns), jsonlist.Filters(j.Request.Filters),
		[]byte(j.Request.Format), string(j.Status),
		millis(j.CreatedAt), optionalMillis(j.UpdatedAt), optionalMillis(j.EndedAt), j.Attempts, []byte(j.Holder),
		optionalMillis(j.LeaseUntil), optionalMillis(j.StartedAt), j.Rows, j.Total, optionalMillis(j.AsOf),
		optionalText(j.Reason), fileSize(j), optionalText(j.FileSHA256),
	}
}

// fileSize returns NULL if there is no file; an empty file has size 0.
func fileSize(j *ports.ReportJob) pgtype.Int8 {
	return pgtype.Int8{Int64: j.FileSize, Valid: j.Status == ports.ReportCompleted || j.FileSize != 0}
}

func (r reports) Report(ctx context.Context, owner, id string) (ports.ReportJob, error) {
	return one(ctx, r.Store, "No such report", reportFields, selectReport, []byte(id), []byte(owner))
}

// ClaimReport leaves a damaged job leased, so that the next claim returns another
// one.
func (r reports) ClaimReport(ctx context.Context, holder string, now time.Time, lease time.Duration) (ports.ReportJob, error) {
	if err := ports.CheckClaim(lease, 1); err != nil {
		return ports.ReportJob{}, err
	}
	var j ports.ReportJob
	args := []any{millis(now), []byte(holder), millis(now.Add(lease))}
	err := r.write(ctx, func(ctx context.Context, q querier) error {
		err := q.QueryRow(ctx, claimReport, args...).Scan(reportFields(&j)...)
		if errors.Is(err, pgx.ErrNoRows) {
			return errcodes.New(errcodes.NotFound, "No report job is waiting")
		}
		return err
	})
	if err != nil {
		return ports.ReportJob{}, err
	}
	return j, nil
}

func (r reports) ExpiredReports(ctx context.Context, before time.Time, limit int) ([]ports.ReportJob, error) {
	if err := ports.CheckLimit(limit, ports.MaxSmallPage); err != nil {
		return nil, err
	}
	return list(ctx, r.Store, listedFields, selectExpired, millis(before), limit)
}

func (r reports) RemoveReport(ctx context.Context, owner, id string) error {
	running, err := r.count(ctx, removeReport, []byte(id), []byte(owner))
	if err == nil && running > 0 {
		return errcodes.New(errcodes.Conflict, "The report is still running")
	}
	return err
}
