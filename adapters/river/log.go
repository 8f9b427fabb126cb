package river

import (
	"context"
	"log/slog"
	"regexp"
)

// guarded returns River's logger. It drops records below Warn, and the texts of errors
// and panics, which may contain personal data. While the queue stops, failures are
// expected, so it logs them as warnings at most.
func guarded(log *slog.Logger, stopping func() bool) *slog.Logger {
	return slog.New(guard{log.Handler(), stopping})
}

type guard struct {
	next     slog.Handler
	stopping func() bool
}

// harmless contains the attributes of River's records that are logged.
var harmless = map[string]bool{
	"job_id": true, "kind": true, "job_kind": true, "queue": true, "client_id": true, "attempt": true,
	"duration": true, "timeout": true, "sleep_duration": true, "soft_stop_timeout": true, "num_jobs": true,
	"num_jobs_stuck": true, "version": true,
}

var stateForm = regexp.MustCompile(`SQLSTATE ([0-9A-Z]{5})`)

func (g guard) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && g.next.Enabled(ctx, level)
}

// Handle logs a record with its message, which is static: "Service: what went wrong".
func (g guard) Handle(ctx context.Context, r slog.Record) error {
	level := r.Level
	if g.stopping() {
		level = min(level, slog.LevelWarn)
	}
	kept := slog.NewRecord(r.Time, level, r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		kept.AddAttrs(safe(a)...)
		return true
	})
	return g.next.Handle(ctx, kept)
}

func safe(a slog.Attr) []slog.Attr {
	if harmless[a.Key] {
		return []slog.Attr{a}
	}
	if state := stateForm.FindStringSubmatch(a.Value.String()); state != nil {
		return []slog.Attr{slog.String("sqlstate", state[1])}
	}
	return nil
}

func (g guard) WithAttrs(attrs []slog.Attr) slog.Handler {
	kept := make([]slog.Attr, 0, len(attrs))
	for _, a := range attrs {
		kept = append(kept, safe(a)...)
	}
	return guard{g.next.WithAttrs(kept), g.stopping}
}

func (g guard) WithGroup(name string) slog.Handler { return guard{g.next.WithGroup(name), g.stopping} }
