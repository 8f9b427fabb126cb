package sqlite

import (
	"context"
	"database/sql"
	"errors"
)

// reader is the pool of connections that only read. Each query is prepared
// once a connection.
type reader struct {
	db       *sql.DB
	prepared map[string]*sql.Stmt
}

const ping = "SELECT count(*) FROM (SELECT 1 FROM books LIMIT 1)"

func newReader(ctx context.Context, path string, c Config) (*reader, error) {
	db, err := openDB(dsn(path, c.BusyTimeout, "query_only(ON)"))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(c.Readers)
	db.SetMaxIdleConns(c.Readers)
	r := &reader{db: db, prepared: map[string]*sql.Stmt{}}
	for _, query := range []string{
		ping, selectBook, selectLock, selectLive, selectDue, selectClient, selectToken, peekEvents, peekWork,
		selectValidation, selectOverdue, selectTransaction, selectReport, peekReport, selectExpired, selectBuried, selectAnswer, peekClaim, selectSecret,
	} {
		stmt, err := db.PrepareContext(ctx, query)
		if err != nil {
			return nil, errors.Join(coded(err), r.close())
		}
		r.prepared[query] = stmt
	}
	return r, nil
}

func (r *reader) close() error {
	var errs []error
	for _, stmt := range r.prepared {
		errs = append(errs, stmt.Close())
	}
	return errors.Join(append(errs, r.db.Close())...)
}

// scan reads one row, without the cancellation that would cost a goroutine:
// each of these queries is a few page reads. No row is sql.ErrNoRows.
func (s *Store) scan(ctx context.Context, query string, args []any, dest ...any) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	err := s.read.prepared[query].QueryRowContext(context.WithoutCancel(ctx), args...).Scan(dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return err
	}
	return s.fail(err)
}

// each calls row for every row of the query, until it fails.
func (s *Store) each(ctx context.Context, query string, args []any, row func(*sql.Rows) error) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	rows, err := s.read.prepared[query].QueryContext(ctx, args...)
	if err != nil {
		return s.fail(err)
	}
	return s.fail(drain(rows, row))
}

// drain calls row for every row, and closes rows.
func drain(rows *sql.Rows, row func(*sql.Rows) error) error {
	for rows.Next() {
		if err := row(rows); err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}
