package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/adapters/relay"
	"github.com/corridor-go/corridor/adapters/river"
	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report"
	"github.com/corridor-go/corridor/validation"
)

const (
	reportsEvery    = 10 * time.Second // for those whose process died; new ones wake the ticker
	sweepEvery      = 5 * time.Second
	relayEvery      = time.Second
	relayTimeout    = 5 * time.Minute
	reportsAtOnce   = 2
	reportsTicker   = "reports"
	ratesTicker     = "rate_locks"
	driftTicker     = "drift"
	accountsTicker  = "validations"
	paymentsTicker  = "transactions"
	tokensTicker    = "tokens"
	eventsTickerFmt = "events_%d"

	shortestRound, longestRound = time.Second, 24 * time.Hour // of a ticker of River
)

// riverStore is a PostgreSQL store whose work River hands out.
type riverStore struct {
	*postgres.Store
	queue *river.Queue
}

// Work implements bundle.
func (s riverStore) Work() ports.Work { return s.queue.Work() }

// openQueue makes the queue of the store's database.
func openQueue(ctx context.Context, opened *pool, count *counters, log *slog.Logger) (*river.Queue, error) {
	return river.New(ctx, opened.Pool, &river.Config{
		Kinds:  []string{validation.WorkRecover, authstate.WorkTimeout},
		Wake:   map[string]string{report.EventCreated: reportsTicker},
		Logger: log,
		Grace:  stopTimeout / 2,
		Hooks: river.Hooks{
			JobEnded: func(kind string, took time.Duration, err error) {
				count.jobs.WithLabelValues(kind, outcome(err)).Inc()
				count.jobTimes.WithLabelValues(kind).Observe(took.Seconds())
			},
			Rescued:    func(jobs int) { count.rescued.Add(float64(jobs)) },
			Background: func(error) { count.failures.Inc() },
		},
	})
}

func outcome(err error) string {
	if err != nil {
		return "again"
	}
	return "done"
}

// jobs is what all processes of a database share out: each round runs in one of
// them.
func (a *application) jobs() river.Jobs {
	jobs := river.Jobs{
		Work: map[string]river.Tick{validation.WorkRecover: a.accounts.Tick, authstate.WorkTimeout: a.payments.service.Tick},
		Tickers: []river.Ticker{
			{Name: ratesTicker, Every: sweepEvery, Tick: a.locks.Sweep},
			// Drift confirms what it saw in the look before, so its looks stay in one process.
			{Name: driftTicker, Every: min(max(a.driftEvery, shortestRound), longestRound), Tick: a.locks.Drift, Stays: true},
			{Name: accountsTicker, Every: sweepEvery, Tick: a.accounts.Tick},
			{Name: paymentsTicker, Every: sweepEvery, Tick: a.payments.service.Tick},
			{Name: tokensTicker, Every: purgeEvery, Tick: func(ctx context.Context, now time.Time) error {
				_, err := a.auth.Tick(ctx, now)
				return err
			}},
		},
	}
	if a.reports.service != nil {
		jobs.Tickers = append(jobs.Tickers, river.Ticker{
			Name: reportsTicker, Every: reportsEvery, Tick: a.reports.service.Tick, Timeout: report.DefaultMaxRun, AtOnce: reportsAtOnce,
		})
	}
	for i, r := range a.events.relays {
		jobs.Tickers = append(jobs.Tickers, river.Ticker{
			Name: fmt.Sprintf(eventsTickerFmt, i+1), Every: relayEvery, Timeout: relayTimeout, Tick: relayed(r),
		})
	}
	return jobs
}

func relayed(r *relay.Relay) river.Tick {
	return func(ctx context.Context, _ time.Time) error {
		_, err := r.Tick(ctx)
		return err
	}
}
