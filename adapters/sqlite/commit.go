package sqlite

import (
	"context"

	"github.com/corridor-go/corridor/errcodes"
)

// fate is what became of a change whose COMMIT failed.
type fate int

const (
	unknown fate = iota
	stored
	discarded
)

// evidence reads the fate of a change after its COMMIT failed.
type evidence func(context.Context, *session) (fate, error)

func (w *writer) commit(ctx context.Context, check evidence) error {
	err := w.tryCommit(ctx)
	switch {
	case err == nil:
		return nil
	case isDefinite(err):
		return w.undo(ctx, coded(err))
	}
	w.drop()
	return w.settle(ctx, check, err)
}

func (w *writer) tryCommit(ctx context.Context) error {
	if err := w.fault(BeforeCommit); err != nil {
		return err
	}
	if _, err := w.session.exec(ctx, "COMMIT"); err != nil {
		return err
	}
	return w.fault(AfterCommit)
}

func (w *writer) fault(point string) error {
	if w.faults == nil {
		return nil
	}
	return w.faults(point)
}

// settle finds out whether a change is stored whose COMMIT failed with cause.
//
// A COMMIT that fails in its fsync leaves valid frames behind the end of the
// write-ahead log. Nobody sees them now, but the recovery after a crash would
// take them for a transaction: reading alone proves nothing. So the log is
// emptied first, on a new connection, and then read from.
func (w *writer) settle(ctx context.Context, check evidence, cause error) error {
	what, err := w.readBack(ctx, check)
	switch {
	case err == nil && what == stored:
		return nil
	case err == nil && what == discarded:
		return errcodes.Wrap(errcodes.StorageUnavailable, "", cause)
	default:
		return errcodes.Wrap(errcodes.OutcomeUnknown, "", cause)
	}
}

func (w *writer) readBack(ctx context.Context, check evidence) (fate, error) {
	if check == nil {
		return unknown, nil
	}
	if err := w.fault(BeforeReadBack); err != nil {
		return unknown, err
	}
	if err := w.connect(ctx); err != nil {
		return unknown, err
	}
	if err := w.emptyLog(ctx); err != nil {
		return unknown, err
	}
	return check(ctx, w.session)
}

// emptyLog moves the write-ahead log into the file and truncates it.
func (w *writer) emptyLog(ctx context.Context) error {
	for range w.tries {
		var busy, frames, moved int
		err := w.session.scan(ctx, "PRAGMA wal_checkpoint(TRUNCATE)", nil, &busy, &frames, &moved)
		if err != nil || busy == 0 {
			return err
		}
	}
	return errcodes.New(errcodes.StorageUnavailable, "The write-ahead log is in use")
}

// presence takes a row for stored, and its absence for absent; the query counts.
func presence(ctx context.Context, s *session, absent fate, query string, args ...any) (fate, error) {
	var n int
	err := s.scan(ctx, query, args, &n)
	switch {
	case err != nil:
		return unknown, err
	case n > 0:
		return stored, nil
	default:
		return absent, nil
	}
}
