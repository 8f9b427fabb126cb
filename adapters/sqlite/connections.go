package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"strconv"
	"time"

	driver "modernc.org/sqlite"

	"github.com/corridor-go/corridor/errcodes"
)

// dsn returns the driver's name of the file. It escapes every byte of the path
// that could end the path early.
func dsn(path string, busy time.Duration, more ...string) string {
	pragmas := append([]string{
		"busy_timeout(" + strconv.FormatInt(busy.Milliseconds(), 10) + ")",
		"synchronous(FULL)",
		"foreign_keys(ON)",
	}, more...)
	q := url.Values{"_pragma": pragmas, "_txlock": {"immediate"}}
	return "file:" + url.PathEscape(path) + "?" + q.Encode()
}

// openDB returns a pool of connections to dsn without opening one.
func openDB(dsn string) (*sql.DB, error) {
	connector, err := driver.NewConnector(dsn)
	if err != nil {
		return nil, misconfigured("The database's path cannot be used", err)
	}
	return sql.OpenDB(connector), nil
}

// reader is the pool of connections that only read. Each query is prepared once
// per connection.
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
		ping, selectBook, selectLock, selectLive, selectDue, selectOwned, selectClient, selectToken, peekEvents, peekWork,
		selectValidation, selectOverdue, selectTransaction, selectReport, peekReport, selectExpired, selectBuried, selectAnswer, peekClaim, selectSecret,
		selectAudit,
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

// scan reads one row into dest, or returns sql.ErrNoRows. It ignores ctx's
// cancellation, which would cost a goroutine: each of these queries reads only a
// few pages.
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

// each calls row for every row of the query until row returns an error.
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

// one reads one row into the fields of a record. If there is no row, it returns
// errcodes.NotFound with message.
func one[R any](ctx context.Context, s *Store, message string, fields func(*R) []any, query string, args ...any) (R, error) {
	var record, zero R
	err := s.scan(ctx, query, args, fields(&record)...)
	if errors.Is(err, sql.ErrNoRows) {
		err = errcodes.New(errcodes.NotFound, message)
	}
	if err != nil {
		return zero, err
	}
	return record, nil
}

// list reads the rows of a listing into records. Of damaged rows it reads the
// cells that are readable.
func list[R any](ctx context.Context, s *Store, fields func(*R) []any, query string, args ...any) ([]R, error) {
	var page []R
	err := s.each(ctx, query, args, func(rows *sql.Rows) error {
		var record R
		err := scanListed(rows, fields(&record)...)
		page = append(page, record)
		return err
	})
	if err != nil {
		return nil, err
	}
	return page, nil
}

// session is one connection that writes, with its prepared statements.
type session struct {
	conn     *sql.Conn
	prepared map[string]*sql.Stmt
	changed  int64 // rows, by all statements of exec
}

// newSession takes a connection from db. db must not keep idle connections, so
// that closing the session closes the file.
func newSession(ctx context.Context, db *sql.DB) (*session, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	s := &session{conn: conn, prepared: map[string]*sql.Stmt{}}
	var mode string
	if err := conn.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode); err != nil {
		return nil, errors.Join(err, s.close())
	}
	if mode != "wal" {
		return nil, errors.Join(misconfigured("The database is not in WAL mode", nil), s.close())
	}
	return s, nil
}

// close closes the connection, which rolls back an open transaction. It closes the
// statements first: SQLite keeps a connection and its lock while a statement is open.
func (s *session) close() error {
	var errs []error
	for _, stmt := range s.prepared {
		errs = append(errs, stmt.Close())
	}
	return errors.Join(append(errs, s.conn.Close())...)
}

func (s *session) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if stmt, ok := s.prepared[query]; ok {
		return stmt, nil
	}
	stmt, err := s.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	s.prepared[query] = stmt
	return stmt, nil
}

// exec runs a statement and returns how many rows it changed.
func (s *session) exec(ctx context.Context, query string, args ...any) (changed int64, err error) {
	stmt, err := s.stmt(ctx, query)
	if err != nil {
		return 0, err
	}
	result, err := stmt.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	changed, err = result.RowsAffected()
	s.changed += changed
	return changed, err
}

// mustChange runs a statement and returns errcodes.Conflict with message if it
// changed no row.
func (s *session) mustChange(ctx context.Context, message, query string, args ...any) error {
	changed, err := s.exec(ctx, query, args...)
	if err == nil && changed == 0 {
		return errcodes.New(errcodes.Conflict, message)
	}
	return err
}

// each calls row for every row that the statement returns.
func (s *session) each(ctx context.Context, query string, args []any, row func(*sql.Rows) error) error {
	stmt, err := s.stmt(ctx, query)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	return drain(rows, row)
}

// scan reads the first row that the statement returns into dest.
func (s *session) scan(ctx context.Context, query string, args []any, dest ...any) error {
	stmt, err := s.stmt(ctx, query)
	if err != nil {
		return err
	}
	return stmt.QueryRowContext(ctx, args...).Scan(dest...)
}

// drain calls row for every row and closes rows.
func drain(rows *sql.Rows, row func(*sql.Rows) error) error {
	for rows.Next() {
		if err := row(rows); err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}
