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
	if x.charge != nil {
		x.charge.release()
	}
	took := s.cfg.Clock.Now().Sub(x.start)
	s.metrics.done(x.route, r.Method, x.status, took)
	if level := x.level(); s.cfg.Logger.Enabled(r.Context(), level) {
		s.cfg.Logger.LogAttrs(r.Context(), level, "request", x.attrs(r, took)...)
	}
}

// level returns Debug for strangers that are rejected because of a limit: they must not
// fill the log. The metrics count them.
func (x *exchange) level() slog.Level {
	code := errcodes.Of(x.err)
	limited := code == errcodes.TooManyRequests || errors.Is(x.err, errBusy)
	switch {
	case limited && x.client.ID == "":
		return slog.LevelDebug
	case x.stack != nil, x.status >= http.StatusInternalServerError && code != errcodes.Canceled:
		return slog.LevelError
	default:
		return slog.LevelInfo
	}
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
