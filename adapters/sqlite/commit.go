package sqlite

import (
	"context"

	"github.com/corridor-go/corridor/errcodes"
)

// outcome is what is known about a change whose COMMIT failed.
type outcome int

const (
	unknown outcome = iota
	stored
	discarded
)

// outcomeReader reads the outcome of a change whose COMMIT failed.
type outcomeReader func(context.Context, *session) (outcome, error)

// commit ends the transaction and sets the result of each of its saves. It reports
// whether all of them are certainly stored.
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

// resolve finds out whether the saves, whose COMMIT failed with cause, are stored.
//
// A COMMIT that fails in its fsync leaves valid frames after the end of the
// write-ahead log. No reader sees them now, but recovery after a crash would accept
// them as a transaction, so reading by itself proves nothing. resolve therefore
// empties the log on a new connection before it reads.
func (w *writer) resolve(ctx context.Context, saves []*pendingSave, cause error) {
	readErr := w.prepareReadBack(ctx)
	for _, p := range saves {
		result, err := unknown, readErr
		if err == nil && p.check != nil {
			result, err = p.check(w.session)
		}
		p.result = outcomeError(result, err, cause)
	}
}

// outcomeError returns the error of a save whose COMMIT failed with cause, where
// result and err are what its outcomeReader returned.
func outcomeError(result outcome, err, cause error) error {
	switch {
	case err == nil && result == stored:
		return nil
	case err == nil && result == discarded:
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

// presence runs a query that counts rows, and returns stored if there is one and
// absent otherwise.
func presence(ctx context.Context, s *session, absent outcome, query string, args ...any) (outcome, error) {
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
