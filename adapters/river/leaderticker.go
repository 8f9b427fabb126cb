package river

import (
	"context"
	"maps"
	"slices"
)

// takeLeaderTickers removes the tickers with Stays from tickers and returns them.
func takeLeaderTickers(tickers map[string]*Ticker) []*Ticker {
	var staying []*Ticker
	for _, name := range slices.Sorted(maps.Keys(tickers)) {
		if t := tickers[name]; t.Stays {
			staying = append(staying, t)
			delete(tickers, name)
		}
	}
	return staying
}

// runLeaderTicker runs rounds while this process leads, until ctx is done or the queue
// is stopped.
func (q *Queue) runLeaderTicker(ctx context.Context, t *Ticker, life *liveness) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-q.stopping:
			return
		case <-clock.After(t.Every):
		}
		if life.isLeader() {
			round, cancel := context.WithTimeout(ctx, t.Timeout)
			_ = q.tickOnce(round, t) // the hook gets the error
			cancel()
		}
	}
}

func (q *Queue) tickOnce(ctx context.Context, t *Ticker) error {
	began := q.cfg.Clock.Now()
	err := safeTick(ctx, t.Tick, began, q.cfg.Logger)
	q.cfg.Hooks.JobEnded(ctx, t.Name, q.cfg.Clock.Now().Sub(began), err)
	return err
}
