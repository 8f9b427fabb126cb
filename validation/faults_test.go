package validation_test

import (
	"bytes"
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/keyring"
	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/validation"
	"github.com/corridor-go/corridor/validation/market"
)

func otherSealer(tb testing.TB) ports.Sealer {
	tb.Helper()
	k, err := keyring.New([]keyring.Key{{ID: "k2", Secret: bytes.Repeat([]byte{9}, 32)}}, nil)
	require.NoError(tb, err)
	return k
}

// breaker fails the n-th call of the service's ports.
type breaker struct {
	mu     sync.Mutex
	calls  int
	at     int
	err    error
	after  bool // the failing call still takes effect
	broken bool
}

// call runs fn, or fails it if it is the n-th call.
func (b *breaker) call(fn func() error) error {
	b.mu.Lock()
	b.calls++
	fails := b.calls == b.at
	b.broken = b.broken || fails
	b.mu.Unlock()
	if fails && !b.after {
		return b.err
	}
	err := fn()
	if fails {
		return b.err
	}
	return err
}

type brokenValidations struct {
	ports.ValidationStore
	*breaker
}

func (s brokenValidations) Save(ctx context.Context, c ports.ValidationChange) error {
	return s.call(func() error { return s.ValidationStore.Save(ctx, c) })
}

func (s brokenValidations) Validation(ctx context.Context, owner, id string) (r ports.ValidationRecord, err error) {
	err = s.call(func() (err error) { r, err = s.ValidationStore.Validation(ctx, owner, id); return err })
	return r, err
}

func (s brokenValidations) Overdue(ctx context.Context, by time.Time, after ports.Pos, n int) (r []ports.ValidationRecord, err error) {
	err = s.call(func() (err error) { r, err = s.ValidationStore.Overdue(ctx, by, after, n); return err })
	return r, err
}

type brokenAnswers struct {
	ports.AnswerCache
	*breaker
}

func (s brokenAnswers) Answer(ctx context.Context, k [32]byte) (a ports.CachedAnswer, err error) {
	err = s.call(func() (err error) { a, err = s.AnswerCache.Answer(ctx, k); return err })
	return a, err
}

func (s brokenAnswers) PutAnswer(ctx context.Context, a ports.CachedAnswer) error {
	return s.call(func() error { return s.AnswerCache.PutAnswer(ctx, a) })
}

func (s brokenAnswers) Claim(ctx context.Context, k [32]byte, holder string, now, until time.Time) (won bool, err error) {
	err = s.call(func() (err error) { won, err = s.AnswerCache.Claim(ctx, k, holder, now, until); return err })
	return won, err
}

func (s brokenAnswers) Release(ctx context.Context, k [32]byte, holder string) error {
	return s.call(func() error { return s.AnswerCache.Release(ctx, k, holder) })
}

type brokenWork struct {
	ports.Work
	*breaker
}

func (s brokenWork) Claim(ctx context.Context, kind string, now time.Time, lease time.Duration, n int) (w []ports.WorkItem, err error) {
	err = s.call(func() (err error) { w, err = s.Work.Claim(ctx, kind, now, lease, n); return err })
	return w, err
}

func (s brokenWork) Done(ctx context.Context, w ports.WorkItem) error {
	return s.call(func() error { return s.Work.Done(ctx, w) })
}

func (s brokenWork) Retry(ctx context.Context, w ports.WorkItem, at time.Time) error {
	return s.call(func() error { return s.Work.Retry(ctx, w, at) })
}

type brokenSealer struct {
	ports.Sealer
	*breaker
}

func (s brokenSealer) Seal(ctx context.Context, aad, plain []byte) (sealed ports.Sealed, err error) {
	err = s.call(func() (err error) { sealed, err = s.Sealer.Seal(ctx, aad, plain); return err })
	return sealed, err
}

func (s brokenSealer) Open(ctx context.Context, aad []byte, sealed ports.Sealed) (plain []byte, err error) {
	err = s.call(func() (err error) { plain, err = s.Sealer.Open(ctx, aad, sealed); return err })
	return plain, err
}

// TestEachCallFailsInTurn fails the n-th call, for n = 1 … until a run without a failure.
// Whatever fails, a quick and a slow validation are either rejected or end.
func TestEachCallFailsInTurn(t *testing.T) {
	for name, fault := range map[string]struct {
		err   error
		after bool
	}{
		"unavailable":         {errcodes.New(errcodes.StorageUnavailable, ""), false},
		"unknown, not stored": {errcodes.New(errcodes.OutcomeUnknown, ""), false},
		"unknown, stored":     {errcodes.New(errcodes.OutcomeUnknown, ""), true},
		"unavailable, stored": {errcodes.New(errcodes.StorageUnavailable, ""), true},
	} {
		t.Run(name, func(t *testing.T) {
			n, broken := 0, true
			for broken {
				n++
				require.Less(t, n, 200, "it never runs clean")
				synctest.Test(t, func(t *testing.T) {
					br := &breaker{err: fault.err, after: fault.after, at: n}
					runBroken(t, br)
					broken = br.broken
				})
			}
			require.Greater(t, n, 15, "a run makes as many calls")
		})
	}
}

// runBroken runs in a synctest bubble, where time passes when all goroutines wait.
func runBroken(t *testing.T, br *breaker) {
	t.Helper()
	store, err := memory.New(nil)
	require.NoError(t, err)
	p := validation.Ports{Validations: store.Validations(), Answers: store.Answers(), Work: store.Work(), Sealer: sealer(t)}
	p.Validations = brokenValidations{p.Validations, br}
	p.Answers = brokenAnswers{p.Answers, br}
	p.Work = brokenWork{p.Work, br}
	p.Sealer = brokenSealer{p.Sealer, br}
	slow := fake.NewConnector("slow", reaching)
	slow.Answer(found)
	p.Connectors = []ports.AccountConnector{slow}
	s, err := validation.New(p, day, nil)
	require.NoError(t, err)
	go func() { _ = s.Run(t.Context()) }() // returns after Stop

	var returned []string
	ask := func(req market.Request) {
		v, err := s.Validate(t.Context(), owner, req)
		if err != nil {
			require.GreaterOrEqual(t, errcodes.StatusOf(err), 500, "%v", err)
			return
		}
		returned = append(returned, v.ID)
	}
	ask(request())
	slow.Take(ports.SystemClock(), 3*time.Second)
	other := request()
	other.AccountIdentifier = "1234567895"
	ask(other)
	<-time.After(36 * time.Second)
	synctest.Wait()
	for _, id := range returned {
		rec, err := store.Validations().Validation(t.Context(), owner, id) // Get would end it
		require.NoError(t, err)
		require.Contains(t, []ports.ValidationStatus{ports.StatusVerified, ports.StatusError}, rec.Status, "call %d left it so", br.at)
	}
	require.NoError(t, s.Stop(context.Background()))
}
