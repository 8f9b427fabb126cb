package river

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	repeatEvery = time.Minute
	maxMessages = 1_000 // that are remembered; River's are a few dozen
)

// limited is a logger that tells a message at once, and then once a minute, with
// how often it was left out: while the database is away, River's services fail ten
// times a second.
func limited(log *slog.Logger) *slog.Logger {
	return slog.New(limiter{log.Handler(), &told{last: map[string]telling{}}})
}

type limiter struct {
	next slog.Handler
	told *told
}

func (l limiter) Enabled(ctx context.Context, level slog.Level) bool {
	return l.next.Enabled(ctx, level)
}

// Handle goes by the record's own time.
func (l limiter) Handle(ctx context.Context, r slog.Record) error {
	leftOut, tell := l.told.again(r.Message, r.Time)
	if !tell {
		return nil
	}
	if leftOut > 0 {
		r = r.Clone()
		r.AddAttrs(slog.Int("left_out", leftOut))
	}
	return l.next.Handle(ctx, r)
}

func (l limiter) WithAttrs(attrs []slog.Attr) slog.Handler {
	return limiter{l.next.WithAttrs(attrs), l.told}
}

func (l limiter) WithGroup(name string) slog.Handler { return limiter{l.next.WithGroup(name), l.told} }

// told is when each message was told last.
type told struct {
	mu   sync.Mutex
	last map[string]telling
}

type telling struct {
	at      time.Time
	leftOut int
}

// again reports whether the message is to be told, and how often it was left out
// before. A clock that went back leaves nothing out.
func (t *told) again(message string, at time.Time) (leftOut int, tell bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	last, known := t.last[message]
	if since := at.Sub(last.at); known && since >= 0 && since < repeatEvery {
		last.leftOut++
		t.last[message] = last
		return 0, false
	}
	if len(t.last) >= maxMessages {
		clear(t.last)
	}
	t.last[message] = telling{at: at}
	return last.leftOut, true
}
