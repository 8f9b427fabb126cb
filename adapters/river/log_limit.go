package river

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	repeatEvery = time.Minute
	maxMessages = 1_000 // in memory; River has a few dozen
)

// limited returns a logger that logs a message at once and repeats of it once a minute,
// with the number of records left out: while the database is unreachable, River's
// services fail ten times a second.
func limited(log *slog.Logger) *slog.Logger {
	return slog.New(limiter{log.Handler(), &seen{last: map[string]logged{}}})
}

type limiter struct {
	slog.Handler

	seen *seen
}

// Handle logs the record if its message is due at the record's time.
func (l limiter) Handle(ctx context.Context, r slog.Record) error {
	leftOut, due := l.seen.add(r.Message, r.Time)
	if !due {
		return nil
	}
	if leftOut > 0 {
		r = r.Clone()
		r.AddAttrs(slog.Int("left_out", leftOut))
	}
	return l.Handler.Handle(ctx, r)
}

func (l limiter) WithAttrs(attrs []slog.Attr) slog.Handler {
	return limiter{l.Handler.WithAttrs(attrs), l.seen}
}

func (l limiter) WithGroup(name string) slog.Handler {
	return limiter{l.Handler.WithGroup(name), l.seen}
}

// seen contains when each message was last logged.
type seen struct {
	mu   sync.Mutex
	last map[string]logged
}

type logged struct {
	at      time.Time
	leftOut int
}

// add reports whether to log the message and how often it was left out before. If the
// clock went back, it is logged.
func (s *seen) add(message string, at time.Time) (leftOut int, due bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last, known := s.last[message]
	if since := at.Sub(last.at); known && since >= 0 && since < repeatEvery {
		last.leftOut++
		s.last[message] = last
		return 0, false
	}
	if len(s.last) >= maxMessages {
		clear(s.last)
	}
	s.last[message] = logged{at: at}
	return last.leftOut, true
}
