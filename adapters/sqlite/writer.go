package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"
	"time"
)

// writer owns the one connection that writes. Only the holder of turn may use it.
type writer struct {
	turn    chan struct{} // contains one value while somebody writes: a mutex that honours contexts
	closed  chan struct{}
	db      *sql.DB
	session *session    // nil after a failure; the next write opens another
	saves   saveQueue   // the saves for the next transaction
	tries   int         // BusyTimeout in busySlices
	failing atomic.Bool // the last write could not be stored
	faults  func(point string) error
}

// busySlice is how long SQLite itself waits for a lock. The writer tries
// repeatedly, so that it notices a cancelled context between two tries, and often:
// SQLite's own pauses grow longer and miss the moments in which a process that
// writes all the time releases the file.
const busySlice = 2 * time.Millisecond

// change writes. If it returns an error, all its statements are rolled back.
type change func(context.Context, *session) error

// checkpoints lets the log grow to 16 MB. A mint writes about nine pages, so
// SQLite's default of 1,000 pages would cost two more fsyncs per hundred mints.
const checkpoints = "wal_autocheckpoint(4000)"

func newWriter(ctx context.Context, path string, c Config) (*writer, error) {
	db, err := openDB(dsn(path, min(busySlice, c.BusyTimeout), checkpoints))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	db.SetMaxIdleConns(0)
	w := &writer{
		turn:   make(chan struct{}, 1),
		closed: make(chan struct{}),
		db:     db,
		tries:  max(1, int(c.BusyTimeout/busySlice)),
		faults: c.Faults,
	}
	if err := w.connect(ctx); err != nil {
		return nil, errors.Join(coded(err), db.Close())
	}
	return w, nil
}

// update runs do between BEGIN IMMEDIATE and COMMIT. If ctx is done before the
// COMMIT, nothing is stored; the COMMIT itself is not interrupted. check reads the
// outcome of a COMMIT that failed; nil means that it cannot be read.
func (w *writer) update(ctx context.Context, do change, check outcomeReader) error {
	if err := w.acquire(ctx); err != nil {
		return err
	}
	defer func() { <-w.turn }()
	if err := w.begin(ctx); err != nil {
		return err
	}
	p := newPendingSave(ctx, do, check)
	w.commitGroup(context.WithoutCancel(ctx), []*pendingSave{p})
	return p.result
}

func (w *writer) acquire(ctx context.Context) error {
	select {
	case <-w.closed:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	case w.turn <- struct{}{}:
	}
	if w.isClosed() {
		<-w.turn
		return errClosed
	}
	return nil
}

func (w *writer) isClosed() bool {
	select {
	case <-w.closed:
		return true
	default:
		return false
	}
}

func (w *writer) begin(ctx context.Context) error {
	if err := w.connect(ctx); err != nil {
		return coded(err)
	}
	err := retryWhileBusy(ctx, w.tries, func() error {
		_, err := w.session.exec(context.WithoutCancel(ctx), "BEGIN IMMEDIATE")
		return err
	})
	if err != nil && !isBusy(err) && ctx.Err() == nil {
		w.drop()
	}
	return coded(err)
}

// connect opens a connection unless one is open. The file can be busy then, too,
// while another process is its first to open it or its last to close it.
func (w *writer) connect(ctx context.Context) error {
	if w.session != nil {
		return nil
	}
	return retryWhileBusy(ctx, w.tries, func() (err error) {
		w.session, err = newSession(ctx, w.db)
		return err
	})
}

// peek reads one row into dest on the writing connection. It reports false if the
// connection is in use or the query failed, and true if there was a row or no row.
func (w *writer) peek(ctx context.Context, query string, args, dest []any) bool {
	select {
	case w.turn <- struct{}{}:
	default:
		return false
	}
	defer func() { <-w.turn }()
	if w.session == nil {
		return false
	}
	err := w.session.scan(context.WithoutCancel(ctx), query, args, dest...)
	return err == nil || errors.Is(err, sql.ErrNoRows)
}

// retryWhileBusy calls do until the file is not busy, at most tries times and until
// ctx is done. SQLite waits for a busySlice within each try.
func retryWhileBusy(ctx context.Context, tries int, do func() error) error {
	var err error
	for range tries {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err = do(); !isBusy(err) {
			return err
		}
	}
	return err
}

// undo rolls the transaction back after failure, which is nil if there is just
// nothing to commit. It drops the connection if failure is not a rejection.
func (w *writer) undo(ctx context.Context, failure error) {
	if failure != nil && !isRejection(failure) {
		w.drop()
		return
	}
	if _, err := w.session.exec(ctx, "ROLLBACK"); err != nil {
		w.drop()
	}
}

// drop closes the connection and ignores the error: the connection has already
// failed.
func (w *writer) drop() { _ = w.disconnect() }

func (w *writer) disconnect() error {
	if w.session == nil {
		return nil
	}
	session := w.session
	w.session = nil
	return session.close()
}

func (w *writer) close() error {
	close(w.closed)
	w.turn <- struct{}{}
	defer func() { <-w.turn }()
	return errors.Join(w.disconnect(), w.db.Close())
}
