package ratelock_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/ratelock"
)

type opKind int

const (
	opCreate opKind = iota
	opCancel
	opGet
)

type opInput struct {
	kind opKind
	id   string
}

type opOutput struct {
	lock   ports.RateLock
	minted bool
}

// known is the state of a lock in the sequential specification.
type known struct {
	id               string
	created, expires time.Time
	status           ports.LockStatus
}

func validAt(locks []known, at time.Time) []known {
	var out []known
	for _, l := range locks {
		if l.status == ports.LockActive && at.Before(l.expires) {
			out = append(out, l)
		}
	}
	return out
}

// sequential is SPEC 3.1 and 4.2 for one book, one operation after the other. The instant
// of an operation's decision is part of its result.
var sequential = porcupine.Model{
	Init: func() any { return []known(nil) },
	Step: func(state, input, output any) (bool, any) {
		locks, in, out := slices.Clone(state.([]known)), input.(opInput), output.(opOutput)
		if in.kind == opCreate {
			return stepCreate(locks, out)
		}
		for i := range locks {
			if locks[i].id == in.id {
				return stepLock(locks, i, in, out)
			}
		}
		return false, locks
	},
	Equal: func(a, b any) bool { return slices.Equal(a.([]known), b.([]known)) },
}

func stepCreate(locks []known, out opOutput) (bool, any) {
	valid := validAt(locks, out.lock.AsOf)
	if !out.minted {
		return len(valid) == ports.MaxLiveLocks && valid[1].id == out.lock.ID, locks
	}
	if len(valid) >= ports.MaxLiveLocks || len(locks) > 0 && !out.lock.CreatedAt.After(locks[len(locks)-1].created) {
		return false, locks
	}
	return true, append(locks, known{out.lock.ID, out.lock.CreatedAt, out.lock.ExpiresAt, ports.LockActive})
}

func stepLock(locks []known, i int, in opInput, out opOutput) (bool, any) {
	was := locks[i].status
	switch out.lock.Status {
	case ports.LockActive:
		return in.kind == opGet && was == ports.LockActive && out.lock.AsOf.Before(locks[i].expires), locks
	case ports.LockExpired:
		locks[i].status = ports.LockExpired
		return was != ports.LockCancelled, locks
	case ports.LockCancelled:
		locks[i].status = ports.LockCancelled
		return was == ports.LockCancelled || was == ports.LockActive && in.kind == opCancel && out.lock.EndedAt.Before(locks[i].expires), locks
	default:
		return false, locks
	}
}

// history runs clients of several services concurrently on one book, while the clock
// moves, and records their results.
func history(t *testing.T, store ports.RateLockStore, seed uint64) []porcupine.Operation {
	t.Helper()
	const processes, clients, steps = 3, 6, 12
	clock := portstest.NewClock(noon)
	feed := fake.NewFeed(clock.Now)
	feed.Offer(usdzar, "18.25")
	owner := fmt.Sprintf("shop-%d", seed)
	var services []*ratelock.Service
	for range processes {
		s, err := ratelock.New(ratelock.Ports{Locks: store, Feed: feed}, ratelock.Terms{Validity: time.Second}, &ratelock.Config{Clock: clock})
		require.NoError(t, err)
		services = append(services, s)
	}
	var mu sync.Mutex
	var ids []string
	var ops []porcupine.Operation
	start := time.Now()
	var wg sync.WaitGroup
	for client := range clients {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(client)))
			for range steps {
				clock.Advance(time.Duration(random.IntN(120)) * time.Millisecond)
				in := opInput{kind: opCreate}
				mu.Lock()
				if n := len(ids); n > 0 && random.IntN(2) == 0 {
					in = opInput{kind: opKind(1 + random.IntN(2)), id: ids[max(0, n-1-random.IntN(4))]}
				}
				mu.Unlock()
				op := porcupine.Operation{ClientId: client, Input: in, Call: time.Since(start).Nanoseconds()}
				out, err := perform(services[client%processes], owner, in)
				op.Output, op.Return = out, time.Since(start).Nanoseconds()
				if err != nil {
					t.Errorf("operation failed: %v", err)
					return
				}
				mu.Lock()
				ops = append(ops, op)
				if in.kind == opCreate && out.minted {
					ids = append(ids, out.lock.ID)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return ops
}

func perform(s *ratelock.Service, owner string, in opInput) (out opOutput, err error) {
	switch in.kind {
	case opCreate:
		out.lock, out.minted, err = s.Create(context.Background(), owner, usdzar)
	case opCancel:
		out.lock, err = s.Cancel(context.Background(), owner, in.id)
	case opGet:
		out.lock, err = s.Get(context.Background(), owner, in.id)
	}
	return out, err
}

var historyRounds = flag.Uint64("history.rounds", 6, "how many histories are made on SQLite, and three times as many in memory")

// I1, I2, I8: every concurrent history has a sequential explanation.
func TestHistoriesAreLinearizable(t *testing.T) {
	for name, histories := range map[string]uint64{"memory": 3 * *historyRounds, "sqlite": *historyRounds} {
		t.Run(name, func(t *testing.T) {
			store := stores[name](t)
			for seed := range histories {
				ops := history(t, store, seed)
				require.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(sequential, ops, time.Minute), "seed %d", seed)
			}
		})
	}
}

// blind counts and inserts without checking the version. Its readers wait for each other,
// so that they race even on one processor.
type blind struct {
	ports.RateLockStore
	racers *sync.WaitGroup
}

func (b blind) Book(ctx context.Context, key ports.BookKey) (ports.Book, error) {
	rec, err := b.RateLockStore.Book(ctx, key)
	b.racers.Done()
	b.racers.Wait()
	return rec, err
}

func (b blind) Save(ctx context.Context, c ports.RateLockChange) error {
	for {
		err := b.RateLockStore.Save(ctx, c)
		if errcodes.Of(err) != errcodes.Conflict {
			return err
		}
		now, err := b.RateLockStore.Book(ctx, c.Book.Key)
		if err != nil {
			return err
		}
		c.Book.Version = now.Version
	}
}

func TestAStoreWithoutTheVersionCheckIsCaught(t *testing.T) {
	for name := range stores {
		t.Run(name, func(t *testing.T) {
			store := stores[name](t)
			for seed := range uint64(5) {
				require.False(t, explained(t, store, seed, func(s ports.RateLockStore, racers *sync.WaitGroup) ports.RateLockStore {
					return blind{s, racers}
				}), "a history of a broken store looked sound")
				require.True(t, explained(t, store, 1_000+seed, func(s ports.RateLockStore, _ *sync.WaitGroup) ports.RateLockStore {
					return s
				}), "a sound store, in the same race")
			}
		})
	}
}

// explained reports whether a burst of creates on a new book, each by its own process,
// has a sequential explanation.
func explained(t *testing.T, sound ports.RateLockStore, seed uint64, wrap func(ports.RateLockStore, *sync.WaitGroup) ports.RateLockStore) bool {
	t.Helper()
	var together sync.WaitGroup
	store := wrap(sound, &together)
	clock := portstest.NewClock(noon)
	feed := fake.NewFeed(clock.Now)
	feed.Offer(usdzar, "18.25")
	owner := fmt.Sprintf("racers-%d", seed)
	ops := make([]porcupine.Operation, 8)
	together.Add(len(ops))
	start := time.Now()
	var wg sync.WaitGroup
	for i := range ops {
		s, err := ratelock.New(ratelock.Ports{Locks: store, Feed: feed}, plain, &ratelock.Config{Clock: clock})
		require.NoError(t, err)
		wg.Go(func() {
			call := time.Since(start).Nanoseconds()
			out, err := perform(s, owner, opInput{kind: opCreate})
			if err != nil {
				t.Errorf("create: %v", err)
			}
			ops[i] = porcupine.Operation{ClientId: i, Input: opInput{kind: opCreate}, Output: out, Call: call, Return: time.Since(start).Nanoseconds()}
		})
	}
	wg.Wait()
	return porcupine.CheckOperations(sequential, ops)
}
