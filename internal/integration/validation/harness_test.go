package validation_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/keyring"
	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/validation"
	"github.com/corridor-go/corridor/validation/market"
)

var (
	noon     = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	nigeria  = ports.Market{Country: "NGA", Type: ports.BankAccount}
	egypt    = ports.Market{Country: "EGY", Type: ports.BankAccount}
	kenya    = ports.Market{Country: "KEN", Type: ports.MobileMoney}
	found    = ports.Answer{Kind: ports.OutcomeFound, HolderName: "AMA SERWAA MENSAH", Message: "resolved"}
	notFound = ports.Answer{Kind: ports.OutcomeNotFound, Code: "unknown", Message: "no such account at the bank"}
	day      = validation.Policy{AnswerTTL: 24 * time.Hour}
)

const (
	merchant = "7f2f6f0e-4b1e-4c7e-9d58-0d5a3c1d2e3f"
	owner    = "acme"
)

// request returns a valid request, whose number and name are the canaries of the tests.
func request() market.Request {
	return market.Request{
		MerchantID: merchant, Country: "NGA", AccountType: "bank_account", AccountIdentifier: "0690000032", BankCode: "044",
	}
}

func named(name string) market.Request {
	r := request()
	r.AccountHolderName = name
	return r
}

// storage is the part of a store that the tests need.
type storage interface {
	Validations() ports.ValidationStore
	Answers() ports.AnswerCache
	Work() ports.Work
	Outbox() ports.Outbox
	Close() error
}

func TestMain(m *testing.M) {
	// .ci/full makes more checks.
	if err := flag.Set("rapid.checks", "40"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// storages opens each store for the tests.
var storages = map[string]func(tb testing.TB) storage{
	"memory": func(tb testing.TB) storage {
		tb.Helper()
		s, err := memory.New(nil)
		require.NoError(tb, err)
		return s
	},
	"sqlite": func(tb testing.TB) storage {
		tb.Helper()
		path := tb.TempDir() + "/validations.db"
		data, err := emptyFile()
		require.NoError(tb, err)
		require.NoError(tb, os.WriteFile(path, data, 0o600))
		s, err := sqlite.Open(tb.Context(), path, nil)
		require.NoError(tb, err)
		tb.Cleanup(func() { require.NoError(tb, s.Close()) })
		return s
	},
}

// emptyFile returns a file of SQLite that has its tables: creating them is most of the
// time of a small test.
var emptyFile = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "corridor")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "validations.db")
	if err := sqlite.Migrate(context.Background(), path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func onEachStore(t *testing.T, test func(t *testing.T, store storage)) {
	t.Helper()
	for name, open := range storages {
		inBubble(t, name, func(t *testing.T) { test(t, open(t)) })
	}
}

// inBubble runs a test in a synctest bubble, which detects that all goroutines wait, so
// the speed of the machine does not matter.
func inBubble(t *testing.T, name string, test func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}

func sealer(tb testing.TB) ports.Sealer {
	tb.Helper()
	k, err := keyring.New([]keyring.Key{{ID: "k1", Secret: bytes.Repeat([]byte{1}, 32)}}, nil)
	require.NoError(tb, err)
	return k
}

// bench is a service with its ports on a clock that the test moves.
type bench struct {
	testing.TB
	clock   *portstest.Clock
	store   storage
	first   *fake.Connector
	second  *fake.Connector
	sealer  ports.Sealer
	service *validation.Service

	mu   sync.Mutex
	late []string
	errs []error
}

var reaching = []ports.Capability{
	{Market: nigeria, ReturnsName: true},
	{Market: egypt, ReturnsName: true},
	{Market: kenya, ReturnsName: true},
	{Market: ports.Market{Country: "ZAF", Type: ports.BankAccount}, ReturnsName: true},
}

func newBench(tb testing.TB, store storage) *bench {
	tb.Helper()
	b := &bench{TB: tb, clock: portstest.NewClock(noon), store: store, sealer: sealer(tb)}
	b.first = fake.NewConnector("first", reaching)
	b.second = fake.NewConnector("second", reaching)
	b.first.Answer(found)
	b.second.Answer(found)
	b.service = b.open(day, b.first, b.second)
	return b
}

// open returns a service on the bench's store and clock, like that of another process.
func (b *bench) open(policy validation.Policy, connectors ...ports.AccountConnector) *validation.Service {
	b.Helper()
	s, err := validation.New(b.ports(connectors...), policy, b.config())
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, s.Stop(context.Background())) })
	return s
}

func (b *bench) ports(connectors ...ports.AccountConnector) validation.Ports {
	return validation.Ports{
		Validations: b.store.Validations(), Answers: b.store.Answers(), Work: b.store.Work(), Sealer: b.sealer,
		Connectors: connectors,
	}
}

func (b *bench) config() *validation.Config {
	return &validation.Config{Clock: b.clock, Hooks: validation.Hooks{
		Late: func(_ context.Context, c string) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.late = append(b.late, c)
		},
		Background: func(_ context.Context, err error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.errs = append(b.errs, err)
		},
	}}
}

// validate requires a validation without an error.
func (b *bench) validate(req market.Request) ports.Validation {
	b.Helper()
	v, err := b.service.Validate(b.Context(), owner, req)
	require.NoError(b, err)
	return v
}

func (b *bench) get(id string) ports.Validation {
	b.Helper()
	v, err := b.service.Get(b.Context(), owner, id)
	require.NoError(b, err)
	return v
}

// asking starts a call; its result is sent on the channel.
func (b *bench) asking(s *validation.Service, req market.Request) <-chan result {
	done := make(chan result, 1)
	go func() {
		v, err := s.Validate(b.Context(), owner, req)
		done <- result{v, err}
	}()
	return done
}

type result struct {
	v   ports.Validation
	err error
}

// advanceUntil moves the clock in small steps until cond is true, for at most d. It needs
// a bubble.
func (b *bench) advanceUntil(cond func() bool, d time.Duration) {
	b.Helper()
	const step = 100 * time.Millisecond
	for range d / step {
		if b.settles(cond) {
			return
		}
		b.clock.Advance(step)
	}
	require.True(b, b.settles(cond), "it takes longer than "+d.String())
}

// settles waits until all goroutines wait.
func (b *bench) settles(cond func() bool) bool {
	synctest.Wait()
	return cond()
}

// ended waits by the clock until the validation has ended.
func (b *bench) ended(id string, within time.Duration) ports.Validation {
	b.Helper()
	b.advanceUntil(func() bool { return b.get(id).Status.Terminal() }, within)
	return b.get(id)
}

func requireCode(t testing.TB, want errcodes.Code, err error) {
	t.Helper()
	require.Equal(t, want, errcodes.Of(err), "%v", err)
}

// events returns the events of the outbox in order.
func (b *bench) events() []ports.Event {
	b.Helper()
	var all []ports.Event
	for {
		got, err := b.store.Outbox().Claim(b.Context(), b.clock.Now(), time.Minute, 100)
		require.NoError(b, err)
		if len(got) == 0 {
			return all
		}
		for _, e := range got {
			require.NoError(b, b.store.Outbox().Ack(b.Context(), e))
		}
		all = append(all, got...)
	}
}

// dies leaves a validation pending, like a process that is killed in the middle of its
// lookup.
func (b *bench) dies(req market.Request) ports.Validation {
	b.Helper()
	doomed := fake.NewConnector("first", reaching)
	s, err := validation.New(b.ports(doomed), day, b.config())
	require.NoError(b, err)
	doomed.Hold()
	done := b.asking(s, req)
	doomed.WaitAsked(1)
	b.advanceUntil(func() bool { return len(done) > 0 }, 3*time.Second)
	r := <-done
	require.NoError(b, r.err)
	require.NoError(b, s.Stop(context.Background()))
	return r.v
}

// tick calls Tick by the clock until the validation has ended.
func (b *bench) ticked(id string, within time.Duration) ports.Validation {
	b.Helper()
	start := b.clock.Now()
	for b.clock.Now().Sub(start) < within {
		require.NoError(b, b.service.Tick(b.Context(), b.clock.Now()))
		if b.settles(func() bool { return b.get(id).Status.Terminal() }) {
			return b.get(id)
		}
		b.clock.Advance(500 * time.Millisecond)
	}
	b.Fatalf("not ended within %v", within)
	return ports.Validation{}
}

// crowd makes n equal requests concurrently, and waits for all.
func crowd(t *testing.T, s *validation.Service, n int, req market.Request) []ports.Validation {
	t.Helper()
	all := make([]ports.Validation, n)
	var callers sync.WaitGroup
	for i := range all {
		callers.Go(func() {
			v, err := s.Validate(t.Context(), owner, req)
			assert.NoError(t, err)
			all[i] = v
		})
	}
	callers.Wait()
	return all
}

// says maps each outcome to the answer that a connector returns for it.
var says = map[ports.Outcome]struct {
	answer ports.Answer
	err    error
}{
	ports.OutcomeFound:          {found, nil},
	ports.OutcomeNameMatched:    {ports.Answer{Kind: ports.OutcomeNameMatched}, nil},
	ports.OutcomeNameMismatched: {ports.Answer{Kind: ports.OutcomeNameMismatched}, nil},
	ports.OutcomeNotFound:       {notFound, nil},
	ports.OutcomeUnusable:       {ports.Answer{Kind: ports.OutcomeUnusable, Code: "06", Message: "dormant"}, nil},
	ports.OutcomeUnsupported:    {ports.Answer{Kind: ports.OutcomeUnsupported}, nil},
	ports.OutcomeTryLater:       {ports.Answer{Kind: ports.OutcomeTryLater, After: time.Hour}, nil},
	ports.OutcomeFailed:         {ports.Answer{Kind: ports.OutcomeFailed, Code: "99", Message: "generic"}, nil},
	ports.OutcomeRefused:        {ports.Answer{}, errcodes.New(errcodes.Configuration, "401")},
	ports.OutcomeUnreachable:    {ports.Answer{}, errcodes.New(errcodes.Unavailable, "reset")},
	ports.OutcomeTimeout:        {ports.Answer{}, context.DeadlineExceeded},
	ports.OutcomeMalformed:      {ports.Answer{Kind: "nonsense", Message: "what"}, nil},
	ports.OutcomeCancelled:      {ports.Answer{}, context.Canceled},
}
