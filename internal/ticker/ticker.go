// Package ticker runs the background rounds of a domain service: once every so
// often by a clock, until the service closes.
package ticker

import (
	"context"
	"sync"
	"time"

	"github.com/corridor-go/corridor/ports"
)

// Loops are the running tickers of one service. Make them with New.
type Loops struct {
	clock  ports.Clock
	every  time.Duration
	mu     sync.Mutex
	closed chan struct{}
	ended  chan struct{} // closed when the last ticker of a closed service ends
	count  int
	shut   bool
}

// New makes loops that tick every so often by the clock.
func New(clock ports.Clock, every time.Duration) *Loops {
	return &Loops{clock: clock, every: every, closed: make(chan struct{}), ended: make(chan struct{})}
}

// Run ticks, at once or not, and then every so often, until ctx is done, which
// is its error, or Close, which is none.
func (l *Loops) Run(ctx context.Context, atOnce bool, tick func(ctx context.Context, now time.Time)) error {
	if !l.Begin() {
		return nil
	}
	defer l.End()
	if atOnce {
		tick(ctx, l.clock.Now())
	}
	for {
		select {
		case <-ctx.Done():
		case <-l.closed:
		case <-l.clock.After(l.every):
		}
		select { // of several at once, the end counts
		case <-ctx.Done():
			return ctx.Err()
		case <-l.closed:
			return nil
		default:
			tick(ctx, l.clock.Now())
		}
	}
}

// Begin counts one more piece of work that Close waits for, and reports whether
// it may start: not after Close. End counts it down.
func (l *Loops) Begin() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.shut {
		l.count++
	}
	return !l.shut
}

// End counts down what Begin counted.
func (l *Loops) End() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.count--; l.count == 0 && l.shut {
		close(l.ended)
	}
}

// Closed is closed by the first Close.
func (l *Loops) Closed() <-chan struct{} { return l.closed }

// Close stops the tickers and waits for their rounds to end, or for ctx. It may
// be called more than once.
func (l *Loops) Close(ctx context.Context) error {
	l.mu.Lock()
	if !l.shut {
		l.shut = true
		close(l.closed)
		if l.count == 0 {
			close(l.ended)
		}
	}
	l.mu.Unlock()
	select {
	case <-l.ended:
		return nil
	case <-ctx.Done():
	}
	select { // of both at once, the end counts
	case <-l.ended:
		return nil
	default:
		return ctx.Err()
	}
}
