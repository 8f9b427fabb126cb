package river

import (
	"context"
	"time"

	riverqueue "github.com/riverqueue/river"
)

// To River a job never fails: it would store the text of every failure and discard the
// job after a number of them. What a round has left undone is still in the store, and
// the next round of Config.Every finds it there.

// earlyPause bounds the snooze of a job that is due by River's clock but not yet by this
// process's clock, which may be wrong.
const earlyPause = 5 * time.Second

// workWorker runs the jobs of work.
type workWorker struct {
	riverqueue.WorkerDefaults[workArgs]

	queue   *Queue
	runners map[string]*tickRunner // by kind
}

// Timeout returns twice Config.Timeout: one Tick and the wait for the Tick before it.
func (w *workWorker) Timeout(*riverqueue.Job[workArgs]) time.Duration { return 2 * w.queue.cfg.Timeout }

// Work returns when a Tick that began after the call has ended. A job that Stop
// interrupts goes to another process.
func (w *workWorker) Work(ctx context.Context, job *riverqueue.Job[workArgs]) error {
	q := w.queue
	defer q.running.begin(job.ID)()
	began := q.cfg.Clock.Now()
	if early := time.UnixMilli(job.Args.Due).Sub(began); early > 0 {
		return riverqueue.JobSnooze(min(early, earlyPause))
	}
	r := w.runners[job.Args.Of]
	if r == nil {
		return riverqueue.JobSnooze(0)
	}
	err := w.await(ctx, r)
	q.cfg.Hooks.JobEnded(ctx, job.Args.Of, q.cfg.Clock.Now().Sub(began), err)
	if err != nil && q.isStopping() {
		return riverqueue.JobSnooze(0)
	}
	return nil
}

// await returns when a round that began after the call has ended, ctx is done, or the
// queue stops.
func (w *workWorker) await(ctx context.Context, r *tickRunner) error {
	q := w.queue
	this := r.join()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-q.stopping:
		return errStopped
	case r.turn <- struct{}{}:
		bounded, cancel := context.WithTimeout(ctx, q.cfg.Timeout)
		defer cancel()
		r.run(bounded, this, q.cfg.Clock.Now(), q.cfg.Logger)
	case <-this.ended:
	}
	return this.err
}

func (q *Queue) isStopping() bool {
	select {
	case <-q.stopping:
		return true
	default:
		return false
	}
}

// tickWorker runs the jobs of tickers.
type tickWorker struct {
	riverqueue.WorkerDefaults[tickArgs]

	queue   *Queue
	tickers map[string]*Ticker
}

// Timeout returns the ticker's Timeout.
func (w *tickWorker) Timeout(job *riverqueue.Job[tickArgs]) time.Duration {
	if t := w.tickers[job.Args.Name]; t != nil {
		return t.Timeout
	}
	return 0
}

// Work runs a round. A failed round is not repeated before the next interval.
func (w *tickWorker) Work(ctx context.Context, job *riverqueue.Job[tickArgs]) error {
	q := w.queue
	defer q.running.begin(job.ID)()
	t := w.tickers[job.Args.Name]
	if t == nil || q.isStopping() {
		return riverqueue.JobSnooze(0)
	}
	err := q.tickOnce(ctx, t)
	if err != nil && ctx.Err() != nil && q.isStopping() {
		return riverqueue.JobSnooze(0) // interrupted by Stop: another process repeats it
	}
	return nil
}
