package httpserver

import (
	"context"
	"log/slog"
)

const traceAttr = "trace_id"

// LogHandler returns a slog.Handler that adds the trace id of the context to each
// record for h, so that the log of a service shows the request.
func LogHandler(h slog.Handler) slog.Handler { return traceHandler{h} }

type traceHandler struct{ slog.Handler }

func (h traceHandler) Handle(ctx context.Context, r slog.Record) error {
	if trace := TraceID(ctx); trace != "" {
		r = r.Clone()
		r.AddAttrs(slog.String(traceAttr, trace))
	}
	return h.Handler.Handle(ctx, r)
}

func (h traceHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return traceHandler{h.Handler.WithAttrs(attrs)}
}

func (h traceHandler) WithGroup(name string) slog.Handler {
	return traceHandler{h.Handler.WithGroup(name)}
}
