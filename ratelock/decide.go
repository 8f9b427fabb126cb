package ratelock

import (
	"context"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// maxAttempts bounds how often a decision is taken again after a conflict.
// Writers of this process queue, so each attempt was lost to another process.
const maxAttempts = 32

// unread is the version of a book that was named but not read yet.
const unread = -1

var errBusy = errcodes.New(errcodes.StorageUnavailable, "The pair is too busy; retry later")

// decide expires what is over in the book, lets fn decide on the rest, and
// saves what changed by compare-and-swap; on a conflict it reads again and
// decides anew. It gives the book as it was last decided on. fn must be pure
// but for the book.
//
// A save whose outcome is unknown is settled in the same way: the book is read
// back, fn finds in it what was stored after all, or the change is saved again,
// and at most one of the two saves can win the version. Only if that cannot be
// carried through is the outcome unknown to the caller.
func (s *Service) decide(ctx context.Context, seen ports.Book, fn func(b *Book, now time.Time) error) (*Book, error) {
	turn, err := s.queue.enter(ctx, seen.Key)
	if err != nil {
		return nil, err
	}
	defer s.queue.leave(turn)
	if seen.Version == unread {
		if seen, err = s.store.Book(ctx, seen.Key); err != nil {
			return nil, err
		}
	}
	rec := turn.newest(seen)
	var unsure error
	for range maxAttempts {
		b, err := s.attempt(ctx, turn, rec, fn)
		switch errcodes.Of(err) {
		case errcodes.Conflict:
			s.cfg.Hooks.Conflict(seen.Key)
		case errcodes.OutcomeUnknown:
			unsure = err
		case "":
			return b, nil
		default:
			return b, either(unsure, err)
		}
		if rec, err = s.store.Book(ctx, seen.Key); err != nil {
			return nil, either(unsure, err)
		}
		turn.learn(rec)
	}
	return nil, either(unsure, errBusy)
}

// either gives the first that is an error.
func either(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

func (s *Service) attempt(ctx context.Context, turn *turn, rec ports.Book, fn func(*Book, time.Time) error) (*Book, error) {
	b, err := RestoreBook(rec)
	if err != nil {
		return nil, err
	}
	now := s.cfg.Clock.Now()
	if _, err := b.Expire(now); err != nil {
		return nil, err
	}
	refused := fn(b, now)
	change, dirty, err := b.Change()
	if err != nil {
		return nil, err
	}
	if dirty {
		if err := s.store.Save(ctx, change); err != nil {
			return nil, err
		}
		saved := change.Book
		saved.Version++
		turn.learn(saved)
	}
	// What expired is written down even when the rest was refused.
	return b, refused
}
