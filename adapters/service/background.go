package service

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// background is what runs beside the requests.
type background struct {
	app      *Service
	log      *slog.Logger
	cancel   context.CancelFunc
	stopping atomic.Bool
	broken   chan error // has errBroken when a loop has ended by itself
	done     sync.WaitGroup
}

var errBroken = errors.New("background work ended by itself; the log names it")

// loop is one of them. It runs until its context is done.
type loop struct {
	name string
	run  func(context.Context) error
}

// start starts the service's loops.
func (s *Service) start() *background {
	ctx, cancel := context.WithCancel(context.Background())
	b := &background{app: s, log: s.log, cancel: cancel, broken: make(chan error, 1)}
	for _, l := range s.loops() {
		b.done.Go(func() { b.keep(ctx, l) })
	}
	return b
}

// loops are those of what is set.
func (s *Service) loops() (all []loop) {
	if s.payments.sandbox != nil {
		all = append(all, loop{"sandbox transactions", s.payments.sandbox.Run})
	}
	if s.queue != nil {
		return append(all, loop{"queue", func(ctx context.Context) error { return s.queue.Run(ctx, s.jobs()) }})
	}
	if s.reports != nil {
		all = append(all, loop{"reports", s.reports.Run})
	}
	for _, r := range s.events.relays {
		all = append(all, loop{"events", r.Run})
	}
	return append(all, loop{"rate locks", s.locks.Run}, loop{"validations", s.accounts.Run},
		loop{"transactions", s.payments.service.Run}, loop{"tokens", s.auth.Run})
}

// keep runs a loop. What it says when it was stopped is what the stop broke off;
// an end before is a fault, with an error or without one.
func (b *background) keep(ctx context.Context, l loop) {
	err := l.run(ctx)
	if b.stopping.Load() {
		return
	}
	b.log.Error("background loop ended by itself", "loop", l.name, "error", err)
	select {
	case b.broken <- errBroken:
	default: // another one was first
	}
}

// stop cuts what the loops do, a look at a slow feed too, and waits for their
// end, at most timeout.
func (b *background) stop(timeout time.Duration) error {
	b.stopping.Store(true)
	late, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	var failed error
	if b.app.queue != nil {
		failed = b.app.queue.Stop(late) // its rounds have a grace
	}
	b.cancel()
	ended := make(chan error, 1)
	go func() {
		b.done.Wait()
		// Lookups are broken off; the next start takes up what they leave pending.
		failed = errors.Join(failed, b.app.locks.Stop(late), b.app.accounts.Stop(late), b.app.payments.service.Stop(late))
		if b.app.reports != nil {
			failed = errors.Join(failed, b.app.reports.Stop(late))
		}
		ended <- failed
	}()
	select {
	case err := <-ended:
		return err
	case <-late.Done():
		return errors.New("background work did not end in time")
	}
}
