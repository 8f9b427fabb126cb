package service

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// background is the service's running background work.
type background struct {
	app      *Service
	log      *slog.Logger
	cancel   context.CancelFunc
	stopping atomic.Bool
	broken   chan error // receives errBroken when a loop ends unexpectedly
	done     sync.WaitGroup
}

var errBroken = errors.New("background work ended unexpectedly; see the log")

// loop is one background loop. run returns when its context is done.
type loop struct {
	name string
	run  func(context.Context) error
}

// start starts the loops of the service.
func (s *Service) start() *background {
	ctx, cancel := context.WithCancel(context.Background())
	b := &background{app: s, log: s.log, cancel: cancel, broken: make(chan error, 1)}
	for _, l := range s.loops() {
		b.done.Go(func() { b.keep(ctx, l) })
	}
	return b
}

// loops returns the loops of the configured parts.
func (s *Service) loops() (all []loop) {
	if s.payments.sandbox != nil {
		all = append(all, loop{"sandbox transactions", s.payments.sandbox.Run})
	}
	if s.clients != nil {
		all = append(all, loop{"clients file", s.clients.Run})
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

// keep runs a loop. If the loop ends before a stop, with or without an error, background
// reports errBroken.
func (b *background) keep(ctx context.Context, l loop) {
	err := l.run(ctx)
	if b.stopping.Load() {
		return
	}
	b.log.Error("background loop ended unexpectedly", "loop", l.name, "error", err)
	select {
	case b.broken <- errBroken:
	default: // another loop has reported first
	}
}

// stop interrupts the loops, even in the middle of reading a slow feed, and waits for
// them for at most timeout.
func (b *background) stop(timeout time.Duration) error {
	b.stopping.Store(true)
	late, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	var failed error
	if b.app.queue != nil {
		failed = b.app.queue.Stop(late) // its rounds get time to finish
	}
	b.cancel()
	ended := make(chan error, 1)
	go func() {
		b.done.Wait()
		// This interrupts lookups; the next start resumes the pending validations.
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
