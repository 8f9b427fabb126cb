package river

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/corridor-go/corridor/ports"
)

// River itself moves a job to another process once it has run for longer than the
// longest job may, and elects another leader after 15 s to 21 s. To be quicker, each
// process increments a count in its row of queue_processes. If the others see that a
// count does not change for DeadAfter, the process is dead: its leadership ends, and
// its jobs become available again. Processes compare counts, not times, so their
// clocks may disagree.

// liveness is a process's view of which processes are alive.
type liveness struct {
	queue         *Queue
	id            string
	ledAt         atomic.Int64 // when this process was last seen to lead, in ms since 1970; 0 if it does not
	lastLook      time.Time    // when it last read the others' counts
	others        map[string]lastBeat
	orphanedSince map[jobRun]time.Time // when each run without a process was first seen
}

// lastBeat is the last sign of life of another process.
type lastBeat struct {
	beats int64
	seen  time.Time
}

// jobRun is one run of a job.
type jobRun struct {
	job int64
	at  int64 // µs since 1970, PostgreSQL's precision
}

func newLiveness(q *Queue, id string) *liveness {
	return &liveness{queue: q, id: id, others: map[string]lastBeat{}, orphanedSince: map[jobRun]time.Time{}}
}

// clock is the machine's clock, not Config.Clock, since it measures what other machines
// do: a test clock that stands still must not make processes dead or immortal.
var clock = ports.SystemClock()

// run calls beat at intervals until stop is closed.
func (l *liveness) run(ctx context.Context, stop <-chan struct{}) {
	every := l.queue.cfg.DeadAfter / beatsBeforeDead
	for {
		select {
		case <-stop:
			return
		case <-clock.After(every):
		}
		if err := l.beat(ctx); err != nil {
			l.queue.report(ctx, err)
		}
	}
}

// beat shows a sign of life, removes dead processes and rescues their jobs.
func (l *liveness) beat(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, statementTimeout)
	defer cancel()
	beats, err := l.countBeats(ctx)
	if err != nil {
		l.ledAt.Store(0)
		return coded(err)
	}
	var leads bool // stays false if the query fails
	_ = l.queue.pool.QueryRow(ctx, "SELECT EXISTS (SELECT FROM corridor.river_leader WHERE leader_id = $1)", l.id).Scan(&leads)
	ledAt := int64(0)
	if leads {
		ledAt = clock.Now().UnixMilli()
	}
	l.ledAt.Store(ledAt)
	dead := l.findDead(beats, clock.Now())
	for _, id := range dead {
		if err := l.removeDead(ctx, id); err != nil {
			return coded(err)
		}
		delete(beats, id)
	}
	return coded(l.rescue(ctx, slices.AppendSeq([]string{}, maps.Keys(beats)))) // an empty list, not NULL
}

// countBeats increments this process's count and returns those of the others.
func (l *liveness) countBeats(ctx context.Context) (map[string]int64, error) {
	rows, err := l.queue.pool.Query(ctx, `WITH mine AS (
			INSERT INTO corridor.queue_processes AS p (id, beats) VALUES ($1, 1)
			ON CONFLICT (id) DO UPDATE SET beats = p.beats + 1)
		SELECT id, beats FROM corridor.queue_processes WHERE id <> $1`, l.id)
	if err != nil {
		return nil, err
	}
	beats := map[string]int64{}
	var id string
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&id, &n}, func() error {
		beats[id] = n
		return nil
	})
	return beats, err
}

// isLeader reports whether this process led within the last two beats. If a beat hangs,
// that is unknown, so isLeader reports false.
func (l *liveness) isLeader() bool {
	led := l.ledAt.Load()
	return led != 0 && clock.Now().UnixMilli()-led < 2*(l.queue.cfg.DeadAfter/beatsBeforeDead).Milliseconds()
}

// findDead returns the processes that are dead. If this process could not look for a
// while, findDead starts observing again: the others may have been unable to beat, too.
func (l *liveness) findDead(beats map[string]int64, now time.Time) []string {
	if now.Sub(l.lastLook) > l.queue.cfg.DeadAfter/2 {
		clear(l.others)
		clear(l.orphanedSince)
	}
	l.lastLook = now
	var dead []string
	for id, n := range beats {
		last, known := l.others[id]
		switch {
		case !known || last.beats != n:
			l.others[id] = lastBeat{n, now}
		case now.Sub(last.seen) >= l.queue.cfg.DeadAfter:
			dead = append(dead, id)
		}
	}
	for id := range l.others {
		if _, ok := beats[id]; !ok {
			delete(l.others, id)
		}
	}
	return dead
}

// removeDead removes a dead process and ends its leadership, and notifies River's
// electors as if it had resigned. If the process's count has changed after all,
// removeDead does nothing.
func (l *liveness) removeDead(ctx context.Context, id string) error {
	_, err := l.queue.pool.Exec(ctx, `WITH dead AS (
			DELETE FROM corridor.queue_processes WHERE id = $1 AND beats = $2 RETURNING id),
		led AS (
			DELETE FROM corridor.river_leader WHERE leader_id IN (SELECT id FROM dead) RETURNING leader_id)
		SELECT pg_notify('corridor.river_leadership', json_build_object('leader_id', leader_id, 'action', 'resigned')::text)
		FROM led`, id, l.others[id].beats)
	return err
}

// rescue makes the jobs available that run in no living process. A job must be seen so
// twice, because a process and its first job may appear between two statements of a
// beat.
func (l *liveness) rescue(ctx context.Context, living []string) error {
	orphans, err := l.orphans(ctx, living)
	if err != nil || len(orphans) == 0 {
		return err
	}
	var ids []int64
	var at []time.Time
	for _, r := range orphans {
		ids, at = append(ids, r.job), append(at, time.UnixMicro(r.at))
	}
	tag, err := l.queue.pool.Exec(ctx, `UPDATE corridor.river_job j
		SET state = 'available', scheduled_at = j.attempted_at, attempt = greatest(j.attempt - 1, 0)
		FROM unnest($1::bigint[], $2::timestamptz[]) AS lost (id, at)
		WHERE j.id = lost.id AND j.attempted_at = lost.at AND j.state = 'running'`, ids, at)
	if n := tag.RowsAffected(); err == nil && n > 0 {
		l.queue.cfg.Hooks.Rescued(ctx, int(n))
		l.queue.cfg.Logger.WarnContext(ctx, "rescued jobs of dead processes", "jobs", n)
	}
	return err
}

// orphans returns the runs without a living process that rescue may make available.
func (l *liveness) orphans(ctx context.Context, living []string) ([]jobRun, error) {
	rows, err := l.queue.pool.Query(ctx, `SELECT id, attempted_at, holder FROM (
			SELECT id, attempted_at, attempted_by[array_upper(attempted_by, 1)] AS holder
			FROM corridor.river_job WHERE state = 'running') r
		WHERE holder <> ALL($1)`, living)
	if err != nil {
		return nil, err
	}
	now, seen := clock.Now(), map[jobRun]time.Time{}
	var ready []jobRun
	var job int64
	var at time.Time
	var holder string
	_, err = pgx.ForEachRow(rows, []any{&job, &at, &holder}, func() error {
		r := jobRun{job, at.UnixMicro()}
		if holder == l.id && l.queue.running.has(r.job) {
			return nil
		}
		since, again := l.orphanedSince[r]
		if !again {
			since = now
		}
		seen[r] = since
		// A run of this process may be about to begin, unless River has lost it.
		if again && (holder != l.id || now.Sub(since) >= l.queue.cfg.DeadAfter) {
			ready = append(ready, r)
		}
		return nil
	})
	l.orphanedSince = seen
	return ready, err
}

// unregister removes this process, so that the others need not wait for its death.
func (l *liveness) unregister(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), statementTimeout)
	defer cancel()
	_, err := l.queue.pool.Exec(ctx, "DELETE FROM corridor.queue_processes WHERE id = $1", l.id)
	return coded(err)
}
