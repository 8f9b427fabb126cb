package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/adapters/river"
	"github.com/corridor-go/corridor/ratelock"
	"github.com/corridor-go/corridor/report"
	"github.com/corridor-go/corridor/validation"
)

// Service is the service, wired, on an open listener.
type Service struct {
	listener net.Listener
	server   *http.Server
	locks    *ratelock.Service
	accounts *validation.Service
	payments *payments
	reports  *report.Service // nil: none
	events   *events
	auth     *clientauth.Authenticator
	queue    *river.Queue // of a store that has one

	driftEvery     time.Duration
	log            *slog.Logger
	stdout, stderr io.Writer
	links          string
	greet          greeting
	close          func() error
}

// Config is what a service writes to.
type Config struct {
	Stdout io.Writer // the greeting of the sandbox; nil: [os.Stdout]
	Stderr io.Writer // the log, and the address when the service listens; nil: [os.Stderr]
}

// Rejected marks an error after which nothing was started: a setting, a file or
// an address is wrong. A command ends with exit status 2.
type Rejected struct{ error }

// Unwrap returns the error itself.
func (r Rejected) Unwrap() error { return r.error }

// Reject marks an error as one after which nothing was started.
func Reject(err error) Rejected { return Rejected{err} }

// New opens the listener and all that the settings name, and starts nothing yet.
// An error is [Rejected], and what was opened before it is closed again. A caller
// that does not call Serve must call Close. settings is not changed, and must stay
// as it is while the service lives.
func New(ctx context.Context, settings *Settings, parts Parts, cfg *Config) (*Service, error) {
	c := *cmp.Or(cfg, &Config{})
	stdout, stderr := cmp.Or(c.Stdout, io.Writer(os.Stdout)), cmp.Or(c.Stderr, io.Writer(os.Stderr))
	log := slog.New(httpserver.LogHandler(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: settings.LogLevel})))
	b := newBuilder(ctx, settings, parts, log)
	s, err := b.service()
	if err != nil {
		return nil, Rejected{errors.Join(err, b.close())}
	}
	s.stdout, s.stderr = stdout, stderr
	return s, nil
}

// Addr is the address that the service listens on.
func (s *Service) Addr() net.Addr { return s.listener.Addr() }

// Serve serves until ctx is done, or the service cannot go on. It then stops and
// closes the service, within 10 s; see the package comment. The error says what
// broke, or what was cut off.
func (s *Service) Serve(ctx context.Context) error {
	defer func() {
		if err := s.Close(); err != nil {
			s.log.Error("store not closed cleanly", "error", err)
		}
	}()
	return s.serve(ctx.Done(), func() { //nolint:contextcheck // the end of ctx begins the stop, and the background stops after the requests
		_, _ = fmt.Fprintf(s.stderr, "listening on http://%s\n", s.listener.Addr())
		s.greet(s.stdout, s.links)
	})
}

// Close closes what New has opened. After Serve it does nothing.
func (s *Service) Close() error { return s.close() }
