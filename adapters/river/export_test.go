package river

import (
	"log/slog"
	"time"
)

// Guard returns River's logger.
func Guard(next slog.Handler) slog.Handler { return guard{next, func() bool { return false }} }

// GuardStopping returns River's logger while the queue stops.
func GuardStopping(next slog.Handler) slog.Handler { return guard{next, func() bool { return true }} }

// DateByDatabase is the hook for inserted jobs.
var DateByDatabase = (&databaseClock{}).InsertBegin

// FindDead returns the function by which a process finds dead ones.
func FindDead(deadAfter time.Duration) func(beats map[string]int64, now time.Time) []string {
	return newLiveness(&Queue{cfg: Config{DeadAfter: deadAfter}}, "me").findDead
}

// MigrationLock is the advisory lock of migrations.
const MigrationLock = migrationLock

// Limited returns a logger that leaves out repeats.
var Limited = limited

// Remembered returns how many messages such a logger has in memory.
func Remembered(h slog.Handler) int {
	l, ok := h.(limiter)
	if !ok {
		return -1
	}
	return len(l.seen.last)
}
