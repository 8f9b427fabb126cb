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

// commit ends the transaction, and gives each of its saves its result. It tells
// whether all of them are stored; not when some may be.
func (w *writer) commit(ctx context.Context, made []*member) bool {
	err := w.tryCommit(ctx)
	switch {
	case err == nil:
		return true
	case isDefinite(err):
		err = coded(err)
		w.undo(ctx, err)
		for _, m := range made {
			m.result = err
		}
	default:
		w.drop()
		w.settle(ctx, made, err)
	}
	return false
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

// settle finds out whether the saves are stored whose COMMIT failed with cause.
//
// A COMMIT that fails in its fsync leaves valid frames behind the end of the
// write-ahead log. Nobody sees them now, but the recovery after a crash would
// take them for a transaction: reading alone proves nothing. So the log is
// emptied first, on a new connection, and then read from.
func (w *writer) settle(ctx context.Context, made []*member, cause error) {
	blind := w.prepareReadBack(ctx)
	for _, m := range made {
		what, err := unknown, blind
		if err == nil && m.check != nil {
			what, err = m.check(w.session)
		}
		m.result = verdict(what, err, cause)
	}
}

func verdict(what fate, err, cause error) error {
	switch {
	case err == nil && what == stored:
		return nil
	case err == nil && what == discarded:
		return errcodes.Wrap(errcodes.StorageUnavailable, "", cause)
	default:
		return errcodes.Wrap(errcodes.OutcomeUnknown, "", cause)
	}
}

func (w *writer) prepareReadBack(ctx context.Context) error {
	if err := w.fault(BeforeReadBack); err != nil {
		return err
	}
	if err := w.connect(ctx); err != nil {
		return err
	}
	return w.emptyLog(ctx)
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
