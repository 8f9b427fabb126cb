package authstate_test

import (
	"context"
	"flag"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

// racers are the concurrent ways to end a transaction.
var racers = []func(ctx context.Context, s *authstate.Service, id string) (authstate.Applied, error){
	func(ctx context.Context, s *authstate.Service, id string) (authstate.Applied, error) {
		return s.Succeed(ctx, owner, id)
	},
	func(ctx context.Context, s *authstate.Service, id string) (authstate.Applied, error) {
		return s.Record(ctx, owner, id, said[failures.Success])
	},
	func(ctx context.Context, s *authstate.Service, id string) (authstate.Applied, error) {
		return s.Record(ctx, owner, id, said[failures.Failed])
	},
	func(ctx context.Context, s *authstate.Service, id string) (authstate.Applied, error) {
		return s.Record(ctx, owner, id, said[failures.Errored])
	},
	func(ctx context.Context, s *authstate.Service, id string) (authstate.Applied, error) {
		return s.Fail(ctx, owner, id, errcodes.ErrorNetwork)
	},
	func(ctx context.Context, s *authstate.Service, id string) (authstate.Applied, error) {
		return s.Record(ctx, owner, id, said[failures.Pending])
	},
}

// raced is the result of each racer.
type raced struct {
	mu      sync.Mutex
	applied []authstate.Applied
}

// race runs each racer on each service, concurrently with timeouts by tick and by read.
func race(t *testing.T, services []*authstate.Service, id string) *raced {
	t.Helper()
	r := &raced{}
	var all sync.WaitGroup
	for _, s := range services {
		for _, racer := range racers {
			all.Go(func() {
				a, err := racer(t.Context(), s, id)
				assert.NoError(t, err)
				r.mu.Lock()
				defer r.mu.Unlock()
				r.applied = append(r.applied, a)
			})
		}
		all.Go(func() { assert.NoError(t, s.Tick(t.Context(), over)) })
		all.Go(func() {
			got, err := s.Get(t.Context(), owner, id)
			assert.NoError(t, err)
			assert.True(t, got.Status.Terminal(), "it was overdue")
		})
	}
	all.Wait()
	return r
}

// judge compares all results with the one terminal state (I27, I32).
func (r *raced) judge(t *testing.T, end ports.Transaction, events []ports.Event) {
	t.Helper()
	effects := make(map[authstate.Effect]int)
	for _, a := range r.applied {
		effects[a.Effect]++
		seen := a.Transaction
		if !seen.Status.Terminal() {
			assert.Equal(t, authstate.Unchanged, a.Effect)
			assert.Equal(t, failures.Pending, a.Result.Outcome, "only who says that it is open may still see it so")
			continue
		}
		if seen.LateAt.IsZero() {
			seen.LateAt, seen.LateRaw, seen.Version = end.LateAt, end.LateRaw, end.Version
		}
		assert.Equal(t, end, seen, "everybody sees the same end")
	}
	kind := map[ports.TransactionStatus]string{
		ports.TransactionPending: "", ports.TransactionSucceeded: authstate.EventSucceeded,
		ports.TransactionFailed: authstate.EventFailed, ports.TransactionErrored: authstate.EventErrored,
	}[end.Status]
	want := []string{authstate.EventOpened, kind}
	late := 0
	if end.Status != ports.TransactionSucceeded {
		assert.Zero(t, effects[authstate.Contradicted])
		if !end.LateAt.IsZero() {
			want, late = append(want, authstate.EventLatePayment), 1
		}
	}
	assert.Equal(t, late, effects[authstate.LandedLate])
	assert.LessOrEqual(t, effects[authstate.Moved], 1, "one moved it, or a timer did")
	if end.Code != errcodes.FailureTimeout || end.Scheme != "" {
		assert.Equal(t, 1, effects[authstate.Moved])
	}
	assert.Equal(t, want, kinds(events))
}

func TestConcurrentCallersAgree(t *testing.T) {
	r := newRig(t)
	r.clock.Set(over)
	for i := range 50 {
		id := strconv.Itoa(i)
		r.clock.Set(noon)
		r.open(minute(id))
		r.clock.Set(over)
		results := race(t, []*authstate.Service{r.service, r.service}, id)
		results.judge(t, r.stored(id), r.events())
	}
	assert.Empty(t, r.background)
}

var raceRounds = flag.Int("race.rounds", 4, "how many transactions the callers on one file race for")

// Each of the two services has its own store on the same file, like two processes.
func TestConcurrentCallersAgreeOnOneFile(t *testing.T) {
	path := t.TempDir() + "/transactions.db"
	var stores [2]*sqlite.Store
	var services []*authstate.Service
	r := newRig(t)
	for i := range stores {
		store, err := sqlite.Open(t.Context(), path, &sqlite.Config{BusyTimeout: sqlite.MaxBusyTimeout})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, store.Close()) })
		stores[i] = store
		services = append(services, r.on(store.Transactions(), store.Work(), portstest.NewClock(over)))
	}
	early := r.on(stores[0].Transactions(), stores[0].Work(), portstest.NewClock(noon))
	for i := range *raceRounds {
		id := strconv.Itoa(i)
		_, err := early.Open(t.Context(), owner, minute(id))
		require.NoError(t, err)
		results := race(t, services, id)
		end, err := stores[1].Transactions().Transaction(t.Context(), owner, id)
		require.NoError(t, err)
		results.judge(t, end, drained(t, stores[i%2].Outbox()))
	}
	left, err := stores[0].Work().Claim(t.Context(), authstate.WorkTimeout, over.Add(time.Hour), time.Minute, 100)
	require.NoError(t, err)
	assert.Empty(t, left)
}
