package river

import (
	"log/slog"
	"time"
)

// LocalItems counts the items that wait here to be claimed or settled.
func (q *Queue) LocalItems() int {
	q.local.mu.Lock()
	defer q.local.mu.Unlock()
	n := 0
	for _, of := range q.local.kinds {
		n += len(of)
	}
	return n
}

// Pause is how long an item waits after so many failures.
var Pause = pause

// Guard is what River's log goes through.
func Guard(next slog.Handler) slog.Handler { return guard{next, func() bool { return false }} }

// GuardStopping is the same for a queue that stops.
func GuardStopping(next slog.Handler) slog.Handler { return guard{next, func() bool { return true }} }

// DateByDatabase is the hook that jobs pass as they are inserted.
var DateByDatabase = (&databaseClock{}).InsertBegin

// FindDead returns how a process finds those that are dead.
func FindDead(deadAfter time.Duration) func(beats map[string]int64, now time.Time) []string {
	return newLiveness(&Queue{cfg: Config{DeadAfter: deadAfter}}, "me").findDead
}

// MigrationLock is what processes that start at once queue on.
const MigrationLock = migrationLock

// Limited is a logger that leaves repeats out.
var Limited = limited

// Remembered is how many messages such a logger's handler remembers.
func Remembered(h slog.Handler) int {
	l, ok := h.(limiter)
	if !ok {
		return -1
	}
	return len(l.seen.last)
}
