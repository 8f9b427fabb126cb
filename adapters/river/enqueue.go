package river

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	riverqueue "github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/corridor-go/corridor/ports"
)

// workArgs are the arguments of a job that wakes the Tick of a kind of work. All kinds
// have the same River kind: River's leader, which may be an older program, discards
// stuck jobs of unknown kinds.
type workArgs struct {
	Of  string `json:"kind"          river:"unique"`
	Due int64  `json:"due,omitempty"` // ms since 1970; 0 for the rounds of Config.Every
}

// Kind implements riverqueue.JobArgs.
func (workArgs) Kind() string { return "corridor_work" }

// tickArgs are the arguments of a ticker's job.
type tickArgs struct {
	Name string `json:"name" river:"unique"`
}

// Kind implements riverqueue.JobArgs.
func (tickArgs) Kind() string { return "corridor_tick" }

// once keeps a periodic job from being inserted while its previous one has not ended.
// Jobs without it, which are those of items and events, are not counted.
var once = riverqueue.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable,
	rivertype.JobStateRunning, rivertype.JobStateScheduled,
}}

// Wants reports whether work or events of the kind wake a Tick.
func (q *Queue) Wants(kind string) bool { return q.kinds[kind] || q.cfg.Wake[kind] != "" }

// Enqueue enqueues the wake-ups of work and events within tx: a job for each item of
// Config.Kinds, at its DueAt, and for each event of Config.Wake. It returns the
// database's errors unchanged.
func (q *Queue) Enqueue(ctx context.Context, tx pgx.Tx, events []ports.Event, work []ports.WorkItem) error {
	now := q.cfg.Clock.Now()
	var jobs []riverqueue.InsertManyParams
	for i := range work {
		if q.kinds[work[i].Kind] {
			jobs = append(jobs, workJob(&work[i], now))
		}
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
	_, err := q.inserter.InsertManyTx(ctx, tx, jobs)
	return err
}

func workJob(w *ports.WorkItem, now time.Time) riverqueue.InsertManyParams {
	opts := &riverqueue.InsertOpts{Queue: workQueue(w.Kind)}
	if w.DueAt.After(now) {
		opts.ScheduledAt = w.DueAt // only if needed: a scheduled job waits for River's scheduler
	}
	return riverqueue.InsertManyParams{Args: workArgs{Of: w.Kind, Due: w.DueAt.UnixMilli()}, InsertOpts: opts}
}

var hooks = []rivertype.Hook{&databaseClock{}}

// databaseClock sets the times of jobs that run at once by the database's clock, by
// which River fetches them. River would use its leader's clock for the jobs of intervals,
// which are the only unique ones, and the process's clock for others, and delay the jobs
// if that clock is ahead.
type databaseClock struct{ riverqueue.HookDefaults }

// InsertBegin implements rivertype.HookInsertBegin.
func (*databaseClock) InsertBegin(_ context.Context, job *rivertype.JobInsertParams) error {
	if job.ScheduledAt == nil || len(job.UniqueKey) > 0 {
		job.ScheduledAt = &time.Time{} // River's driver uses its own clock for nil, the database's for zero
	}
	return nil
}
