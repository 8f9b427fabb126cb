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

// itemArgs are the arguments of an item's job. River's kind is the same for all:
// its leader throws stuck jobs away whose kind it does not know, and the leader
// may be an older program.
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

// waiting are the states of a job that is yet to end: only those bar another
// one of the same item or ticker.
var waiting = []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable,
	rivertype.JobStateRunning, rivertype.JobStateScheduled,
}

var once = riverqueue.UniqueOpts{ByArgs: true, ByState: waiting}

// Wants reports whether the queue takes work, or is woken by events, of the kind.
func (q *Queue) Wants(kind string) bool { return q.kinds[kind] || q.cfg.Wake[kind] != "" }

// Enqueue puts work, and the wake-ups of events that Config.Wake names, into the
// queue, within tx. Work whose id waits or runs already is errcodes.Conflict, and
// of a kind that Config.Kinds does not name errcodes.Configuration; the database's
// own errors come as they are.
func (q *Queue) Enqueue(ctx context.Context, tx pgx.Tx, events []ports.Event, work []ports.WorkItem) error {
	now := q.cfg.Clock.Now()
	var jobs []riverqueue.InsertManyParams
	for i := range work {
		if !q.kinds[work[i].Kind] {
			return misconfigured(fmt.Sprintf("Work has the kind %q, which is not in Config.Kinds", work[i].Kind)) // but in Wake: Wants is true for both
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
			return errcodes.New(errcodes.Conflict, "Work of this id exists")
		}
	}
	return nil
}

func itemJob(w *ports.WorkItem, now time.Time) riverqueue.InsertManyParams {
	opts := &riverqueue.InsertOpts{Queue: workQueue(w.Kind), UniqueOpts: once}
	if w.DueAt.After(now) {
		opts.ScheduledAt = w.DueAt // without it a job need not wait for River's scheduler
	}
	args := itemArgs{ID: []byte(w.ID), Of: w.Kind, Due: w.DueAt.UnixMilli(), Payload: w.Payload}
	return riverqueue.InsertManyParams{Args: args, InsertOpts: opts}
}

var hooks = []rivertype.Hook{&databaseClock{}}

// databaseClock dates what is to run at once by the database's clock, which says when it
// does. River dates a ticker's jobs by its leader's clock, and others by that of the
// process: one that is ahead would put them off, and with them every round.
type databaseClock struct{ riverqueue.HookDefaults }

// InsertBegin implements rivertype.HookInsertBegin.
func (*databaseClock) InsertBegin(_ context.Context, job *rivertype.JobInsertParams) error {
	if job.ScheduledAt == nil || job.Kind == (tickArgs{}).Kind() {
		job.ScheduledAt = &time.Time{} // River's driver reads none as its own clock, and zero as the database's
	}
	return nil
}
