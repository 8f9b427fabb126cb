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

// fateReader reads the fate of a change after its COMMIT failed.
type fateReader func(context.Context, *session) (fate, error)

// commit ends the transaction, and sets the result of each of its saves. It
// reports whether all of them are stored; false if only some may be.
func (w *writer) commit(ctx context.Context, saves []*pendingSave) bool {
	err := w.tryCommit(ctx)
	switch {
	case err == nil:
		return true
	case isDefinite(err):
		err = coded(err)
		w.undo(ctx, err)
		for _, p := range saves {
			p.result = err
		}
	default:
		w.drop()
		w.resolve(ctx, saves, err)
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

// resolve finds out whether the saves are stored whose COMMIT failed with cause.
//
// A COMMIT that fails in its fsync leaves valid frames behind the end of the
// write-ahead log. Nobody sees them now, but the recovery after a crash would
// take them for a transaction: reading alone proves nothing. So the log is
// emptied first, on a new connection, and then read from.
func (w *writer) resolve(ctx context.Context, saves []*pendingSave, cause error) {
	blind := w.prepareReadBack(ctx)
	for _, p := range saves {
		what, err := unknown, blind
		if err == nil && p.check != nil {
			what, err = p.check(w.session)
		}
		p.result = outcomeError(what, err, cause)
	}
}

// outcomeError is the result of a save whose COMMIT failed with cause. what and
// err are what its fateReader returned.
func outcomeError(what fate, err, cause error) error {
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
