package authstate_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// breaker fails the n-th call of the ports.
type breaker struct {
	mu     sync.Mutex
	calls  int
	at     int
	err    error
	after  bool // the failing call still takes effect
	broken bool
}

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

type breakingTransactions struct {
	ports.TransactionStore
	*breaker
}

func (s breakingTransactions) Save(ctx context.Context, c ports.TransactionChange) error {
	return s.call(func() error { return s.TransactionStore.Save(ctx, c) })
}

func (s breakingTransactions) Transaction(ctx context.Context, owner, id string) (t ports.Transaction, err error) {
	err = s.call(func() (err error) { t, err = s.TransactionStore.Transaction(ctx, owner, id); return err })
	if err != nil {
		return ports.Transaction{}, err
	}
	return t, nil
}

type breakingWork struct {
	ports.Work
	*breaker
}

func (s breakingWork) Claim(ctx context.Context, kind string, now time.Time, lease time.Duration, n int) (w []ports.WorkItem, err error) {
	err = s.call(func() (err error) { w, err = s.Work.Claim(ctx, kind, now, lease, n); return err })
	if err != nil {
		return nil, err
	}
	return w, nil
}

func (s breakingWork) Done(ctx context.Context, w ports.WorkItem) error {
	return s.call(func() error { return s.Work.Done(ctx, w) })
}

func (s breakingWork) Retry(ctx context.Context, w ports.WorkItem, at time.Time) error {
	return s.call(func() error { return s.Work.Retry(ctx, w, at) })
}

// The n-th call fails, for n = 1 … until a run without a failure: callers that repeat
// their calls get the same results, and every event is raised once (I27, I32).
func TestAFailureOfAnySingleCallCanBeRetried(t *testing.T) {
	for name, fault := range map[string]struct {
		code  errcodes.Code
		after bool
	}{
		"unavailable":              {errcodes.StorageUnavailable, false},
		"unknown, and not stored":  {errcodes.OutcomeUnknown, false},
		"unknown, and stored":      {errcodes.OutcomeUnknown, true},
		"another writer was first": {errcodes.Conflict, false},
	} {
		t.Run(name, func(t *testing.T) {
			n, broken := 0, true
			for broken {
				n++
				require.Less(t, n, 100, "every run has a failure")
				br := &breaker{err: errcodes.New(fault.code, ""), after: fault.after, at: n}
				runBroken(t, br)
				broken = br.broken
			}
			require.Greater(t, n, 15, "a run makes at least as many calls")
		})
	}
}

func runBroken(t *testing.T, br *breaker) {
	t.Helper()
	r := newRig(t)
	s := r.on(breakingTransactions{r.store.Transactions(), br}, breakingWork{r.store.Work(), br}, r.clock)
	moved := 0
	insist := func(what string, do func() (authstate.Applied, error)) ports.Transaction {
		for range 3 {
			a, err := do()
			if err == nil {
				if a.Effect == authstate.Moved || a.Effect == authstate.LandedLate {
					moved++
				}
				return a.Transaction
			}
			require.Contains(t, []errcodes.Code{errcodes.StorageUnavailable, errcodes.OutcomeUnknown, errcodes.Conflict}, errcodes.Of(err), what)
			require.Zero(t, a.Effect, what)
			require.Zero(t, a.Transaction, what)
		}
		require.Fail(t, "no result after one fault", what)
		return ports.Transaction{}
	}
	open := func(id string) func() (authstate.Applied, error) {
		return func() (authstate.Applied, error) {
			got, err := s.Open(t.Context(), owner, minute(id))
			return authstate.Applied{Transaction: got}, err
		}
	}
	insist("open", open("failing"))
	insist("open", open("unanswered"))
	insist("open", open("read"))
	failed := insist("fail", func() (authstate.Applied, error) {
		return s.Record(t.Context(), owner, "failing", said[failures.Failed])
	})
	r.clock.Advance(time.Second)
	late := insist("late", func() (authstate.Applied, error) { return s.Succeed(t.Context(), owner, "failing") })
	assert.Equal(t, failed.EndedAt, late.EndedAt, "I27")
	r.clock.Set(over)
	read := insist("read", func() (authstate.Applied, error) {
		got, err := s.Get(t.Context(), owner, "read")
		return authstate.Applied{Transaction: got}, err
	})
	assert.Equal(t, ports.TransactionFailed, read.Status)
	for range 3 { // a lease is a minute, a retry 5 s
		_ = s.Tick(t.Context(), r.clock.Now()) // tried again below
		r.clock.Advance(2 * time.Minute)
	}
	assert.Empty(t, r.due(r.clock.Now()), "all work is done")
	assert.Equal(t, ports.TransactionFailed, r.stored("unanswered").Status)
	assert.Equal(t, late, r.stored("failing"))
	assert.Equal(t, 2, moved, "the callers that changed it")
	byKey := map[string][]string{}
	for _, e := range r.events() {
		byKey[e.Key] = append(byKey[e.Key], e.Kind)
	}
	assert.Equal(t, map[string][]string{
		owner + "\x00failing":    {authstate.EventOpened, authstate.EventFailed, authstate.EventLatePayment},
		owner + "\x00unanswered": {authstate.EventOpened, authstate.EventFailed},
		owner + "\x00read":       {authstate.EventOpened, authstate.EventFailed},
	}, byKey)
}
