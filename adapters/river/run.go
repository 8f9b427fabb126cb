package river

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	riverqueue "github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/corridor-go/corridor/errcodes"
)

// Jobs contains what a process runs.
type Jobs struct {
	// Work maps kinds to the Tick that claims the kind's items from the store and
	// settles them. It runs when an item is due, and every Config.Every in one of the
	// processes. Kinds of Config.Kinds that are missing here run in other processes.
	Work map[string]Tick
	// Tickers run once per interval in one of the processes that have them.
	Tickers []Ticker
}

// Ticker is work that runs at intervals.
type Ticker struct {
	// Name is unique and has the form of a kind of Config.Kinds.
	Name string
	// Every is the interval, 1 s to 24 h. An interval is skipped if the previous
	// round is still waiting or running at its start.
	Every time.Duration
	Tick  Tick
	// Timeout bounds a round. Default 1 min; 1 s to 24 h.
	Timeout time.Duration
	// AtOnce is how many rounds may run concurrently in one process, which happens
	// if events wake the ticker. Default 1; 1 to 100.
	AtOnce int
	// Stays runs all rounds in one process, River's leader, one after the other, for
	// work that depends on what it saw in the previous round. The rounds are not
	// jobs: events do not wake them, Timeout bounds them, and AtOnce and AtStart have
	// no effect. If the leader dies, another process starts over; if it was only
	// suspended, both may tick for a moment.
	Stays bool
	// AtStart also runs a round when a process becomes River's leader, as the first
	// one to start does. Without it, the first round runs after Every.
	AtStart bool
}

const (
	minTick, maxTick     = time.Second, 24 * time.Hour
	maxTickersAtOnce     = 100
	riverRescue          = time.Hour // after the longest round; liveness.go is quicker
	keepAlways           = time.Duration(-1)
	startPause           = time.Second
	stuckAfter           = 10 * time.Second
	maxAttempts      int = 1000
)

// Run runs jobs until ctx is done, whose error it returns, or Stop, when it returns
// nil. When ctx is done, the contexts of running rounds are cancelled at once and their
// jobs go to other processes; Run returns when the rounds have ended. If the database
// is unreachable, Run waits for it.
//
// Run returns [errcodes.Configuration] if jobs are out of bounds or another Run is in
// progress. A queue runs once: a Run after that returns nil.
func (q *Queue) Run(ctx context.Context, jobs Jobs) error {
	tickers, err := q.checkJobs(jobs)
	if err != nil {
		return err
	}
	if started, err := q.begin(); !started {
		return err
	}
	defer q.finish()
	staying := takeLeaderTickers(tickers)
	id := newID()
	life := newLiveness(q, id)
	c, err := q.start(ctx, life, func() (*client, error) { return q.worker(id, jobs.Work, tickers) })
	switch {
	case err != nil:
		return err
	case c != nil:
		q.runUntilStopped(ctx, c, life, staying)
	}
	if err := life.unregister(ctx); err != nil {
		q.report(ctx, err)
	}
	return errcodes.Coded(ctx.Err())
}

func (q *Queue) runUntilStopped(ctx context.Context, c *client, life *liveness, staying []*Ticker) {
	var background sync.WaitGroup
	stop := make(chan struct{})
	background.Go(func() { life.run(context.WithoutCancel(ctx), stop) })
	rounds, end := context.WithCancel(ctx)
	for _, t := range staying {
		background.Go(func() { q.runLeaderTicker(rounds, t, life) })
	}
	q.wait(ctx, c)
	end()
	close(stop)
	background.Wait()
}

// begin reports whether Run may run, which it may not after Stop.
func (q *Queue) begin() (bool, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.isStopping():
		return false, nil
	case q.begun:
		return false, misconfigured("The queue is already running")
	}
	q.begun = true
	return true, nil
}

func (q *Queue) finish() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stop()
	close(q.ended)
}

// start waits for the database, starts River and returns its client, or nil if ctx is done
// or the queue is stopped meanwhile. Each try has a client of its own: one that has failed
// to start keeps subscriptions, which would read what a second start of it writes.
func (q *Queue) start(ctx context.Context, life *liveness, open func() (*client, error)) (*client, error) {
	for {
		c, err := open()
		if err != nil {
			return nil, coded(err)
		}
		err = life.beat(ctx)
		if err == nil {
			err = coded(c.Start(context.WithoutCancel(ctx)))
		}
		if err == nil {
			return c, nil
		}
		if ctx.Err() == nil {
			q.report(ctx, err)
		}
		select {
		case <-ctx.Done():
			return nil, nil //nolint:nilnil // nothing was started, which is no error
		case <-q.stopping:
			return nil, nil //nolint:nilnil // as above
		case <-q.cfg.Clock.After(startPause):
		}
	}
}

// wait waits for Stop or the end of ctx and stops River: within Config.Grace on Stop,
// and at once if ctx is done.
func (q *Queue) wait(ctx context.Context, c *client) {
	steady := context.WithoutCancel(ctx)
	select {
	case <-ctx.Done():
		q.stop()
		_ = c.StopAndCancel(steady) // it fails only if its context ends, and steady does not
	case <-q.stopping:
		if c.Stop(ctx) != nil { // ctx is done: running rounds get no more time
			_ = c.StopAndCancel(steady)
		}
	}
}

// report logs a failure of the queue itself, and calls the hook.
func (q *Queue) report(ctx context.Context, err error) {
	q.cfg.Hooks.Background(ctx, err)
	q.upkeep.WarnContext(ctx, "queue maintenance failed; it is tried again", "error", err)
}

// worker returns a client that runs jobs under the id.
func (q *Queue) worker(id string, work map[string]Tick, tickers map[string]*Ticker) (*client, error) {
	runners := map[string]*tickRunner{}
	queues := map[string]riverqueue.QueueConfig{}
	longest := 2 * q.cfg.Timeout
	periodic := make([]*riverqueue.PeriodicJob, 0, len(q.kinds)+len(tickers))
	for _, kind := range slices.Sorted(maps.Keys(q.kinds)) {
		// The leader inserts the rounds of all kinds, also of those that it does not run.
		periodic = append(periodic, every(q.cfg.Every, true, workArgs{Of: kind}, workQueue(kind)))
		if tick := work[kind]; tick != nil {
			runners[kind] = newTickRunner(tick)
			queues[workQueue(kind)] = riverqueue.QueueConfig{MaxWorkers: q.cfg.Batch}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tickers)) {
		t := tickers[name]
		queues[tickQueue(name)] = riverqueue.QueueConfig{MaxWorkers: t.AtOnce}
		longest = max(longest, t.Timeout)
		periodic = append(periodic, every(t.Every, t.AtStart, tickArgs{t.Name}, tickQueue(name)))
	}
	workers := riverqueue.NewWorkers()
	riverqueue.AddWorker(workers, &workWorker{queue: q, runners: runners})
	riverqueue.AddWorker(workers, &tickWorker{queue: q, tickers: tickers})
	return riverqueue.NewClient(riverpgxv5.New(q.pool), &riverqueue.Config{
		ID: id, Schema: schema, Logger: guarded(q.upkeep, q.isStopping), Queues: queues, Workers: workers, PeriodicJobs: periodic,
		FetchCooldown: min(fetchCooldown, q.cfg.Poll), FetchPollInterval: q.cfg.Poll,
		JobTimeout: longest, JobStuckThreshold: stuckAfter, RescueStuckJobsAfter: longest + riverRescue,
		SoftStopTimeout: q.cfg.Grace, MaxAttempts: maxAttempts, Hooks: hooks,
		CompletedJobRetentionPeriod: q.cfg.Keep, CancelledJobRetentionPeriod: keepAlways, DiscardedJobRetentionPeriod: keepAlways,
	})
}

// every returns a job that is inserted at intervals, unless the previous one has not
// ended.
func every(interval time.Duration, atStart bool, args riverqueue.JobArgs, queue string) *riverqueue.PeriodicJob {
	opts := &riverqueue.InsertOpts{Queue: queue, UniqueOpts: once}
	return riverqueue.NewPeriodicJob(riverqueue.PeriodicInterval(interval),
		func() (riverqueue.JobArgs, *riverqueue.InsertOpts) { return args, opts },
		&riverqueue.PeriodicJobOpts{RunOnStart: atStart})
}

// checkJobs returns the tickers by name, with their defaults.
func (q *Queue) checkJobs(jobs Jobs) (map[string]*Ticker, error) {
	for kind, tick := range jobs.Work {
		if !q.kinds[kind] {
			return nil, misconfigured(fmt.Sprintf("Jobs.Work: the kind %q is not in Config.Kinds", kind))
		}
		if tick == nil {
			return nil, misconfigured(fmt.Sprintf("Jobs.Work: the kind %q has no Tick", kind))
		}
	}
	byName := map[string]*Ticker{}
	for _, t := range jobs.Tickers {
		t.Timeout, t.AtOnce = cmp.Or(t.Timeout, DefaultTickTimeout), cmp.Or(t.AtOnce, 1)
		if err := t.check(); err != nil {
			return nil, err
		}
		if byName[t.Name] != nil {
			return nil, misconfigured(fmt.Sprintf("Two tickers have the name %q", t.Name))
		}
		byName[t.Name] = &t
	}
	if len(jobs.Work) == 0 && !slices.ContainsFunc(jobs.Tickers, func(t Ticker) bool { return !t.Stays }) {
		return nil, misconfigured("Jobs contains no Work and no ticker without Stays")
	}
	return byName, nil
}

func (t *Ticker) check() error {
	if t.Tick == nil {
		return misconfigured(fmt.Sprintf("The ticker %q has no Tick", t.Name))
	}
	return cmp.Or(
		checkName("Tickers", t.Name),
		errcodes.Within("A ticker's Every", t.Every, minTick, maxTick),
		errcodes.Within("A ticker's Timeout", t.Timeout, minTick, maxTick),
		errcodes.Within("A ticker's AtOnce", t.AtOnce, 1, maxTickersAtOnce),
	)
}
