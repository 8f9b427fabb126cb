package ratelock

import (
	"context"
	"sync"

	"github.com/corridor-go/corridor/ports"
)

// queue lets the writers of one book in this process go one after the other.
// It spares them conflicts and second reads; the store's compare-and-swap alone
// upholds the cap.
type queue struct {
	mu    sync.Mutex
	turns map[ports.BookKey]*turn
}

// turn is the queue of one book, and what its last writer knew of it.
type turn struct {
	key    ports.BookKey
	token  chan struct{}
	joined int // guarded by queue.mu
	book   ports.Book
	known  bool
}

func newQueue() *queue { return &queue{turns: map[ports.BookKey]*turn{}} }

// join keeps the book's turn, and what is known of the book, until quit. It
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

// enter joins and waits for the turn, or for ctx. Each turn entered must be left.
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

// newest gives the later of rec and what an earlier writer left.
func (t *turn) newest(rec ports.Book) ports.Book {
	if t.known && t.book.Version > rec.Version {
		return t.book
	}
	return rec
}

// learn keeps the book for the writers that wait.
func (t *turn) learn(rec ports.Book) { t.book, t.known = rec, true }
