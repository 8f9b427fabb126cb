package river

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	riverqueue "github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// itemArgs are the arguments of an item's job. All items have the same River kind:
// River's leader, which may be an older program, discards stuck jobs of unknown kinds.
type itemArgs struct {
	ID      []byte `json:"id"      river:"unique"`
	Of      string `json:"kind"`
	Due     int64  `json:"due"` // ms since 1970
	Payload []byte `json:"payload"`
}

// Kind implements riverqueue.JobArgs.
func (itemArgs) Kind() string { return "corridor_work" }

// tickArgs are the arguments of a ticker's job.
type tickArgs struct {
	Name string `json:"name" river:"unique"`
}

// Kind implements riverqueue.JobArgs.
func (tickArgs) Kind() string { return "corridor_tick" }

// waiting contains the states of jobs that have not ended. While a ticker's job has one
// of them, the ticker cannot have another job. An item cannot have another job until it
// is done; a buried item's job is cancelled or discarded.
var waiting = []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable,
	rivertype.JobStateRunning, rivertype.JobStateScheduled,
}

var (
	once      = riverqueue.UniqueOpts{ByArgs: true, ByState: waiting}
	untilDone = riverqueue.UniqueOpts{
		ByArgs: true, ByState: append([]rivertype.JobState{rivertype.JobStateCancelled, rivertype.JobStateDiscarded}, waiting...),
	}
)

// Wants reports whether the queue takes work of the kind or events of the kind wake a
// ticker.
func (q *Queue) Wants(kind string) bool { return q.kinds[kind] || q.cfg.Wake[kind] != "" }

// Enqueue enqueues work and the wake-ups of events in Config.Wake, within tx. It
// returns [errcodes.Conflict] if work with the same id is not done or was buried, and
// [errcodes.Configuration] if the kind of work is not in Config.Kinds. It returns the
// database's errors unchanged.
func (q *Queue) Enqueue(ctx context.Context, tx pgx.Tx, events []ports.Event, work []ports.WorkItem) error {
	now := q.cfg.Clock.Now()
	var jobs []riverqueue.InsertManyParams
	for i := range work {
		if !q.kinds[work[i].Kind] {
			return misconfigured(fmt.Sprintf("The kind %q is not in Config.Kinds", work[i].Kind)) // it is in Wake, so Wants is true
		}
		jobs = append(jobs, itemJob(&work[i], now))
	}
	for i := range events {
		if name := q.cfg.Wake[events[i].Kind]; name != "" {
			jobs = append(jobs, riverqueue.InsertManyParams{
				Args: tickArgs{name}, InsertOpts: &riverqueue.InsertOpts{Queue: tickQueue(name)},
			})
		}
	}
	if len(jobs) == 0 {
		return nil
	}
	results, err := q.inserter.InsertManyTx(ctx, tx, jobs)
	if err != nil {
		return err
	}
	for _, r := range results {
		if r.UniqueSkippedAsDuplicate {
			return errcodes.New(errcodes.Conflict, "A work item with this id already exists")
		}
	}
	return nil
}

func itemJob(w *ports.WorkItem, now time.Time) riverqueue.InsertManyParams {
	opts := &riverqueue.InsertOpts{Queue: workQueue(w.Kind), UniqueOpts: untilDone}
	if w.DueAt.After(now) {
		opts.ScheduledAt = w.DueAt // only if needed: a scheduled job waits for River's scheduler
	}
	args := itemArgs{ID: []byte(w.ID), Of: w.Kind, Due: w.DueAt.UnixMilli(), Payload: w.Payload}
	return riverqueue.InsertManyParams{Args: args, InsertOpts: opts}
}

var hooks = []rivertype.Hook{&databaseClock{}}

// databaseClock sets the times of jobs that run at once by the database's clock, by
// which River fetches them. River would use its leader's clock for a ticker's jobs and
// the process's clock for others, and delay the jobs if that clock is ahead.
type databaseClock struct{ riverqueue.HookDefaults }

// InsertBegin implements rivertype.HookInsertBegin.
func (*databaseClock) InsertBegin(_ context.Context, job *rivertype.JobInsertParams) error {
	if job.ScheduledAt == nil || job.Kind == (tickArgs{}).Kind() {
		job.ScheduledAt = &time.Time{} // River's driver uses its own clock for nil, the database's for zero
	}
	return nil
}
