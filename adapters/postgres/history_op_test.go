package postgres_test

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

type lockOpKind string

const (
	opCreate  lockOpKind = "create"
	opCurrent lockOpKind = "current"
	opGet     lockOpKind = "get"
	opCancel  lockOpKind = "cancel"
)

// lockOp is a client's request to its process, and the answer. Call and Return are times
// of the machine's one monotonic clock, whatever the process's own clock did.
type lockOp struct {
	Process, Client int
	Kind            lockOpKind
	Book            ports.BookKey
	ID              string        // of get and cancel
	Left            time.Duration // of current
	Call, Return    int64

	Lock   ports.RateLock
	AsOf   time.Time // the lock's AsOf, which its JSON does not contain
	Minted bool      // as create returned; current does not return it
	Code   errcodes.Code
	Saves  []lockSave
}

// lockSave is a write of an op, as its process's store saw it.
type lockSave struct {
	Call, Return int64
	Version      int64 // of the book after the save; 0 if the store has no versions
	Minted       string
	Ended        []lockEnd
}

// lockEnd is the end of a lock, with the instant at which its book decided it.
type lockEnd struct {
	Lock    ports.RateLock
	Decided time.Time
}

func (s *lockSave) touches(id string) bool {
	for i := range s.Ended {
		if s.Ended[i].Lock.ID == id {
			return true
		}
	}
	return s.Minted == id
}

// makes reports whether the save stored the lock as it was returned.
func (s *lockSave) makes(l *ports.RateLock) bool {
	return s.Minted == l.ID || slices.ContainsFunc(s.Ended, func(e lockEnd) bool {
		return e.Lock.ID == l.ID && e.Lock.Status == l.Status
	})
}

// witnessedStore records the saves of each op with it, so that it shows if an op also
// stored the end of another lock.
type witnessedStore struct{ ports.RateLockStore }

type witnessKey struct{}

func (w witnessedStore) Save(ctx context.Context, c ports.RateLockChange) error {
	s := lockSave{Call: monotonic(), Version: c.Book.Version + 1}
	err := w.RateLockStore.Save(ctx, c)
	o, ok := ctx.Value(witnessKey{}).(*lockOp)
	if err != nil || !ok {
		return err
	}
	s.Return = monotonic()
	if c.Minted != nil {
		s.Minted = c.Minted.ID
	}
	for i := range c.Ended {
		s.Ended = append(s.Ended, lockEnd{c.Ended[i], decidedAt(c.Events, c.Ended[i].ID)})
	}
	o.Saves = append(o.Saves, s)
	return nil
}

func decidedAt(events []ports.Event, id string) time.Time {
	for i := range events {
		if events[i].Key == id {
			return events[i].At
		}
	}
	return time.Time{}
}

// wildClock is a multiple of the machine's monotonic clock, off by a skew that jumps.
type wildClock struct {
	origin, speed int64

	mu   sync.Mutex
	skew time.Duration
}

func (c *wildClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return epoch.Add(time.Duration((monotonic()-c.origin)*c.speed) + c.skew)
}

func (c *wildClock) jump(to time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.skew = to
}

// After is for loops, and the histories run no loops.
func (*wildClock) After(time.Duration) <-chan time.Time { return nil }
