package service

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/adapters/river"
	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/report"
	"github.com/corridor-go/corridor/validation"
)

const (
	reportsEvery    = 10 * time.Second // for reports of dead processes; new ones wake the ticker
	sweepEvery      = 5 * time.Second
	relayEvery      = time.Second
	relayTimeout    = 5 * time.Minute
	reportsAtOnce   = 2
	reportsTicker   = "reports"
	ratesTicker     = "rate_locks"
	driftTicker     = "drift"
	tokensTicker    = "tokens"
	eventsTickerFmt = "events_%d"

	shortestRound, longestRound = time.Second, 24 * time.Hour // limits of River's tickers
)

// openQueue opens the queue of the store's database.
func (b *builder) openQueue(ctx context.Context, pool *pgxpool.Pool) (*river.Queue, error) {
	count := b.count
	return river.New(ctx, pool, &river.Config{
		Kinds:  []string{validation.WorkRecover, authstate.WorkTimeout},
		Every:  sweepEvery,
		Wake:   map[string]string{report.EventCreated: reportsTicker},
		Logger: b.log,
		Grace:  stopTimeout / 2,
		Hooks: river.Hooks{
			JobEnded: func(_ context.Context, kind string, took time.Duration, err error) {
				count.jobs.WithLabelValues(kind, outcome(err)).Inc()
				count.jobTimes.WithLabelValues(kind).Observe(took.Seconds())
			},
			Rescued:    func(_ context.Context, jobs int) { count.rescued.Add(float64(jobs)) },
			Background: count.backgroundFailed,
		},
	})
}

func outcome(err error) string {
	if err != nil {
		return "again"
	}
	return "done"
}

// jobs returns the work that the processes of a database share: each round runs in one of
// them.
func (s *Service) jobs() river.Jobs {
	jobs := river.Jobs{
		Work: map[string]river.Tick{validation.WorkRecover: s.accounts.Tick, authstate.WorkTimeout: s.payments.service.Tick},
		Tickers: []river.Ticker{
			{Name: ratesTicker, Every: sweepEvery, Tick: s.locks.Sweep},
			// Drift confirms the observation of its previous round, so all rounds stay in
			// one process.
			{Name: driftTicker, Every: min(max(s.driftEvery, shortestRound), longestRound), Tick: s.locks.Drift, Stays: true},
			{Name: tokensTicker, Every: clientauth.DefaultEvery, Tick: s.auth.Tick},
		},
	}
	if s.reports != nil {
		jobs.Tickers = append(jobs.Tickers, river.Ticker{
			Name: reportsTicker, Every: reportsEvery, Tick: s.reports.Tick, Timeout: report.DefaultMaxRun, AtOnce: reportsAtOnce,
		})
	}
	for i, r := range s.events.relays {
		jobs.Tickers = append(jobs.Tickers, river.Ticker{
			Name: fmt.Sprintf(eventsTickerFmt, i+1), Every: relayEvery, Timeout: relayTimeout, Tick: r.Tick,
		})
	}
	return jobs
}
