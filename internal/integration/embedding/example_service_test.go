package embedding_test //nolint:testableexamples // it needs a database

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"os/signal"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/adapters/keyring"
	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/adapters/relay"
	"github.com/corridor-go/corridor/adapters/river"
	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ratelock"
	"github.com/corridor-go/corridor/report"
	"github.com/corridor-go/corridor/validation"
)

// brought are the embedder's parts: adapters of this module, or others.
type brought struct {
	feed       ports.PriceFeed
	terms      ratelock.Terms
	connectors []ports.AccountConnector
	keys       []keyring.Key      // keyring.Parse; the same in every process
	reports    report.Ports       // all except Reports; all processes share Files
	receiver   ports.EventSink    // adapters/webhook; the same in every process
	clients    clientauth.Clients // clientauth.OpenFile; its Run logs mistakes in new versions of the file
}

// embedded is one process of a service. Any number of them share a database.
type embedded struct {
	queue    *river.Queue
	store    *postgres.Store
	locks    *ratelock.Service
	accounts *validation.Service
	payments *authstate.Service
	reports  *report.Service
	events   *relay.Relay
	auth     *clientauth.Authenticator
}

func (e *embedded) open(ctx context.Context, pool *pgxpool.Pool) (err error) {
	e.queue, err = river.New(ctx, pool, &river.Config{
		Kinds: []string{validation.WorkRecover, authstate.WorkTimeout},
		Wake:  map[string]string{report.EventCreated: "reports"},
	})
	if err != nil {
		return err
	}
	e.store, err = postgres.New(ctx, pool, &postgres.Config{Hook: e.queue})
	return err
}

func (e *embedded) assemble(ctx context.Context, b brought) (err error) {
	if e.locks, err = ratelock.New(ratelock.Ports{Locks: e.store.RateLocks(), Feed: b.feed}, b.terms, nil); err != nil {
		return err
	}
	if err := keyring.Check(ctx, e.store.Secrets(), b.keys); err != nil { // before anything is sealed
		return err
	}
	sealer, err := keyring.New(b.keys, nil)
	if err != nil {
		return err
	}
	e.accounts, err = validation.New(validation.Ports{
		Validations: e.store.Validations(), Answers: e.store.Answers(), Work: e.store.Work(), Sealer: sealer,
		Connectors: b.connectors,
	}, validation.Policy{AnswerTTL: 24 * time.Hour, KeepFor: 30 * 24 * time.Hour}, nil)
	if err != nil {
		return err
	}
	e.payments, err = authstate.New(authstate.Ports{Transactions: e.store.Transactions(), Work: e.store.Work()}, authstate.Policy{}, nil)
	if err != nil {
		return err
	}
	fresh := make([]byte, 32)
	_, _ = rand.Read(fresh)
	links, err := e.store.Secrets().Secret(ctx, "report links", fresh) // created by the first process, for all
	if err != nil {
		return err
	}
	b.reports.Reports = e.store.Reports()
	e.reports, err = report.New(b.reports, report.Policy{SettleWithin: 72 * time.Hour}, &report.Config{LinkKey: links})
	if err != nil {
		return err
	}
	if e.events, err = relay.New(relay.Ports{Outbox: e.store.Outbox(), Sink: b.receiver}, relay.Policy{}, nil); err != nil {
		return err
	}
	e.auth, err = clientauth.New(clientauth.Ports{Clients: b.clients, Tokens: e.store.Tokens()}, nil)
	return err
}

// jobs are the same in every process; River runs each in one of them. The services' own
// Run is not called.
func (e *embedded) jobs() river.Jobs {
	return river.Jobs{
		Work: map[string]river.Tick{validation.WorkRecover: e.accounts.Tick, authstate.WorkTimeout: e.payments.Tick},
		Tickers: []river.Ticker{
			{Name: "rate_locks", Every: 5 * time.Second, Tick: e.locks.Sweep},
			{Name: "drift", Every: 2 * time.Second, Tick: e.locks.Drift, Stays: true}, // it remembers its previous observation
			{Name: "reports", Every: 10 * time.Second, Tick: e.reports.Tick, Timeout: report.DefaultMaxRun, AtOnce: 2},
			{Name: "events", Every: time.Second, Timeout: 5 * time.Minute, Tick: e.events.Tick},
			{Name: "tokens", Every: 10 * time.Minute, Tick: e.auth.Tick}, // purges expired ones
		},
	}
}

// handler serves the wire interface below /fx, together with the embedder's routes.
func (e *embedded) handler(mux *http.ServeMux) error {
	api, err := httpserver.New(e.auth, httpserver.Services{
		RateLocks: e.locks, Validations: e.accounts, Transactions: e.payments, Reports: e.reports,
	}, &httpserver.Config{
		PublicURL:  "https://pay.example/fx",                    // prefix of download links
		RemoteAddr: httpserver.ForwardedAddr("X-Forwarded-For"), // which the proxy of pay.example sets
		Checks: []httpserver.Check{
			{Name: "store", Run: func(ctx context.Context) (bool, error) { return false, e.store.Ping(ctx) }},
			{Name: "data keys", Run: func(context.Context) (bool, error) { return len(e.accounts.MissingKeys()) > 0, nil }},
		},
	})
	if err != nil {
		return err
	}
	mux.Handle("/fx/", http.StripPrefix("/fx", api))
	return nil
}

// serve serves requests until ctx is done, which SIGTERM causes. It then ends requests,
// the background jobs and lookups, in this order. Other processes resume lookups that
// have not finished.
func (e *embedded) serve(ctx context.Context, server *httpserver.Server) error {
	group, running := errgroup.WithContext(ctx)
	group.Go(func() error {
		if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	group.Go(func() error { return e.queue.Run(context.WithoutCancel(ctx), e.jobs()) }) // until Stop
	group.Go(func() error {
		<-running.Done()
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
		defer cancel()
		return errors.Join(server.Shutdown(late), e.queue.Stop(late), e.accounts.Stop(late), e.store.Close())
	})
	return group.Wait()
}

// The example is a whole service: every part of this module, in any number of processes.
// It needs a database, so it is only compiled.
func Example_service() {
	run := func(b brought) error {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		pool, err := pgxpool.New(ctx, "postgres://corridor@db/payments?pool_max_conns=16")
		if err != nil {
			return err
		}
		defer pool.Close()
		var e embedded
		if err := e.open(ctx, pool); err != nil {
			return err
		}
		if err := e.assemble(ctx, b); err != nil {
			return err
		}
		mux := http.NewServeMux()
		if err := e.handler(mux); err != nil {
			return err
		}
		server, err := httpserver.NewServer(mux, &httpserver.ServerConfig{
			MaxAddressConnections: httpserver.DefaultMaxConnections, // all come from the proxy
		})
		if err != nil {
			return err
		}
		server.Addr = ":8080"
		return e.serve(ctx, server)
	}
	_ = run
}
