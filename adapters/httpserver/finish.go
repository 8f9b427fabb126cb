package httpserver

import (
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

// recoverPanic answers a panic with a 500 and its trace id. If the answer is already
// started, it closes the connection.
func (x *exchange) recoverPanic() {
	v := recover()
	if v == nil {
		return
	}
	if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(v)
	}
	begun := x.status != 0
	x.stack = debug.Stack()
	x.err = errcodes.Panicked(errcodes.Internal, v)
	if begun {
		panic(http.ErrAbortHandler)
	}
	x.fail(x.err)
}

func (s *server) finish(x *exchange, r *http.Request) {
	x.cancel()
	took := s.cfg.Clock.Now().Sub(x.start)
	s.metrics.done(x.route, r.Method, x.status, took)
	if level := x.level(); s.cfg.Logger.Enabled(r.Context(), level) {
		s.cfg.Logger.LogAttrs(r.Context(), level, "request", x.attrs(r, took)...)
	}
}

func (x *exchange) level() slog.Level {
	gone := errcodes.Of(x.err) == errcodes.Canceled
	if x.stack != nil || x.status >= http.StatusInternalServerError && !gone {
		return slog.LevelError
	}
	return slog.LevelInfo
}

func (x *exchange) attrs(r *http.Request, took time.Duration) []slog.Attr {
	attrs := append(make([]slog.Attr, 0, 9),
		slog.String(traceAttr, x.trace),
		slog.String("method", method(r.Method)),
		slog.String("route", x.route),
		slog.Int("status", x.status),
		slog.Duration("duration", took))
	if x.client.ID != "" {
		attrs = append(attrs, slog.String("client", x.client.ID))
	}
	if x.err != nil {
		attrs = append(attrs, slog.String("code", string(errcodes.Of(x.err))))
	}
	if x.err != nil && x.level() == slog.LevelError {
		attrs = append(attrs, slog.String("error", x.err.Error()))
	}
	if x.stack != nil {
		attrs = append(attrs, slog.String("stack", string(x.stack)))
	}
	return attrs
}
