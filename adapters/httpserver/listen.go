package httpserver

import (
	"cmp"
	"log/slog"
	"net/http"
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

// NewServer returns an http.Server for h with limits for the open internet, which
// net/http does not set: 5 s to read the headers, of at most 16 KiB, 15 s to read the
// request, 30 s from then to the end of the answer, and 1 min between the requests of a
// connection. Its fields may be changed before it serves. logger logs broken
// connections; nil: nothing is logged. A nil h is [errcodes.Configuration].
func NewServer(h http.Handler, logger *slog.Logger) (*http.Server, error) {
	if err := errcodes.NotNil("handler", h); err != nil { // net/http would serve its default mux, with pprof for example
		return nil, err
	}
	logger = cmp.Or(logger, slog.New(slog.DiscardHandler))
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
		// Without it net/http answers "OPTIONS *" itself, without a trace id.
		DisableGeneralOptionsHandler: true,
	}, nil
}
