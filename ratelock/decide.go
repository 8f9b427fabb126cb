package ratelock

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// maxAttempts bounds how often a decision is repeated after a conflict. The writers of
// this process queue, so each conflict is with another process.
const maxAttempts = 32

// unread is the version of a book that was not read yet.
const unread = -1

var errBusy = errcodes.New(errcodes.StorageUnavailable, "The pair's rate locks are changed too often by other processes; retry later")

// judge returns the owner's lock as of now. If it is active, its book first expires it if
// it is due, then act, which may be nil, is called.
func (s *Service) judge(ctx context.Context, owner, id string, act func(*Book, time.Time) error) (ports.RateLock, error) {
	if owner == "" {
		return ports.RateLock{}, errNoOwner
	}
	l, err := s.judged(ctx, owner, id, act)
	if errcodes.Of(err) == errcodes.NotFound {
		err = errNotFound
	}
	if err != nil {
		return ports.RateLock{}, errcodes.Coded(err)
	}
	return l, nil
}

func (s *Service) judged(ctx context.Context, owner, id string, act func(*Book, time.Time) error) (ports.RateLock, error) {
	l, rec, err := s.read(ctx, owner, id)
	if err != nil || l.Status != ports.LockActive || act == nil && !overdue(&rec, l.AsOf) {
		return l, err
	}
	inBook := false
	err = s.decide(ctx, rec, func(b *Book, now time.Time) error {
		if l, inBook = b.Find(id); act != nil && l.Status == ports.LockActive {
			if err := act(b, now); err != nil {
				return err
			}
			l, _ = b.Find(id)
		}
		if l.Status == ports.LockActive { // the clock may have gone back since the read
			l.AsOf = b.DecisionTime(now)
		}
		return nil
	})
	if err != nil || inBook {
		return l, err
	}
	// Another process ended it.
	if l, _, err = s.read(ctx, owner, id); err == nil && l.Status == ports.LockActive {
		err = errBusy
	}
	return l, err
}

// read reads a lock and its book, and sets the lock's AsOf.
func (s *Service) read(ctx context.Context, owner, id string) (ports.RateLock, ports.Book, error) {
	l, rec, err := s.store.Lock(ctx, owner, id)
	if err == nil {
		err = checkRead(&l, &rec)
	}
	if l.AsOf = l.EndedAt; l.Status == ports.LockActive {
		l.AsOf = decisionTime(&rec, s.cfg.Clock.Now())
	}
	return l, rec, err
}

// checkRead checks a lock and its book as read together.
func checkRead(l *ports.RateLock, rec *ports.Book) error {
	if err := l.Check(); err != nil {
		return err
	}
	if err := rec.Check(); err != nil {
		return err
	}
	if l.Status != ports.LockActive {
		return nil
	}
	for _, slot := range rec.Live() {
		if slot.ID == l.ID {
			return nil
		}
	}
	return corrupt("an active lock is missing from its book")
}

// decide expires the locks in the book that are due, calls fn, and saves the change by
// compare-and-swap. After a conflict it reads the book and decides again, so that fn may
// be called more than once.
//
// It resolves an unknown outcome in the same way: it reads the book back, and fn either
// finds the change or makes it again, and at most one of the two saves can succeed. Only
// if that fails too, decide returns OutcomeUnknown.
func (s *Service) decide(ctx context.Context, seen ports.Book, fn func(b *Book, now time.Time) error) error {
	turn, err := s.queue.enter(ctx, seen.Key)
	if err != nil {
		return err
	}
	defer s.queue.leave(turn)
	if seen.Version == unread {
		if seen, err = s.store.Book(ctx, seen.Key); err != nil {
			return err
		}
	}
	rec := turn.newest(seen)
	var unsure error
	for range maxAttempts {
		err := s.attempt(ctx, turn, rec, fn)
		switch errcodes.Of(err) {
		case errcodes.Conflict:
			s.cfg.Hooks.Conflict(ctx, seen.Key)
		case errcodes.OutcomeUnknown:
			unsure = err
		case "":
			return nil
		default:
			return cmp.Or[error](unsure, err)
		}
		if rec, err = s.store.Book(ctx, seen.Key); err != nil {
			return cmp.Or[error](unsure, err)
		}
		turn.learn(rec)
	}
	return cmp.Or[error](unsure, errBusy)
}

func (s *Service) attempt(ctx context.Context, turn *turn, rec ports.Book, fn func(*Book, time.Time) error) error {
	b, err := RestoreBook(rec)
	if err != nil {
		return err
	}
	now := s.cfg.Clock.Now()
	if _, err := b.Expire(now); err != nil {
		return err
	}
	rejected := fn(b, now)
	if change, dirty := b.Change(); dirty {
		change.Audit = ports.Audit(ctx, change.Events)
		if err := s.store.Save(ctx, change); err != nil {
			return err
		}
		saved := change.Book
		saved.Version++
		turn.learn(saved)
	}
	return rejected // expired locks are stored all the same
}

// queue makes the writers of a book in this process take turns, which avoids conflicts
// and repeated reads. The cap does not depend on it, but on the store's compare-and-swap.
type queue struct {
	mu    sync.Mutex
	turns map[ports.BookKey]*turn
}

// turn is the queue for one book, with the book as its last writer left it.
type turn struct {
	key    ports.BookKey
	token  chan struct{} // of one element; full while a caller writes
	joined int           // callers between join and quit; guarded by queue.mu
	book   ports.Book    // guarded by token, like known
	known  bool          // book is set
}

func newQueue() *queue { return &queue{turns: map[ports.BookKey]*turn{}} }

// join returns the turn of the book, and retains it with its last book until quit. It
// does not wait.
func (q *queue) join(key ports.BookKey) *turn {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := q.turns[key]
	if t == nil {
		t = &turn{key: key, token: make(chan struct{}, 1)}
		q.turns[key] = t
	}
	t.joined++
	return t
}

func (q *queue) quit(t *turn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.joined--; t.joined == 0 {
		delete(q.turns, t.key)
	}
}

// enter joins the queue and waits until it is the caller's turn or ctx is done. The
// caller must call leave if there is no error.
func (q *queue) enter(ctx context.Context, key ports.BookKey) (*turn, error) {
	t := q.join(key)
	select {
	case t.token <- struct{}{}:
		return t, nil
	case <-ctx.Done():
		q.quit(t)
		return nil, ctx.Err()
	}
}

func (q *queue) leave(t *turn) {
	<-t.token
	q.quit(t)
}

// newest returns the later of rec and the book that an earlier writer left.
func (t *turn) newest(rec ports.Book) ports.Book {
	if t.known && t.book.Version > rec.Version {
		return t.book
	}
	return rec
}

// learn stores the book for the next writers.
func (t *turn) learn(rec ports.Book) { t.book, t.known = rec, true }
