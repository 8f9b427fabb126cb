package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/corridor-go/corridor/errcodes"
)

// maxTries bounds how often a statement is run if the server rolls it back because of a
// concurrent one. At isolation levels above READ COMMITTED, statements on the events and
// work items can be rolled back many times in a row.
const maxTries = 40

// querier is a connection or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// acquire takes a connection from the pool within AcquireTimeout.
func (s *Store) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	bounded, cancel := context.WithTimeout(ctx, s.cfg.AcquireTimeout)
	defer cancel()
	conn, err := s.pool.Acquire(bounded)
	switch {
	case err == nil:
		return conn, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case bounded.Err() != nil:
		return nil, errcodes.Wrap(errcodes.StorageUnavailable, "", redacted{err}).WithRetryAfter(retryAfter)
	default:
		return nil, coded(err)
	}
}

// read runs do on a connection of the pool. If the connection breaks, read uses
// another one.
func (s *Store) read(ctx context.Context, do func(context.Context, querier) error) error {
	err := s.readOnce(ctx, do)
	for tries := 1; ctx.Err() == nil && (isRolledBack(err) && tries < maxTries || isBroken(err) && tries < s.connectionTries()); tries++ {
		err = s.readOnce(ctx, do)
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return coded(err)
}

// connectionTries is how many tries reach a live connection even if a restart of the
// server left the pool full of dead ones.
func (s *Store) connectionTries() int { return max(maxTries, int(s.pool.Stat().MaxConns())+1) }

func (s *Store) readOnce(ctx context.Context, do func(context.Context, querier) error) error {
	conn, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	bounded, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	err = unencodable.coded(bounded, conn.Conn(), do(bounded, conn))
	if err != nil && bounded.Err() != nil {
		return errcodes.Wrap(errcodes.StorageUnavailable, "", redacted{err}) // the timeout has passed: no second try
	}
	return err
}

// row reads one row into dest, or returns pgx.ErrNoRows.
func (s *Store) row(ctx context.Context, query string, args []any, dest ...any) error {
	missing := false
	err := s.read(ctx, func(ctx context.Context, q querier) error {
		err := q.QueryRow(ctx, query, args...).Scan(dest...)
		if missing = errors.Is(err, pgx.ErrNoRows); missing {
			return nil
		}
		return err
	})
	if err == nil && missing {
		return pgx.ErrNoRows
	}
	return err
}

// one reads one row into the fields of a record. If there is no row, it returns
// errcodes.NotFound with message.
func one[V any](ctx context.Context, s *Store, message string, fields func(*V) []any, query string, args ...any) (V, error) {
	var record, zero V
	err := s.row(ctx, query, args, fields(&record)...)
	if errors.Is(err, pgx.ErrNoRows) {
		err = errcodes.New(errcodes.NotFound, message)
	}
	if err != nil {
		return zero, err
	}
	return record, nil
}

// list reads all rows of a query into records.
func list[V any](ctx context.Context, s *Store, fields func(*V) []any, query string, args ...any) ([]V, error) {
	var all []V
	err := s.read(ctx, func(ctx context.Context, q querier) (err error) {
		all, err = collect(ctx, q, fields, query, args)
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

func collect[V any](ctx context.Context, q querier, fields func(*V) []any, query string, args []any) ([]V, error) {
	rows, err := q.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []V
	for rows.Next() {
		var v V
		if err := rows.Scan(fields(&v)...); err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, rows.Err()
}

// write runs do, which sends one statement that writes. It ignores the end of ctx
// meanwhile: cancelling a write would leave its outcome unknown. If the connection
// was dead before anything was sent, write uses another one.
func (s *Store) write(ctx context.Context, do func(context.Context, querier) error) error {
	return s.retryWrite(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		err := unencodable.coded(ctx, conn.Conn(), do(ctx, conn))
		if err == nil || isDefinite(err) {
			return err
		}
		return outcomeUnknown(err)
	})
}

// transact runs do within a transaction of the isolation level; "" is the default of
// the database. Only a COMMIT can leave the outcome
// unknown: a failure before it rolls the transaction back.
func (s *Store) transact(ctx context.Context, level pgx.TxIsoLevel, do func(context.Context, pgx.Tx) error) error {
	return s.retryWrite(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: level})
		if err != nil {
			return err
		}
		if err := do(ctx, tx); err != nil {
			_ = tx.Rollback(ctx) // if it fails, the pool discards the connection
			return err
		}
		err = tx.Commit(ctx)
		if err == nil || isRejected(err) {
			return err
		}
		return outcomeUnknown(err)
	})
}

func (s *Store) retryWrite(ctx context.Context, do func(context.Context, *pgxpool.Conn) error) error {
	err := s.writeOnce(ctx, do)
	for tries := 1; isUndone(err) && tries < maxTries || isNotSent(err) && tries < s.connectionTries(); tries++ {
		err = s.writeOnce(ctx, do)
	}
	return coded(err)
}

func (s *Store) writeOnce(ctx context.Context, do func(context.Context, *pgxpool.Conn) error) error {
	conn, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	uncancelled, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.cfg.Timeout)
	defer cancel()
	err = do(uncancelled, conn)
	if _, ours := errors.AsType[*errcodes.Error](err); err != nil && !ours && uncancelled.Err() != nil {
		return errcodes.Wrap(errcodes.StorageUnavailable, "", redacted{err}) // nothing was committed
	}
	return err
}

// count runs one statement that writes and returns a number.
func (s *Store) count(ctx context.Context, query string, args ...any) (n int, err error) {
	err = s.write(ctx, func(ctx context.Context, q querier) error { return q.QueryRow(ctx, query, args...).Scan(&n) })
	return n, err
}

// counted returns statement, which writes, extended to return how many rows it wrote.
func counted(statement string) string {
	return "WITH changed AS (" + statement + " RETURNING 1) SELECT count(*) FROM changed"
}
