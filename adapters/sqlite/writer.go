package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"
	"time"
)

// writer owns the one connection that writes. Who holds the turn may use it.
type writer struct {
	turn    chan struct{} // holds one value while somebody writes: a mutex that honours contexts
	closed  chan struct{}
	db      *sql.DB
	session *session    // nil after a failure; the next write opens another
	saves   saveQueue   // what the next turn makes together
	tries   int         // how many busySlices make the BusyTimeout
	failing atomic.Bool // the last write could not be stored
	faults  func(point string) error
}

// busySlice is how long SQLite itself waits for a lock; the writer repeats it,
// so that a context that is done is noticed in between, and so that it asks often:
// SQLite's own pauses grow, and miss the moments in which another process that
// writes all the time lets go of the file.
const busySlice = 2 * time.Millisecond

// change writes, by statements that are undone together if it fails.
type change func(context.Context, *session) error

// checkpoints lets the log grow to 16 MB: a mint writes about nine pages, so
// that SQLite's own 1,000 would mean two more fsyncs for every hundred mints.
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

// update runs do between BEGIN IMMEDIATE and COMMIT. When ctx is done before
// the COMMIT, nothing is stored; the COMMIT itself is not interrupted. check
// reads the fate of a COMMIT that failed; nil means that it can't be read.
func (w *writer) update(ctx context.Context, do change, check fateReader) error {
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

// connect opens a connection if there is none. That may find the file busy, too:
// while another process opens it for the first time, or closes it for the last.
func (w *writer) connect(ctx context.Context) error {
	if w.session != nil {
		return nil
	}
	return retryWhileBusy(ctx, w.tries, func() (err error) {
		w.session, err = newSession(ctx, w.db)
		return err
	})
}

// peek reads one row on the writing connection, if nobody uses it, and tells
// whether that gave an answer: a row into dest, or none.
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

// retryWhileBusy tries do again while the file is busy, up to tries times and until
// ctx is done. SQLite waits a busySlice within each try.
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

// undo rolls back what failure ended; nil is nothing but a change of mind. A
// connection that met anything but a refusal is not trusted with another write.
func (w *writer) undo(ctx context.Context, failure error) {
	if failure != nil && !isRefusal(failure) {
		w.drop()
		return
	}
	if _, err := w.session.exec(ctx, "ROLLBACK"); err != nil {
		w.drop()
	}
}

// drop gives the connection up. What its close reports is no news: an error
// is why it was given up.
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
