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

// progress is what the queue keeps of an item between two of its job's runs, in
// the job's metadata.
//
// A job never fails in River's eyes, it is put off instead: River would keep the
// text of every failure, and throw the job away after so many of them.
type progress struct {
	Due      int64         `json:"due,omitempty"` // ms since 1970; 0 for what the arguments say
	Claims   int           `json:"claims,omitempty"`
	Failures int           `json:"failures,omitempty"` // since it was last settled
	Last     errcodes.Code `json:"last,omitempty"`     // why it failed last
}

const progressKey = "corridor"

func progressOf(metadata []byte) progress {
	var kept struct {
		Corridor progress `json:"corridor"`
	}
	_ = json.Unmarshal(metadata, &kept) // damaged by a person: then it begins anew
	return kept.Corridor
}

// errUnsettled is an item that its Tick did not settle, though it gave no error.
var errUnsettled = errcodes.New(errcodes.Internal, "The work was neither done, retried nor buried")

// earlyPause bounds how long an item waits that is due by River's clock, and not
// yet by this process's: another's may be right.
const earlyPause = 5 * time.Second

// itemWorker runs the jobs of items.
type itemWorker struct {
	riverqueue.WorkerDefaults[itemArgs]

	queue   *Queue
	runners map[string]*tickRunner // by kind; nil when somebody else claims
}

// Timeout is a Tick's, after as long a wait for the Tick before it.
func (w *itemWorker) Timeout(*riverqueue.Job[itemArgs]) time.Duration { return 2 * w.queue.cfg.Timeout }

// Work puts the item where a service can claim it, sees to a Tick, and ends as the
// item was settled.
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
		Payload: append([]byte(nil), job.Args.Payload...), // no bytes are nil
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

// await returns when a Tick that began after the call is over, or the item is
// settled, or nothing more is to be expected here.
func (w *itemWorker) await(ctx context.Context, e *localItem) error {
	q := w.queue
	r := w.runners[e.item.Kind]
	if r == nil {
		r = newTickRunner(nil)
		r.turn <- struct{}{} // nobody gets to run it
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

// awaitStopping waits, while the queue stops, for the round that has claimed the item.
func (w *itemWorker) awaitStopping(ctx context.Context, e *localItem, r *tickRunner) error {
	if w.queue.local.removeUnclaimed(e) {
		return errStopped
	}
	select {
	case how := <-e.settled:
		e.settled <- how
	case <-ctx.Done():
	case r.turn <- struct{}{}: // that round is over
		<-r.turn
	}
	return errStopped
}

// settled says to River what a service has decided.
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

// storableText is a reason without what PostgreSQL's jsonb refuses.
func storableText(reason string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(reason, "\x00", ""), "\ufffd")
}

// unsettled says to River when an item is to come again.
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

// pause is 1 s after the first failure, and doubles to a minute.
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

// Timeout is the ticker's.
func (w *tickWorker) Timeout(job *riverqueue.Job[tickArgs]) time.Duration {
	if t := w.tickers[job.Args.Name]; t != nil {
		return t.Timeout
	}
	return 0
}

// Work ticks. A round that failed is not repeated: the next interval is near.
func (w *tickWorker) Work(ctx context.Context, job *riverqueue.Job[tickArgs]) error {
	q := w.queue
	defer q.running.begin(job.ID)()
	t := w.tickers[job.Args.Name]
	if t == nil || q.isStopping() {
		return riverqueue.JobSnooze(0)
	}
	err := q.tickOnce(ctx, t)
	if err != nil && ctx.Err() != nil && q.isStopping() {
		return riverqueue.JobSnooze(0) // cut short: another process does it
	}
	return nil
}
