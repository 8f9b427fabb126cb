package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"reflect"

	"github.com/corridor-go/corridor/adapters/sqlite/internal/jsonlist"
	"github.com/corridor-go/corridor/ports"
)

const (
	insertReport = `INSERT INTO reports (id, owner, ` + reportState + `)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO NOTHING`

	// updateReport takes the arguments of insertReport. An end is for good (I22):
	// whoever writes, here or in another process, finds the status in its way.
	updateReport = `UPDATE reports SET (` + reportState + `)
			= (?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25)
		WHERE id = ?1 AND owner = ?2 AND version = ?3 - 1 AND status = 'RUNNING'`
)

func (r reports) Save(ctx context.Context, c ports.ReportChange) error {
	if err := ports.CheckQueued(c.Events, c.Work); err != nil {
		return err
	}
	args, err := reportArgs(&c.Job)
	if err != nil {
		return coded(err)
	}
	return r.save(ctx,
		func(ctx context.Context, s *session) error { return saveReport(ctx, s, &c, args) },
		func(ctx context.Context, s *session) (fate, error) { return reportFate(ctx, s, &c) })
}

func saveReport(ctx context.Context, s *session, c *ports.ReportChange, args []any) error {
	query, refusal := insertReport, "A report of this id exists"
	if c.Job.Version != 0 {
		query, refusal = updateReport, "The report has changed since it was read, or has ended"
	}
	if err := s.must(ctx, refusal, query, args...); err != nil {
		return err
	}
	return enqueue(ctx, s, c.Events, c.Work)
}

// reportArgs are the values of id, owner and reportState after a save of j.
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
		blob(j.ID), blob(j.Owner), j.Version + 1, string(j.Kind), blob(j.Request.MerchantID), blob(j.Request.Name),
		optionalMillis(j.Request.From), optionalMillis(j.Request.To), columns, filters, j.Request.Format, string(j.Status),
		j.CreatedAt.UnixMilli(), optionalMillis(j.UpdatedAt), optionalMillis(j.EndedAt), j.Attempts, blob(j.Holder),
		optionalMillis(j.LeaseUntil), optionalMillis(j.StartedAt), j.Rows, j.Total, optionalMillis(j.AsOf),
		optionalText(j.Reason), fileSize(j), optionalText(j.FileSHA256),
	}, nil
}

// fileSize is NULL where there is no file; one of no bytes has a size.
func fileSize(j *ports.ReportJob) any {
	if j.Status != ports.ReportCompleted && j.FileSize == 0 {
		return nil
	}
	return j.FileSize
}

// reportFate judges by the job's row: the version after the one that the caller
// read is either this change's or another's. That the row is as this change
// leaves it proves little: another process may have given it the same end. What
// came with the change tells then; if nothing did, the row is all that was asked
// for. A new job that is not there was not stored: an end alone lets it be
// removed, long after.
func reportFate(ctx context.Context, s *session, c *ports.ReportChange) (fate, error) {
	var now ports.ReportJob
	err := s.scan(ctx, selectReport, []any{blob(c.Job.ID), blob(c.Job.Owner)}, reportFields(&now)...)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return unknown, err
	}
	mine := c.Job.Version + 1
	switch {
	case now.Version == c.Job.Version: // 0 for none
		return discarded, nil
	case now.Version > mine && c.Job.Status.Terminal():
		return discarded, nil // had it ended by this change, nothing could have followed
	case now.Version == mine && !isSaveOfReport(now, c.Job):
		return discarded, nil
	case now.Version == mine && len(c.Events)+len(c.Work) == 0:
		return stored, nil
	}
	return fateOfQueued(ctx, s, c.Events, c.Work)
}

// isSaveOfReport reports whether now is what a save of j leaves, by what is
// written of either.
func isSaveOfReport(now, j ports.ReportJob) bool {
	now.Version = j.Version
	stored, err1 := reportArgs(&now)
	asked, err2 := reportArgs(&j)
	return err1 == nil && err2 == nil && reflect.DeepEqual(stored, asked)
}
