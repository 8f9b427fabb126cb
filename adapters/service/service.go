package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/adapters/river"
	"github.com/corridor-go/corridor/ratelock"
	"github.com/corridor-go/corridor/report"
	"github.com/corridor-go/corridor/validation"
)

// Service is the configured service with an open listener.
type Service struct {
	listener net.Listener
	server   *httpserver.Server
	locks    *ratelock.Service
	accounts *validation.Service
	payments *payments
	reports  *report.Service // may be nil
	events   *events
	auth     *clientauth.Authenticator
	queue    *river.Queue     // nil unless the store has one
	clients  *clientauth.File // nil without --clients-file

	driftEvery     time.Duration
	log            *slog.Logger
	stdout, stderr io.Writer
	links          string
	greet          greeting
	close          func() error
}

// Config contains the outputs of a service.
type Config struct {
	Stdout io.Writer // receives the greeting of the sandbox; nil means [os.Stdout]
	Stderr io.Writer // receives the log and the listening address; nil means [os.Stderr]
}

// Rejected marks an error after which nothing was started, such as a wrong setting, file
// or address. Commands exit with status 2.
type Rejected struct{ error }

// Unwrap returns the underlying error.
func (r Rejected) Unwrap() error { return r.error }

// Reject returns err as [Rejected].
func Reject(err error) Rejected { return Rejected{err} }

// New opens the listener and the parts that the settings name, without starting them. Its
// errors are [Rejected], and everything is closed again. A caller that does not call
// Serve must call Close. settings is not changed, and must not be changed while the
// service is in use.
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

// Addr returns the address that the service listens on.
func (s *Service) Addr() net.Addr { return s.listener.Addr() }

// Serve serves until ctx is done or the service cannot continue. It then stops and closes
// the service within 10 s; see the package comment. The error is what failed or was cut
// off. Without an error it prints "stopped" when everything is closed.
func (s *Service) Serve(ctx context.Context) error {
	err := s.run(ctx)
	closing := s.Close()
	switch {
	case closing != nil:
		s.log.Error("cannot close the service", "error", closing)
	case err == nil:
		_, _ = fmt.Fprintln(s.stderr, "stopped")
	}
	return err
}

func (s *Service) run(ctx context.Context) error {
	return s.serve(ctx.Done(), func() { //nolint:contextcheck // the end of ctx starts the stop, and the background stops after the requests
		_, _ = fmt.Fprintf(s.stderr, "listening on http://%s\n", s.listener.Addr())
		s.greet(s.stdout, s.links)
	})
}

// Close closes everything that New has opened. It does nothing after Serve.
func (s *Service) Close() error { return s.close() }
