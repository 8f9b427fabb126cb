package httpserver

import (
	"context"
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
	if x.charge != nil {
		x.charge.release()
	}
	took := s.cfg.Clock.Now().Sub(x.start)
	s.metrics.done(x.route, r.Method, x.status, took)
	if level := s.level(x, r); s.cfg.Logger.Enabled(r.Context(), level) {
		s.cfg.Logger.LogAttrs(r.Context(), level, "request", x.attrs(r, took)...)
	}
}

// level returns the level of the line for a request. Requests of strangers must not fill
// the log: probes that succeed, requests that a limit rejects and those whose client has
// gone are logged at Debug, and of the others a few each second at their own level. The
// metrics count them all.
func (s *server) level(x *exchange, r *http.Request) slog.Level {
	level, code := slog.LevelInfo, errcodes.Of(x.err)
	switch {
	case x.stack != nil:
		return slog.LevelError
	case x.failed():
		level = slog.LevelError
	}
	if x.known || x.client.ID != "" {
		return level
	}
	lines := s.lines
	if level == slog.LevelError {
		lines = s.errors
	}
	limited := code == errcodes.TooManyRequests || errors.Is(x.err, errBusy)
	gone := errors.Is(x.err, context.Canceled) || level == slog.LevelInfo && r.Context().Err() != nil
	if limited || gone || x.err == nil && probe(r.URL.Path) || !lines.AllowN(s.cfg.Clock.Now(), 1) {
		return slog.LevelDebug
	}
	return level
}

// failed reports whether the server failed, rather than that the client has gone.
func (x *exchange) failed() bool {
	return x.status >= http.StatusInternalServerError && errcodes.Of(x.err) != errcodes.Canceled
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
	if x.err != nil && x.failed() {
		attrs = append(attrs, slog.String("error", x.err.Error()))
	}
	if x.stack != nil {
		attrs = append(attrs, slog.String("stack", string(x.stack)))
	}
	return attrs
}
