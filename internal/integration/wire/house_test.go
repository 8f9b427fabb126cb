package wire_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/adapters/connector/sandbox"
	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/adapters/keyring"
	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
	"github.com/corridor-go/corridor/ratelock"
	"github.com/corridor-go/corridor/report"
	"github.com/corridor-go/corridor/validation"
	"github.com/corridor-go/corridor/validation/market"
)

var (
	usdZAR = ports.Pair{Base: "USD", Quote: "ZAR"}
	usdXOF = ports.Pair{Base: "USD", Quote: "XOF"} // offered, without a live price
)

// house is a whole installation, in which only external parts are fakes. All servers
// share them, like the store.
type house struct {
	*api

	feed      *fake.Feed
	connector ports.AccountConnector
	files     ports.ReportFiles
	linkKey   []byte
	rows      int         // number of transactions per day for reports
	time      ports.Clock // the api's clock, except in a bubble
	processes []*process
}

// process contains the parts of one server that are not in the store.
type process struct {
	clients  ports.ClientStore
	auth     *clientauth.Authenticator
	locks    *ratelock.Service
	accounts *validation.Service
	payments *authstate.Service
	reports  *report.Service
}

// newHouse opens a house on the place's store, configured by furnish. The tests' requests
// use the tokens tok-acme and tok-beta for the clients acme and beta.
func newHouse(t testing.TB, p place, cfg httpserver.Config, furnish ...func(*house)) *house {
	t.Helper()
	clock := portstest.NewClock(start)
	h := &house{
		api:  &api{t: t, clock: clock},
		feed: fake.NewFeed(clock.Now), files: fake.NewFiles(),
		linkKey: []byte(rand.Text() + rand.Text()), time: clock,
	}
	for _, f := range furnish {
		f(h)
	}
	if h.connector == nil {
		connector, err := sandbox.New(&sandbox.Config{Clock: h.time})
		require.NoError(t, err)
		h.connector = connector
	}
	h.feed.Set(usdZAR, "18.2500")
	h.feed.Offer(usdXOF, "600")
	h.feed.Drop(usdXOF)
	for _, store := range p.open(t, p.servers) {
		h.processes = append(h.processes, h.process(store))
	}
	for _, c := range []ports.Client{{ID: "acme", Merchants: []string{ports.AnyMerchant}}, {ID: "beta", Merchants: []string{betas}}} {
		c.Secrets = []ports.ClientSecret{{SHA256: clientauth.HashSecret("s3cret")}}
		require.NoError(t, h.processes[0].clients.PutClient(t.Context(), c, storemodel.AuditRow))
	}
	h.house, cfg.Clock = h, h.time
	h.serve(p, func(i int) (httpserver.Authenticator, httpserver.Services) {
		one := h.processes[i]
		return one.auth, httpserver.Services{RateLocks: one.locks, Validations: one.accounts, Transactions: one.payments, Reports: one.reports}
	}, cfg)
	return h
}

func (h *house) process(store records) *process {
	h.t.Helper()
	must := func(err error) { h.t.Helper(); require.NoError(h.t, err) }
	one := &process{clients: store.Clients()}
	var err error
	one.auth, err = clientauth.New(clientauth.Ports{Clients: store.Clients(), Tokens: store.Tokens()}, &clientauth.Config{Clock: h.time})
	must(err)
	one.locks, err = ratelock.New(ratelock.Ports{Locks: store.RateLocks(), Feed: h.feed},
		ratelock.Terms{MarkupBps: 150, Validity: 24 * time.Hour, ToleranceBps: 200}, &ratelock.Config{Clock: h.time})
	must(err)
	keys, err := keyring.New([]keyring.Key{{ID: "k", Secret: bytes.Repeat([]byte{7}, 32)}}, nil)
	must(err)
	one.accounts, err = validation.New(validation.Ports{
		Validations: store.Validations(), Answers: store.Answers(), Work: store.Work(), Sealer: keys,
		Connectors: []ports.AccountConnector{h.connector},
	}, validation.Policy{AnswerTTL: 24 * time.Hour}, &validation.Config{Clock: h.time})
	must(err)
	one.payments, err = authstate.New(authstate.Ports{Transactions: store.Transactions(), Work: store.Work()}, authstate.Policy{}, &authstate.Config{Clock: h.time})
	must(err)
	one.reports, err = report.New(report.Ports{
		Reports: store.Reports(), Transactions: fewRows(h.rows), Writers: []ports.ReportWriter{textWriter{}},
		Files: h.files, Scratch: fake.NewScratch(),
	}, report.Policy{}, &report.Config{Clock: h.time, LinkKey: h.linkKey})
	must(err)
	h.t.Cleanup(func() {
		for _, end := range []func(context.Context) error{one.locks.Stop, one.accounts.Stop, one.payments.Stop, one.reports.Stop} {
			require.NoError(h.t, end(context.Background()))
		}
	})
	return one
}

// next returns the process for the next direct call.
func (h *house) next() *process { return h.processes[h.turn.next("")] }

// turns assigns requests to servers: consecutive requests go to different servers, and so
// do consecutive requests of the same kind.
type turns struct {
	of   int
	mu   sync.Mutex
	last int
	took map[string]int // the last server of each kind of request
}

// next returns the server for a request; "" is a new kind.
func (t *turns) next(request string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	last, again := t.took[request]
	if !again {
		last = t.last
	}
	t.last = (last + 1) % t.of
	if request != "" {
		t.took[request] = t.last
	}
	return t.last
}

// balancer distributes requests to the servers.
type balancer struct {
	*turns

	servers []http.Handler
}

func (b balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.servers[b.next(r.Method+" "+r.RequestURI)].ServeHTTP(w, r)
}

// serve creates the place's servers, each with the result of furnish.
func (a *api) serve(p place, furnish func(i int) (httpserver.Authenticator, httpserver.Services), cfg httpserver.Config) {
	a.t.Helper()
	b := balancer{turns: &turns{of: p.servers, took: map[string]int{}}}
	// The tests send more requests than limits allow; the limits are tested in httpserver.
	cfg.RateLimit, cfg.AddressLimit = httpserver.NoLimit, httpserver.NoLimit
	for i := range p.servers {
		auth, services := furnish(i)
		server, err := httpserver.New(auth, services, &cfg)
		require.NoError(a.t, err)
		b.servers = append(b.servers, server)
	}
	a.h, a.turn, a.servers = b, b.turns, b.servers
	if p.servers == 1 {
		a.h = a.servers[0]
	}
}

// scripted creates the servers of a house whose services first follow the test's script
// and then work normally.
func (a *api) scripted(p place, cfg httpserver.Config) {
	a.t.Helper()
	h := newHouse(a.t, p, cfg)
	a.house, a.fixtures, a.clock, cfg.Clock = h, true, h.clock, h.clock
	a.serve(p, func(i int) (httpserver.Authenticator, httpserver.Services) {
		one := h.processes[i]
		return &scriptedAuth{a.auth, one.auth}, httpserver.Services{
			RateLocks: &scriptedLocks{a.locks, one.locks}, Validations: &scriptedValidations{a.validations, one.accounts},
			Transactions: one.payments, Reports: one.reports,
		}
	}, cfg)
}

type scriptedAuth struct {
	*auth

	real *clientauth.Authenticator
}

func (s *scriptedAuth) Issue(ctx context.Context, id, secret string) (string, time.Duration, error) {
	if s.panic != nil || s.err != nil {
		return s.auth.Issue(ctx, id, secret)
	}
	return s.real.Issue(ctx, id, secret)
}

func (s *scriptedAuth) Verify(ctx context.Context, id, secret string) (ports.Client, error) {
	if s.panic != nil || s.err != nil {
		return s.auth.Verify(ctx, id, secret)
	}
	return s.real.Verify(ctx, id, secret)
}

func (s *scriptedAuth) Revoke(ctx context.Context, clientID, token string) error {
	if s.err != nil {
		return s.err
	}
	return s.real.Revoke(ctx, clientID, token)
}

func (s *scriptedAuth) Active(ctx context.Context, clientID string, since time.Time) error {
	if s.err != nil {
		return s.err
	}
	return s.real.Active(ctx, clientID, since)
}

func (s *scriptedAuth) Authenticate(ctx context.Context, token string) (ports.Client, error) {
	if s.err != nil {
		return ports.Client{}, s.err
	}
	return s.real.Authenticate(ctx, token)
}

type scriptedLocks struct {
	*locks

	real *ratelock.Service
}

func (s *scriptedLocks) Create(ctx context.Context, owner string, pair ports.Pair) (ports.RateLock, bool, error) {
	if err := s.called(ctx, "create "+owner+" "+pair.String()); err != nil {
		return ports.RateLock{}, false, err
	}
	return s.real.Create(ctx, owner, pair)
}

func (s *scriptedLocks) Get(ctx context.Context, owner, id string) (ports.RateLock, error) {
	if err := s.called(ctx, "get "+owner+" "+id); err != nil {
		return ports.RateLock{}, err
	}
	return s.real.Get(ctx, owner, id)
}

func (s *scriptedLocks) Cancel(ctx context.Context, owner, id string) (ports.RateLock, error) {
	if err := s.called(ctx, "cancel "+owner+" "+id); err != nil {
		return ports.RateLock{}, err
	}
	return s.real.Cancel(ctx, owner, id)
}

type scriptedValidations struct {
	*validations

	real *validation.Service
}

func (s *scriptedValidations) Validate(ctx context.Context, owner string, req market.Request) (ports.Validation, error) {
	if _, err := s.validations.Validate(ctx, owner, req); err != nil {
		return ports.Validation{}, err
	}
	return s.real.Validate(ctx, owner, req)
}

func (s *scriptedValidations) Get(ctx context.Context, owner, id string) (ports.Validation, error) {
	if _, err := s.validations.Get(ctx, owner, id); err != nil && errcodes.Of(err) != errcodes.NotFound {
		return ports.Validation{}, err
	}
	return s.real.Get(ctx, owner, id)
}
