package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

const purgeEvery = 10 * time.Minute // of expired tokens

// background is what runs beside the requests.
type background struct {
	app    *application
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// start sets the application's loops going.
func (a *application) start(log *slog.Logger) *background {
	ctx, cancel := context.WithCancel(context.Background())
	b := &background{app: a, cancel: cancel}
	if a.queue != nil {
		b.loop(ctx, log, "queue", func(ctx context.Context) error { return a.queue.Run(ctx, a.jobs()) })
		b.loop(ctx, log, "sandbox transactions", a.payments.play)
		return b
	}
	b.loop(ctx, log, "rate locks", a.locks.Run)
	b.loop(ctx, log, "validations", a.accounts.Run)
	b.loop(ctx, log, "transactions", a.payments.service.Run)
	b.loop(ctx, log, "sandbox transactions", a.payments.play)
	b.loop(ctx, log, "reports", a.reports.Run)
	for _, r := range a.events.relays {
		b.loop(ctx, log, "events", r.Run)
	}
	b.loop(ctx, log, "tokens", a.purgeTokens(log))
	return b
}

func (b *background) loop(ctx context.Context, log *slog.Logger, name string, run func(context.Context) error) {
	b.done.Go(func() {
		if err := run(ctx); err != nil && !errors.Is(err, context.Canceled) {
			log.Error("background loop ended", "loop", name, "error", err)
		}
	})
}

// purgeTokens drops expired tokens from the store now and then.
func (a *application) purgeTokens(log *slog.Logger) func(context.Context) error {
	return func(ctx context.Context) error {
		ticker := time.NewTicker(purgeEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case now := <-ticker.C:
				if _, err := a.auth.Tick(ctx, now); err != nil {
					log.Warn("expired tokens not purged; the next round tries again", "error", err)
				}
			}
		}
	}
}

func (a *application) closeQueue(ctx context.Context) error {
	if a.queue == nil {
		return nil
	}
	return a.queue.Close(ctx)
}

// stop cuts what the loops do, a look at a slow feed too, and waits for their
// end, at most timeout.
func (b *background) stop(timeout time.Duration) error {
	late, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	failed := b.app.closeQueue(late) // its rounds have a grace
	b.cancel()
	ended := make(chan error, 1)
	go func() {
		b.done.Wait()
		// Lookups are broken off; the next start takes up what they leave pending.
		ended <- errors.Join(failed, b.app.locks.Close(late), b.app.accounts.Close(late), b.app.payments.service.Close(late),
			b.app.reports.stop(late))
	}()
	select {
	case err := <-ended:
		return err
	case <-late.Done():
		return errors.New("background work did not end in time")
	}
}
