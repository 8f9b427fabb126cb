// Package background runs the background work of a service: ticks, due work items, and
// reports of errors that no caller sees.
package background

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Config configures a service's background work. All fields except Wake are required.
type Config struct {
	Clock  ports.Clock
	Every  time.Duration // pause between ticks
	Logger *slog.Logger
	Work   string                               // name of the work in log lines, such as "rate locks"
	Failed func(ctx context.Context, err error) // the service's Hooks.Background
	Wake   <-chan struct{}                      // a value starts a tick at once; may be nil
}

// Loops are the background loops of one service. Create them with New.
type Loops struct {
	cfg      Config
	mu       sync.Mutex
	count    int
	stopped  bool
	stopping chan struct{} // closed by the first Stop
	ended    chan struct{} // closed when the last loop of a stopped service has ended
}

// New returns loops that are not running yet.
func New(cfg Config) *Loops {
	return &Loops{cfg: cfg, stopping: make(chan struct{}), ended: make(chan struct{})}
}

// Run calls tick at once and then every Config.Every. It returns nil after Stop, and the
// context's error when ctx is done. It ignores errors of tick, which must call
// [Loops.Report] itself.
func (l *Loops) Run(ctx context.Context, tick func(ctx context.Context, now time.Time) error) error {
	if !l.Begin() {
		return nil
	}
	defer l.End()
	for {
		select { // if several are ready, stopping takes precedence
		case <-ctx.Done():
			return errcodes.Coded(ctx.Err())
		case <-l.stopping:
			return nil
		default:
			_ = tick(ctx, l.cfg.Clock.Now()) // tick has reported its error
		}
		select {
		case <-ctx.Done():
		case <-l.stopping:
		case <-l.cfg.Wake:
		case <-l.cfg.Clock.After(l.cfg.Every):
		}
	}
}

// Report logs an error of a tick, passes it to Config.Failed, and returns it, each time
// with the code of [errcodes.Coded]. An error after the end of ctx is not a failure.
func (l *Loops) Report(ctx context.Context, err error) error {
	err = errcodes.Coded(err)
	if err != nil && ctx.Err() == nil {
		l.cfg.Logger.WarnContext(ctx, "background work failed in part; the next tick tries again", "work", l.cfg.Work, "error", err)
		l.cfg.Failed(ctx, err)
	}
	return err
}

// Begin counts a piece of work that Stop waits for. It reports false after Stop: the work
// must not start. Otherwise the caller must call End.
func (l *Loops) Begin() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.stopped {
		l.count++
	}
	return !l.stopped
}

// End ends a piece of work that Begin counted.
func (l *Loops) End() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.count--; l.count == 0 && l.stopped {
		close(l.ended)
	}
}

// Stopping returns a channel that the first Stop closes.
func (l *Loops) Stopping() <-chan struct{} { return l.stopping }

// Stopped reports whether Stop was called.
func (l *Loops) Stopped() bool {
	select {
	case <-l.stopping:
		return true
	default:
		return false
	}
}

// Stop ends the loops and waits for work that Begin counted until ctx is done, when it
// returns the context's error. It may be called more than once.
func (l *Loops) Stop(ctx context.Context) error {
	l.mu.Lock()
	if !l.stopped {
		l.stopped = true
		close(l.stopping)
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
	select { // if both are ready, the end of the work takes precedence
	case <-l.ended:
		return nil
	default:
		return errcodes.Coded(ctx.Err())
	}
}

// page is how many items Drain claims at once.
const page = 100

// Drain is one kind of due work.
type Drain struct {
	Work  ports.Work
	Kind  string
	Lease time.Duration // how long a claim lasts
	Retry time.Duration // how long an unfinished item waits for its next claim
	// Do processes an item and reports whether it is done. If it returns
	// [errcodes.CorruptRecord], the item becomes a dead letter.
	Do func(ctx context.Context, payload []byte, now time.Time) (done bool, err error)
}

// Drain processes the items that are due at now. A failed item does not stop the others;
// Drain joins the errors. After Stop it ends before the next page. When ctx is done, it
// releases the items that it has claimed and not begun, so that they need not wait for the
// end of their lease.
func (l *Loops) Drain(ctx context.Context, d Drain, now time.Time) error {
	var failed []error
	for {
		items, err := d.Work.Claim(ctx, d.Kind, now, d.Lease, page)
		if err != nil {
			return errors.Join(append(failed, err)...)
		}
		for i, item := range items {
			if ctx.Err() != nil {
				return errors.Join(append(failed, ctx.Err(), d.release(context.WithoutCancel(ctx), items[i:], now))...)
			}
			failed = append(failed, d.do(ctx, item, now))
		}
		if len(items) < page || l.Stopped() {
			return errors.Join(failed...)
		}
	}
}

// release makes items claimable at now. It ends at the first error, because a store that
// does not answer would delay the end for each item.
func (d *Drain) release(ctx context.Context, items []ports.WorkItem, now time.Time) error {
	for _, item := range items {
		if err := d.Work.Retry(ctx, item, now); err != nil && errcodes.Of(err) != errcodes.Conflict {
			return err
		}
	}
	return nil
}

// do settles the item even if ctx ends meanwhile.
func (d *Drain) do(ctx context.Context, item ports.WorkItem, now time.Time) error {
	done, err := d.Do(ctx, item.Payload, now)
	ctx = context.WithoutCancel(ctx)
	var stored error
	switch {
	case errcodes.Of(err) == errcodes.CorruptRecord:
		stored = d.Work.Bury(ctx, item, "the work is damaged, or its record is damaged or gone")
	case done:
		stored = d.Work.Done(ctx, item)
	default:
		stored = d.Work.Retry(ctx, item, now.Add(d.Retry))
	}
	if errcodes.Of(stored) == errcodes.Conflict {
		stored = nil // the lease expired and another process has the item
	}
	return errors.Join(err, stored)
}
