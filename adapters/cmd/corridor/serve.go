package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/corridor-go/corridor/adapters/httpserver"
)

const (
	drainTimeout = 7 * time.Second // for requests in flight; the rest of 10 s is for the background and the store
	stopTimeout  = 1500 * time.Millisecond

	// slowStopTimeout is for the background when requests have left the time: a
	// busy database takes a while to hear what is given back.
	slowStopTimeout = 5 * time.Second
)

// serveCmd is the service's settings; each default is in its tag.
type serveCmd struct {
	Listen            string        `default:"127.0.0.1:8080"     env:"CORRIDOR_LISTEN"                                                                  help:"Address to listen on."`
	PublicURL         string        `env:"CORRIDOR_PUBLIC_URL"    help:"Base of links; default http://LISTEN."                                           name:"public-url"`
	Sandbox           bool          `env:"CORRIDOR_SANDBOX"       help:"Sandbox rates and accounts, and a client of its own, where nothing else is set."`
	Store             string        `default:"sqlite:corridor.db" env:"CORRIDOR_STORE"                                                                   help:"memory:, sqlite:PATH or postgres://…"`
	Feed              []string      `env:"CORRIDOR_FEED"          help:"file:PATH or ecb:URL-or-PATH; several are asked in order."                       sep:","`
	MarkupBps         int           `default:"150"                env:"CORRIDOR_MARKUP_BPS"                                                              help:"Markup over the mid, in basis points."`
	LockValidity      time.Duration `default:"24h"                env:"CORRIDOR_LOCK_VALIDITY"                                                           help:"Life of a lock, 1s to 168h."`
	DriftToleranceBps int           `default:"200"                env:"CORRIDOR_DRIFT_TOLERANCE_BPS"                                                     help:"A mid further away than this cancels the lock."`
	DriftEvery        time.Duration `default:"2s"                 env:"CORRIDOR_DRIFT_EVERY"                                                             help:"Pause between two looks at the market; on PostgreSQL 1s to 24h."`
	MaxPriceAge       time.Duration `default:"96h"                env:"CORRIDOR_MAX_PRICE_AGE"                                                           help:"An older price is no live price."`

	Accounts validationSettings `embed:""`
	Events   eventSettings      `embed:""`
	Reports  reportSettings     `embed:""`

	ClientsFile string     `env:"CORRIDOR_CLIENTS_FILE"       help:"JSON file of clients, read again when it changes; a broken one changes nothing."                   type:"path"`
	RateLimit   float64    `env:"CORRIDOR_RATE_LIMIT"         help:"Requests a second for a client; 0 is off."`
	AddrHeader  string     `env:"CORRIDOR_CLIENT_ADDR_HEADER" help:"Header in which a proxy in front says who asks, such as X-Forwarded-For; the last address counts." name:"client-addr-header"`
	LogLevel    slog.Level `default:"INFO"                    env:"CORRIDOR_LOG_LEVEL"                                                                                 help:"DEBUG, INFO, WARN or ERROR."`
}

// Help tells of what is set in the environment alone: a command line is seen by
// every user of the machine.
func (c *serveCmd) Help() string {
	return `In the environment alone, since a command line is seen by every user of the machine (and CORRIDOR_STORE, when its URL has
a password):
  CORRIDOR_CLIENTS      clients to try out with: id:secret,id:secret
  CORRIDOR_DATA_KEYS    keys that seal personal data: keyid:base64,… of 32 bytes each; the first seals,
                        all open. To replace a by b: a, then a,b everywhere, then b,a, then b.
                        Without it a key is made and kept in the store.
  CORRIDOR_WEBHOOK_SECRETS
                        what webhooks are signed with: whsec_base64,… of 24 to 64 bytes each; all sign. To
                        replace a by b: a, then a,b, tell the receivers b, then b. The sandbox makes one.
  CORRIDOR_URL_KEY      what download links are signed with, 32 bytes or more; shared by all processes.
                        Without it a key is made and kept in the store.
  CORRIDOR_PAYSTACK_SECRET_KEY, CORRIDOR_FLUTTERWAVE_SECRET_KEY, CORRIDOR_MTNMOMO_SUBSCRIPTION_KEY,
  CORRIDOR_MTNMOMO_API_USER, CORRIDOR_MTNMOMO_API_KEY, CORRIDOR_MTNMOMO_TARGET_ENVIRONMENT
                        credentials of the connectors`
}

// Validate refuses pauses and ages that are none, before anything is opened.
// Further down zero means the default; who writes it means something else.
func (c *serveCmd) Validate() error {
	switch {
	case c.DriftEvery <= 0:
		return fmt.Errorf("--drift-every must be above 0, not %s", c.DriftEvery)
	case c.MaxPriceAge <= 0:
		return fmt.Errorf("--max-price-age must be above 0, not %s", c.MaxPriceAge)
	case !(c.RateLimit >= 0 && c.RateLimit <= httpserver.MaxRateLimit): // NaN is neither
		return fmt.Errorf("--rate-limit must be 0 to %.0f, not %v", httpserver.MaxRateLimit, c.RateLimit)
	case strings.Trim(c.AddrHeader, "-ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") != "":
		return fmt.Errorf("--client-addr-header must be a header's name, not %q", c.AddrHeader)
	case c.PublicURL != "" && !httpserver.IsPublicURL(base(c.PublicURL)):
		return errors.New("--public-url must be an http or https address, with no user, query or fragment")
	default:
		return c.Accounts.check()
	}
}

// base is --public-url as links need it.
func base(publicURL string) string { return strings.TrimRight(publicURL, "/") }

// Run serves until the context of the world ends, or it cannot go on.
func (c *serveCmd) Run(world *surroundings) error {
	log := slog.New(httpserver.LogHandler(slog.NewTextHandler(world.stderr, &slog.HandlerOptions{Level: c.LogLevel})))
	// The address first: a start that is refused for it has touched no store.
	listener, err := new(net.ListenConfig).Listen(world.ctx, "tcp", c.Listen)
	if err != nil {
		return rejected{err}
	}
	links := c.publicURL(listener.Addr())
	app, err := c.assemble(world.ctx, links, log)
	if err != nil {
		return rejected{errors.Join(err, listener.Close())}
	}
	defer func() {
		if err := app.close(); err != nil {
			log.Error("store not closed cleanly", "error", err)
		}
	}()
	return app.serve(world.ctx.Done(), listener, log, func() {
		_, _ = fmt.Fprintf(world.stderr, "listening on http://%s\n", listener.Addr())
		app.greet(world.stdout, links)
	})
}

// serve serves until the stop, or a loop beside the requests ends by itself: a
// process that no longer ends locks or delivers events is replaced by a whole one.
func (a *application) serve(stop <-chan struct{}, listener net.Listener, log *slog.Logger, greet func()) error {
	served := make(chan error, 1)
	var arriving arrivals
	a.server.ConnState = arriving.changed
	go func() { served <- a.server.Serve(listener) }()
	background := a.start(log)
	greet()

	var broken error
	select {
	case err := <-served:
		return errors.Join(err, background.stop(stopTimeout))
	case broken = <-background.broken:
	case <-stop:
	}
	log.Info("stopping: no new connections, requests in flight go on")
	began := time.Now()
	err := errors.Join(broken, listener.Close())
	ended := <-served
	arriving.heard()
	err = errors.Join(err, drain(a.server))
	left := max(stopTimeout, min(slowStopTimeout, drainTimeout-time.Since(began)))
	if !errors.Is(ended, net.ErrClosed) {
		err = errors.Join(err, ended)
	}
	return errors.Join(err, background.stop(left))
}

// remoteAddr finds who asks, by the connection where no header is set.
func (c *serveCmd) remoteAddr() func(*http.Request) string {
	if c.AddrHeader == "" {
		return nil
	}
	return httpserver.ForwardedAddr(c.AddrHeader)
}

// publicURL is the base of links.
func (c *serveCmd) publicURL(bound net.Addr) string {
	if c.PublicURL != "" {
		return base(c.PublicURL)
	}
	return "http://" + bound.String()
}

// drain waits for the requests in flight, then cuts what is left.
func drain(server *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("requests were cut off: %w", err), server.Close())
	}
	return nil
}
