package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Reports gives the store of report jobs.
func (s *Store) Reports() ports.ReportStore { return reports{s} }

type reports struct{ *Store }

const (
	reportColumns = `id, owner, version, kind, merchant_id, name, first_day, last_day, columns, filters, format, status,
		created_at, updated_at, ended_at, attempts, holder, lease_until, started_at,
		rows_written, rows_total, as_of, reason, file_size, file_sha256`

	selectReport = `SELECT ` + reportColumns + ` FROM corridor.reports WHERE id = $1 AND owner = $2`

	selectExpired = `SELECT ` + reportColumns + ` FROM corridor.reports
		WHERE status <> 'RUNNING' AND ended_at <= $1 ORDER BY ended_at, id LIMIT $2`

	// removeReport counts a job that runs, which it leaves. A snapshot that has the
	// job ended may lose it to another process meanwhile, and then counts nothing.
	removeReport = `WITH gone AS (DELETE FROM corridor.reports WHERE id = $1 AND owner = $2 AND status <> 'RUNNING')
		SELECT count(*) FROM corridor.reports WHERE id = $1 AND owner = $2 AND status = 'RUNNING'`
)

// reportFields are the targets of reportColumns.
func reportFields(j *ports.ReportJob) []any {
	return reportTargets(j, texts{&j.Request.Columns}, filters{&j.Request.Filters})
}

// listedFields are those of a listing, which damaged lists must not end: they are
// given as none, for the caller to judge the job by.
func listedFields(j *ports.ReportJob) []any {
	return reportTargets(j, anyList{texts{&j.Request.Columns}}, anyList{filters{&j.Request.Filters}})
}

func reportTargets(j *ports.ReportJob, columns, filters pgtype.BytesScanner) []any {
	r := &j.Request
	return []any{
		raw{&j.ID}, raw{&j.Owner}, &j.Version, reportKind{&j.Kind}, raw{&r.MerchantID}, raw{&r.Name},
		instant{&r.From}, instant{&r.To}, columns, filters, raw{&r.Format}, reportStatus{&j.Status},
		instant{&j.CreatedAt}, instant{&j.UpdatedAt}, instant{&j.EndedAt}, &j.Attempts, raw{&j.Holder},
		instant{&j.LeaseUntil}, instant{&j.StartedAt}, &j.Rows, &j.Total, instant{&j.AsOf}, text{&j.Reason},
		number{&j.FileSize}, text{&j.FileSHA256},
	}
}

// reportKind scans a kind. One that is none has no writer.
type reportKind struct{ k *ports.ReportKind }

// ScanText implements pgtype.TextScanner.
func (r reportKind) ScanText(v pgtype.Text) error {
	*r.k = ports.ReportKind(v.String)
	switch *r.k {
	case ports.ReportTransactions, ports.ReportUnmatched:
		return nil
	default:
		return corrupt("a report's kind is none")
	}
}

// reportStatus scans a status. One that is none must not pass for an end.
type reportStatus struct{ s *ports.ReportStatus }

// ScanText implements pgtype.TextScanner.
func (r reportStatus) ScanText(v pgtype.Text) error {
	*r.s = ports.ReportStatus(v.String)
	switch *r.s {
	case ports.ReportRunning, ports.ReportCompleted, ports.ReportFailed:
		return nil
	default:
		return corrupt("a report's status is none")
	}
}

// number scans a number that may be NULL, which is 0.
type number struct{ n *int64 }

// ScanInt64 implements pgtype.Int64Scanner.
func (n number) ScanInt64(v pgtype.Int8) error {
	*n.n = v.Int64
	return nil
}

func (r reports) Report(ctx context.Context, owner, id string) (ports.ReportJob, error) {
	var j ports.ReportJob
	err := r.row(ctx, selectReport, []any{[]byte(id), []byte(owner)}, reportFields(&j)...)
	if errors.Is(err, pgx.ErrNoRows) {
		err = errcodes.New(errcodes.NotFound, "No such report")
	}
	if err != nil {
		return ports.ReportJob{}, err
	}
	return j, nil
}

const maxExpired = 1_000 // of a listing of reports, as ports sets it

func (r reports) ExpiredReports(ctx context.Context, before time.Time, limit int) ([]ports.ReportJob, error) {
	if err := inRange(limit, maxExpired); err != nil {
		return nil, err
	}
	return list(ctx, r.Store, selectExpired, []any{position(before), limit},
		func(rows pgx.Rows, j *ports.ReportJob) error { return rows.Scan(listedFields(j)...) })
}

func (r reports) RemoveReport(ctx context.Context, owner, id string) error {
	running, err := r.count(ctx, removeReport, []byte(id), []byte(owner))
	if err == nil && running > 0 {
		return errcodes.New(errcodes.Conflict, "The report runs")
	}
	return err
}
