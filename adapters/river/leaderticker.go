package river

import (
	"context"
	"maps"
	"slices"
)

// takeStaying takes the tickers that stay with the leader out of the others.
func takeStaying(tickers map[string]*Ticker) []*Ticker {
	var staying []*Ticker
	for _, name := range slices.Sorted(maps.Keys(tickers)) {
		if t := tickers[name]; t.Stays {
			staying = append(staying, t)
			delete(tickers, name)
		}
	}
	return staying
}

// stay ticks until ctx is done or the queue closes, for as long as this process
// leads.
func (q *Queue) stay(ctx context.Context, t *Ticker, life *life) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-q.closing:
			return
		case <-clock.After(t.Every):
		}
		if life.leads() {
			q.round(ctx, t)
		}
	}
}

func (q *Queue) round(ctx context.Context, t *Ticker) {
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	began := clock.Now()
	err := recovered(ctx, t.Tick, q.cfg.Clock.Now(), q.cfg.Logger)
	q.cfg.Hooks.JobEnded(t.Name, clock.Now().Sub(began), err)
}
