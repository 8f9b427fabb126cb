package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/ratelock"
)

// builder opens the parts that the settings name, and closes them again if a later one
// fails.
type builder struct {
	ctx      context.Context //nolint:containedctx // one builder makes one service
	settings *Settings
	parts    Parts
	count    *counters
	log      *slog.Logger

	store   *Store
	closers []func() error
}

func newBuilder(ctx context.Context, settings *Settings, parts Parts, log *slog.Logger) *builder {
	return &builder{ctx: ctx, settings: settings, parts: parts, count: newCounters(), log: log}
}

// closes adds a function that close calls.
func (b *builder) closes(fn func() error) { b.closers = append(b.closers, fn) }

// close closes the opened parts, the last one first. A second call does nothing.
func (b *builder) close() error {
	var failed []error
	for _, closer := range slices.Backward(b.closers) {
		failed = append(failed, closer())
	}
	b.closers = nil
	return errors.Join(failed...)
}

// use sets the store for the following parts.
func (b *builder) use(s *Store) {
	b.store = s
	b.closes(s.Close)
}

// service builds the service. It opens the listener first, then the parts that need no
// store, and the store last, so that a start that fails before has not touched the store.
func (b *builder) service() (*Service, error) {
	if err := b.settings.Validate(); err != nil {
		return nil, err
	}
	listener, err := new(net.ListenConfig).Listen(b.ctx, "tcp", b.settings.Listen)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: %w", b.settings.Listen, err)
	}
	b.closes(func() error {
		if err := listener.Close(); !errors.Is(err, net.ErrClosed) { // a stop may have closed it already
			return err
		}
		return nil
	})
	parts, err := b.openAccounts()
	if err != nil {
		return nil, err
	}
	if err := b.settings.terms().Check(); err != nil {
		return nil, err
	}
	feed, err := b.openFeeds()
	if err != nil {
		return nil, err
	}
	clients, err := b.clients()
	if err != nil {
		return nil, err
	}
	store, err := b.openShared()
	if err != nil {
		return nil, err
	}
	b.use(store)
	s, err := b.wire(listener, parts, feed, clients)
	if err == nil {
		b.warnOfMarkets(parts.connectors)
		for _, line := range b.unsafe(listener.Addr()) {
			b.log.Warn("unsafe: " + line)
		}
	}
	return s, err
}

// wire builds the service on the open store.
func (b *builder) wire(listener net.Listener, parts *accounts, feed *feed, clients clientauth.Clients) (*Service, error) {
	introduce := clients == nil
	if introduce {
		clients = b.store.Clients()
	}
	auth, err := clientauth.New(clientauth.Ports{Clients: clients, Tokens: b.store.Tokens()}, &clientauth.Config{
		TokenLifetime: b.settings.TokenLifetime, Logger: b.log, Hooks: clientauth.Hooks{Background: b.count.backgroundFailed},
	})
	if err != nil {
		return nil, err
	}
	s := &Service{
		listener: listener, links: b.settings.publicURL(listener.Addr()), log: b.log,
		auth: auth, queue: b.store.queue, driftEvery: b.settings.DriftEvery, close: b.close,
	}
	s.clients, _ = clients.(*clientauth.File)
	if err := b.services(s, parts, feed); err != nil {
		return nil, err
	}
	if err := b.server(s, feed); err != nil {
		return nil, err
	}
	if err := b.checkKeys(parts); err != nil {
		return nil, err
	}
	s.greet = s.events.greet
	if !introduce {
		return s, nil
	}
	// This must be last: a start that fails must not replace a secret that is in use.
	greet, err := introduceSandbox(b.ctx, b.store, examplePair(b.ctx, feed.feed))
	s.greet = func(out io.Writer, url string) { greet(out, url); s.events.greet(out, url) }
	return s, err
}

// services builds the domain services and the parts that run in the background.
func (b *builder) services(s *Service, parts *accounts, feed *feed) (err error) {
	if s.locks, err = b.rateLocks(feed); err != nil {
		return err
	}
	if s.accounts, err = b.validations(parts); err != nil {
		return err
	}
	if s.payments, err = b.payments(); err != nil {
		return err
	}
	if s.reports, err = b.reports(); err != nil {
		return err
	}
	s.events, err = b.events()
	return err
}

func (b *builder) rateLocks(feed *feed) (*ratelock.Service, error) {
	return ratelock.New(ratelock.Ports{Locks: b.store.RateLocks(), Feed: feed.feed}, b.settings.terms(), &ratelock.Config{
		Logger: b.log, Hooks: b.count.hooks(), MaxPriceAge: b.settings.maxPriceAge(), Every: b.settings.DriftEvery,
	})
}

func (b *builder) server(s *Service, feed *feed) error {
	services := httpserver.Services{RateLocks: s.locks, Validations: s.accounts, Transactions: s.payments.reader}
	if s.reports != nil {
		services.Reports = s.reports
	}
	cfg := &httpserver.Config{
		PublicURL: s.links, RemoteAddr: b.settings.remoteAddr(), Logger: b.log, Metrics: b.count.registry,
		Checks: append([]httpserver.Check{b.store.check(), feed.check, keysCheck(s.accounts)}, s.events.checks()...),
	}
	b.settings.Limits.handler(cfg)
	handler, err := httpserver.New(s.auth, services, cfg)
	if err != nil {
		return err
	}
	bounds := b.settings.Limits.server(b.settings.AddrHeader != "")
	bounds.Logger, bounds.Metrics = b.log, b.count.registry
	s.server, err = httpserver.NewServer(handler, bounds)
	return err
}
