package river

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	riverqueue "github.com/riverqueue/river"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// progress is what the queue stores about an item between two runs of its job, in the
// job's metadata.
//
// To River a job never fails; it is snoozed instead. River would store the text of
// every failure, and discard the job after a number of them.
type progress struct {
	Due      int64         `json:"due,omitempty"` // ms since 1970; 0 means that of the arguments
	Claims   int           `json:"claims,omitempty"`
	Failures int           `json:"failures,omitempty"` // since it was last settled
	Last     errcodes.Code `json:"last,omitempty"`     // the code of the last failure
}

const progressKey = "corridor"

func progressOf(metadata []byte) progress {
	var kept struct {
		Corridor progress `json:"corridor"`
	}
	_ = json.Unmarshal(metadata, &kept) // if somebody damaged it, progress starts from zero
	return kept.Corridor
}

// errUnsettled is the failure of an item whose Tick returned nil and did not settle it.
var errUnsettled = errcodes.New(errcodes.Internal, "The work was neither done, retried nor buried")

// earlyPause bounds the snooze of an item that is due by River's clock but not yet by
// this process's clock, which may be wrong.
const earlyPause = 5 * time.Second

// itemWorker runs the jobs of items.
type itemWorker struct {
	riverqueue.WorkerDefaults[itemArgs]

	queue   *Queue
	runners map[string]*tickRunner // by kind; nil if somebody else claims
}

// Timeout returns twice Config.Timeout: one Tick and the wait for the Tick before it.
func (w *itemWorker) Timeout(*riverqueue.Job[itemArgs]) time.Duration { return 2 * w.queue.cfg.Timeout }

// Work makes the item claimable, ensures that a Tick runs, and ends the job according
// to how the item was settled.
func (w *itemWorker) Work(ctx context.Context, job *riverqueue.Job[itemArgs]) error {
	q := w.queue
	defer q.running.begin(job.ID)()
	began := q.cfg.Clock.Now()
	kept := progressOf(job.Metadata)
	if kept.Due == 0 {
		kept.Due = job.Args.Due
	}
	item := ports.WorkItem{
		ID: string(job.Args.ID), Kind: job.Args.Of, DueAt: time.UnixMilli(kept.Due).UTC(),
		Payload: append([]byte(nil), job.Args.Payload...), // nil if empty
	}
	e := q.local.put(item, kept.Claims)
	failure := w.await(ctx, e)
	q.local.remove(e)
	kept.Claims = e.claims
	var result error
	select {
	case how := <-e.settled:
		failure = nil
		result = q.settled(&kept, how)
	default:
		result, failure = q.unsettled(&kept, failure)
	}
	if err := riverqueue.MetadataSet(ctx, progressKey, kept); err != nil {
		q.report(ctx, errcodes.Wrap(errcodes.Internal, "", err))
	}
	q.cfg.Hooks.JobEnded(ctx, item.Kind, q.cfg.Clock.Now().Sub(began), failure)
	return result
}

// await returns when a Tick that began after the call has ended, or the item is
// settled, or ctx is done, or the queue stops.
func (w *itemWorker) await(ctx context.Context, e *localItem) error {
	q := w.queue
	r := w.runners[e.item.Kind]
	if r == nil {
		r = newTickRunner(nil)
		r.turn <- struct{}{} // no round will run
	}
	this := r.join()
	select {
	case how := <-e.settled:
		e.settled <- how
	case <-ctx.Done():
		return ctx.Err()
	case <-q.stopping:
		return w.awaitStopping(ctx, e, r)
	case r.turn <- struct{}{}:
		bounded, cancel := context.WithTimeout(ctx, q.cfg.Timeout)
		defer cancel()
		r.run(bounded, this, q.cfg.Clock.Now(), q.cfg.Logger)
		return this.err
	case <-this.ended:
		return this.err
	}
	return nil
}

// awaitStopping waits for the round that has claimed the item, while the queue stops.
func (w *itemWorker) awaitStopping(ctx context.Context, e *localItem, r *tickRunner) error {
	if w.queue.local.removeUnclaimed(e) {
		return errStopped
	}
	select {
	case how := <-e.settled:
		e.settled <- how
	case <-ctx.Done():
	case r.turn <- struct{}{}: // that round has ended
		<-r.turn
	}
	return errStopped
}

// settled returns how the job ends after a service's decision.
func (q *Queue) settled(kept *progress, how decision) error {
	kept.Failures, kept.Last = 0, ""
	switch how.outcome {
	case retried:
		kept.Due = how.at.UnixMilli()
		return riverqueue.JobSnooze(max(how.at.Sub(q.cfg.Clock.Now()), 0))
	case buried:
		return riverqueue.JobCancel(errors.New(storableText(how.reason)))
	case replaced:
		return riverqueue.JobSnooze(firstPause)
	case done:
	}
	return nil
}

// storableText returns reason without what PostgreSQL's jsonb rejects.
func storableText(reason string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(reason, "\x00", ""), "\ufffd")
}

// unsettled returns how the job ends if the item was not settled, and the failure to
// report.
func (q *Queue) unsettled(kept *progress, failure error) (result, reported error) {
	if q.isStopping() {
		return riverqueue.JobSnooze(0), errStopped // for another process, at once
	}
	if early := time.UnixMilli(kept.Due).Sub(q.cfg.Clock.Now()); early > 0 && failure == nil {
		return riverqueue.JobSnooze(min(early, earlyPause)), nil
	}
	if failure == nil {
		failure = errUnsettled
	}
	kept.Failures++
	kept.Last = errcodes.Of(failure)
	return riverqueue.JobSnooze(pause(kept.Failures)), failure
}

// pause returns 1 s after the first failure, doubled with each further one up to 1 min.
func pause(failures int) time.Duration {
	const doublings = 6
	return min(firstPause<<min(failures-1, doublings), longestPause)
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
