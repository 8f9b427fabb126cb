package river

import "log/slog"

// OnDesk counts the items that wait here to be claimed or settled.
func (q *Queue) OnDesk() int {
	q.desk.mu.Lock()
	defer q.desk.mu.Unlock()
	n := 0
	for _, of := range q.desk.kinds {
		n += len(of)
	}
	return n
}

// Pause is how long an item waits after so many failures.
var Pause = pause

// Guard is what River's log goes through.
func Guard(next slog.Handler) slog.Handler { return guard{next} }

// DateByDatabase is the hook that jobs pass as they are inserted.
var DateByDatabase = (&atOnce{}).InsertBegin
