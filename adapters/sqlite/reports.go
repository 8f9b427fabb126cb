package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"reflect"
	"time"

	"github.com/corridor-go/corridor/adapters/jsonlist"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

type reports struct{ *Store }

const (
	reportState = `version, kind, merchant_id, name, first_day, last_day, columns, filters, format, status,
		created_at, updated_at, ended_at, attempts, holder, lease_until, started_at,
		rows_written, rows_total, as_of, reason, file_size, file_sha256`

	selectReport = `SELECT id, owner, ` + reportState + ` FROM reports WHERE id = ? AND owner = ?`

	// freeReport skips leased jobs during the scan, not by an index: there are only
	// as many of them as busy workers.
	freeReport = `FROM reports WHERE status = 'RUNNING' AND (lease_until IS NULL OR lease_until <= ?1)`

	peekReport = `SELECT EXISTS (SELECT 1 ` + freeReport + `)`

	claimReport = `UPDATE reports SET version = version + 1, attempts = attempts + 1, holder = ?2, lease_until = ?3,
			started_at = coalesce(started_at, ?1)
		WHERE id = (SELECT id ` + freeReport + ` ORDER BY created_at, id LIMIT 1)
		RETURNING id, owner, ` + reportState

	selectExpired = `SELECT id, owner, ` + reportState + ` FROM reports
		WHERE status <> 'RUNNING' AND ended_at <= ? ORDER BY ended_at, id LIMIT ?`

	removeReport = `DELETE FROM reports WHERE id = ?1 AND owner = ?2 AND status <> 'RUNNING'`

	hasReport = `SELECT count(*) FROM reports WHERE id = ? AND owner = ?`

	insertReport = `INSERT INTO reports (id, owner, ` + reportState + `)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO NOTHING`

	// updateReport takes the arguments of insertReport. Its condition on status makes
	// terminal states final for writers of all processes (I22).
	updateReport = `UPDATE reports SET (` + reportState + `)
			= (?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25)
		WHERE id = ?1 AND owner = ?2 AND version = ?3 - 1 AND status = 'RUNNING'`
)

// reportFields returns the destinations of id, owner and reportState.
func reportFields(j *ports.ReportJob) []any {
	r := &j.Request
	return []any{
		&j.ID, &j.Owner, &j.Version, known[ports.ReportKind]{&j.Kind, reportKinds}, &r.MerchantID, &r.Name, instant{&r.From}, instant{&r.To},
		jsonList[string]{&r.Columns, jsonlist.ReadTexts}, jsonList[ports.Filter]{&r.Filters, jsonlist.ReadFilters}, &r.Format, known[ports.ReportStatus]{&j.Status, reportStatuses},
		instant{&j.CreatedAt}, instant{&j.UpdatedAt}, instant{&j.EndedAt}, &j.Attempts, &j.Holder, instant{&j.LeaseUntil},
		instant{&j.StartedAt}, &j.Rows, &j.Total, instant{&j.AsOf}, text{&j.Reason}, number{&j.FileSize}, text{&j.FileSHA256},
	}
}

var (
	reportKinds    = []ports.ReportKind{ports.ReportTransactions, ports.ReportUnmatched}
	reportStatuses = []ports.ReportStatus{ports.ReportRunning, ports.ReportCompleted, ports.ReportFailed}
)

func (r reports) Save(ctx context.Context, c ports.ReportChange) error {
	return r.saveRecord(ctx, "report", c.Job.Version, insertReport, updateReport, reportArgs(&c.Job), queued{c.Events, c.Work, c.Audit},
		func(ctx context.Context, s *session) (outcome, error) { return reportOutcome(ctx, s, &c) })
}

// reportArgs returns the values of id, owner and reportState after a save of j.
func reportArgs(j *ports.ReportJob) []any {
	return []any{
		blob(j.ID), blob(j.Owner), j.Version + 1, string(j.Kind), blob(j.Request.MerchantID), blob(j.Request.Name),
		optionalMillis(j.Request.From), optionalMillis(j.Request.To), jsonlist.Texts(j.Request.Columns), jsonlist.Filters(j.Request.Filters),
		j.Request.Format, string(j.Status),
		j.CreatedAt.UnixMilli(), optionalMillis(j.UpdatedAt), optionalMillis(j.EndedAt), j.Attempts, blob(j.Holder),
		optionalMillis(j.LeaseUntil), optionalMillis(j.StartedAt), j.Rows, j.Total, optionalMillis(j.AsOf),
		optionalText(j.Reason), fileSize(j), optionalText(j.FileSHA256),
	}
}

// fileSize returns NULL if there is no file; an empty file has size 0.
func fileSize(j *ports.ReportJob) any {
	if j.Status != ports.ReportCompleted && j.FileSize == 0 {
		return nil
	}
	return j.FileSize
}

// reportOutcome compares the job's row with the change. An equal row proves little:
// another process may have ended the job in the same way. The change's events and
// work items then decide; if it has none, an equal row is all that the caller asked
// for. A missing new job was not stored: jobs are removed only long after their end.
func reportOutcome(ctx context.Context, s *session, c *ports.ReportChange) (outcome, error) {
	var now ports.ReportJob
	err := s.scan(ctx, selectReport, []any{blob(c.Job.ID), blob(c.Job.Owner)}, reportFields(&now)...)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return unknown, err
	}
	proves := queued{c.Events, c.Work, c.Audit}.isEmpty()
	result := outcomeByVersion(now.Version, c.Job.Version, c.Job.Status.Terminal(), isSaveOfReport(now, c.Job), proves)
	if result != unknown {
		return result, nil
	}
	return outcomeOfQueued(ctx, s, c.Events, c.Work)
}

// isSaveOfReport reports whether now is j as a save stores it.
func isSaveOfReport(now, j ports.ReportJob) bool {
	now.Version = j.Version
	return reflect.DeepEqual(reportArgs(&now), reportArgs(&j))
}

func (r reports) Report(ctx context.Context, owner, id string) (ports.ReportJob, error) {
	return one(ctx, r.Store, "No such report", reportFields, selectReport, blob(id), blob(owner))
}

func (r reports) ClaimReport(ctx context.Context, holder string, now time.Time, lease time.Duration) (ports.ReportJob, error) {
	if err := ports.CheckClaim(lease, 1); err != nil {
		return ports.ReportJob{}, err
	}
	var free bool
	if err := r.scan(ctx, peekReport, []any{now.UnixMilli()}, &free); err != nil {
		return ports.ReportJob{}, err
	}
	if !free { // found out without a write
		return ports.ReportJob{}, errcodes.New(errcodes.NotFound, "No report job is waiting")
	}
	var (
		j       ports.ReportJob
		damaged error // the damaged job stays claimed, so the next claim returns another one
	)
	err := r.update(ctx, func(ctx context.Context, s *session) error {
		args := []any{now.UnixMilli(), blob(holder), now.Add(lease).UnixMilli()}
		err := s.scan(ctx, claimReport, args, reportFields(&j)...)
		if errors.Is(err, sql.ErrNoRows) {
			return errcodes.New(errcodes.NotFound, "No report job is waiting")
		}
		if errcodes.Of(err) == errcodes.CorruptRecord {
			damaged, err = err, nil
		}
		return err
	}, nil)
	if err = cmp.Or(err, damaged); err != nil {
		return ports.ReportJob{}, err
	}
	return j, nil
}

func (r reports) ExpiredReports(ctx context.Context, before time.Time, limit int) ([]ports.ReportJob, error) {
	if err := ports.CheckLimit(limit, ports.MaxSmallPage); err != nil {
		return nil, err
	}
	return list(ctx, r.Store, reportFields, selectExpired, before.UnixMilli(), limit)
}

func (r reports) RemoveReport(ctx context.Context, owner, id string) error {
	return r.update(ctx, func(ctx context.Context, s *session) error {
		changed, err := s.exec(ctx, removeReport, blob(id), blob(owner))
		if err != nil || changed == 1 {
			return err
		}
		found, err := presence(ctx, s, discarded, hasReport, blob(id), blob(owner))
		if err == nil && found == stored {
			return errcodes.New(errcodes.Conflict, "The report is still running")
		}
		return err
	}, nil)
}
