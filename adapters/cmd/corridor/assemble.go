package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/adapters/river"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ratelock"
	"github.com/corridor-go/corridor/validation"
)

// application is the service, wired and not yet started.
type application struct {
	server   *http.Server
	locks    *ratelock.Service
	accounts *validation.Service
	payments *payments
	reports  *reports
	events   *events
	auth     *clientauth.Authenticator
	queue    *river.Queue // of a store that has one

	driftEvery time.Duration
	greet      greeting
	close      func() error
}

// assemble wires the settings into an application. What it opened is closed
// again when a later part is refused.
func (c *serveCmd) assemble(ctx context.Context, links string, log *slog.Logger) (*application, error) {
	count := newCounters()
	accounts, err := c.Accounts.open(c.Sandbox, os.Getenv, count, log)
	if err != nil {
		return nil, err
	}
	if err := c.terms().Check(); err != nil {
		return nil, err
	}
	feed, err := openFeeds(ctx, c.Feed, c.Sandbox, c.MaxPriceAge, log)
	if err != nil {
		return nil, err
	}
	clients, err := c.clients(log)
	if err != nil {
		return nil, err
	}
	// Behind all that needs no store: what is refused before has touched none.
	store, err := openShared(ctx, c.Store, count, log)
	if err != nil {
		return nil, err
	}
	app, err := c.wire(ctx, store, feed, clients, accounts, links, log)
	if err != nil {
		return nil, errors.Join(err, store.close())
	}
	return app, nil
}

// wire puts the application together on an open store.
func (c *serveCmd) wire(
	ctx context.Context, store *store, feed *feed, clients ports.ClientReader, parts *accounts, links string, log *slog.Logger,
) (*application, error) {
	introduce := nobody
	if clients == nil {
		clients, introduce = store.Clients(), introduceSandbox(store)
	}
	auth, err := clientauth.New(clients, store.Tokens(), nil)
	if err != nil {
		return nil, err
	}
	count := parts.count
	locks, err := c.rateLocks(store, feed, count, log)
	if err != nil {
		return nil, err
	}
	accounts, err := parts.service(ctx, store, log)
	if err != nil {
		return nil, err
	}
	payments, err := c.payments(store, count, log)
	if err != nil {
		return nil, err
	}
	made, err := c.Reports.open(ctx, store, c.Sandbox, count, log)
	if err != nil {
		return nil, err
	}
	events, err := c.Events.open(ctx, store, c.Sandbox, count, log)
	if err != nil {
		return nil, err
	}
	server, err := newServer(auth, httpserver.Services{
		RateLocks: locks, Validations: accounts, Transactions: payments.reader, Reports: made.reader(),
	}, &httpserver.Config{
		PublicURL: links, RemoteAddr: c.remoteAddr(),
		Logger: log, Metrics: count.registry, RateLimit: c.RateLimit, Checks: []httpserver.Check{store.check, feed.check},
	})
	if err != nil {
		return nil, err
	}
	// Last: a start that is refused must not push out a secret in use.
	greet, err := introduce(ctx)
	if err != nil {
		return nil, err
	}
	return &application{
		server: server, locks: locks, accounts: accounts, payments: payments, reports: made,
		events: events, auth: auth, queue: store.queue, driftEvery: c.DriftEvery,
		greet: func(out io.Writer, url string) { greet(out, url); events.greet(out, url) },
		close: func() error { return errors.Join(events.close(), made.close(), store.close()) },
	}, nil
}

func (c *serveCmd) terms() ratelock.Terms {
	return ratelock.Terms{MarkupBps: c.MarkupBps, Validity: c.LockValidity, ToleranceBps: c.DriftToleranceBps}
}

func (c *serveCmd) rateLocks(store *store, feed *feed, count *counters, log *slog.Logger) (*ratelock.Service, error) {
	return ratelock.New(store.RateLocks(), feed.feed, c.terms(), &ratelock.Config{
		Logger: log, Hooks: count.hooks(), MaxPriceAge: c.MaxPriceAge, Every: c.DriftEvery,
	})
}

func newServer(auth *clientauth.Authenticator, services httpserver.Services, cfg *httpserver.Config) (*http.Server, error) {
	handler, err := httpserver.New(auth, services, cfg)
	if err != nil {
		return nil, err
	}
	return httpserver.NewServer(handler, &httpserver.ServerConfig{Logger: cfg.Logger})
}
