package validation_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/validation"
	"github.com/corridor-go/corridor/validation/market"
)

// world is a store and two connectors in a synctest bubble, where time passes when all
// goroutines wait, independent of the machine.
type world struct {
	*testing.T
	store         *memory.Store
	keys          ports.Sealer
	first, second *fake.Connector
}

func inWorld(t *testing.T, test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		store, err := memory.New(nil)
		require.NoError(t, err)
		w := &world{T: t, store: store, keys: sealer(t)}
		w.first = fake.NewConnector("first", reaching)
		w.second = fake.NewConnector("second", reaching)
		w.first.Answer(found)
		w.second.Answer(found)
		test(w)
	})
}

// process contains the parts of a service of the world; a test may change it before open.
type process struct {
	ports  validation.Ports
	policy validation.Policy
	config validation.Config
}

func (w *world) process(connectors ...ports.AccountConnector) *process {
	return &process{
		ports: validation.Ports{
			Validations: w.store.Validations(), Answers: w.store.Answers(), Work: w.store.Work(), Sealer: w.keys,
			Connectors: connectors,
		},
		policy: day,
	}
}

// open starts the process without Run. It closes at the end of the test.
func (w *world) open(p *process) *validation.Service {
	w.Helper()
	s, err := validation.New(p.ports, p.policy, &p.config)
	require.NoError(w, err)
	w.Cleanup(func() { require.NoError(w, s.Stop(context.Background())) })
	return s
}

// run runs a service until it is closed.
func run(s *validation.Service) { go func() { _ = s.Run(context.Background()) }() }

// ask starts a call in the background.
func (w *world) ask(s *validation.Service, req market.Request) <-chan result {
	done := make(chan result, 1)
	go func() {
		v, err := s.Validate(context.Background(), owner, req)
		done <- result{v, err}
	}()
	return done
}

// orphan leaves a validation pending whose process is dead.
func (w *world) orphan(req market.Request) ports.Validation {
	w.Helper()
	silent := fake.NewConnector("first", reaching)
	silent.Hold()
	s := w.open(w.process(silent))
	v := w.pending(s, req)
	require.NoError(w, s.Stop(context.Background()))
	return v
}

// pending requires that there is no answer within the window.
func (w *world) pending(s *validation.Service, req market.Request) ports.Validation {
	w.Helper()
	r := <-w.ask(s, req)
	require.NoError(w, r.err)
	require.Equal(w, ports.StatusPending, r.v.Status)
	return r.v
}

// stored returns a validation as stored; Get would end an overdue one.
func (w *world) stored(id string) ports.ValidationRecord {
	w.Helper()
	rec, err := w.store.Validations().Validation(w.Context(), owner, id)
	require.NoError(w, err)
	return rec
}

func (w *world) get(s *validation.Service, id string) ports.Validation {
	w.Helper()
	v, err := s.Get(w.Context(), owner, id)
	require.NoError(w, err)
	return v
}

func (w *world) tick(s *validation.Service) {
	w.Helper()
	require.NoError(w, s.Tick(w.Context(), time.Now()))
	synctest.Wait()
}

// pass lets time pass.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// key returns the key under which an answer is cached.
func (w *world) key(req market.Request) [32]byte {
	w.Helper()
	var key [32]byte
	nobody := fake.NewConnector("first", reaching)
	nobody.Answer(ports.Answer{Kind: ports.OutcomeFailed})
	p := w.process(nobody)
	p.ports.Answers = &keySpy{AnswerCache: w.store.Answers(), key: &key}
	_, err := w.open(p).Validate(w.Context(), owner, req)
	require.NoError(w, err)
	synctest.Wait()
	return key
}

// tap calls before ahead of each call of its port; before may block or return an error.
type tap struct {
	mu     sync.Mutex
	before func(ctx context.Context, call string) error
}

func (t *tap) set(before func(ctx context.Context, call string) error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.before = before
}

func (t *tap) call(ctx context.Context, call string) error {
	t.mu.Lock()
	before := t.before
	t.mu.Unlock()
	if before == nil {
		return nil
	}
	return before(ctx, call)
}

type tappedAnswers struct {
	ports.AnswerCache
	*tap
}

func (a tappedAnswers) Answer(ctx context.Context, k [32]byte) (ports.CachedAnswer, error) {
	if err := a.call(ctx, "Answer"); err != nil {
		return ports.CachedAnswer{}, err
	}
	return a.AnswerCache.Answer(ctx, k)
}

func (a tappedAnswers) PutAnswer(ctx context.Context, c ports.CachedAnswer) error {
	if err := a.call(ctx, "PutAnswer"); err != nil {
		return err
	}
	return a.AnswerCache.PutAnswer(ctx, c)
}

func (a tappedAnswers) Claim(ctx context.Context, k [32]byte, holder string, now, until time.Time) (bool, error) {
	if err := a.call(ctx, "Claim"); err != nil {
		return false, err
	}
	return a.AnswerCache.Claim(ctx, k, holder, now, until)
}

func (a tappedAnswers) Release(ctx context.Context, k [32]byte, holder string) error {
	if err := a.call(ctx, "Release"); err != nil {
		return err
	}
	return a.AnswerCache.Release(ctx, k, holder)
}

type tappedValidations struct {
	ports.ValidationStore
	*tap
}

func (s tappedValidations) Save(ctx context.Context, c ports.ValidationChange) error {
	if err := s.call(ctx, "Save "+string(c.Record.Status)); err != nil {
		return err
	}
	return s.ValidationStore.Save(ctx, c)
}

func (s tappedValidations) Validation(ctx context.Context, owner, id string) (ports.ValidationRecord, error) {
	if err := s.call(ctx, "Validation"); err != nil {
		return ports.ValidationRecord{}, err
	}
	return s.ValidationStore.Validation(ctx, owner, id)
}

var errDown = errcodes.New(errcodes.StorageUnavailable, "")
