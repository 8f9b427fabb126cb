package sqlite_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// A Conflict would mean that another save has the version, and none has it (I1).
func TestAConflictWithASaveThatIsNotStoredIsNotReturned(t *testing.T) {
	for name, c := range map[string]struct {
		points []string
		looks  int // how often the first caller's context is checked before it ends
		code   errcodes.Code
	}{
		"the commit of both fails":                 {[]string{sqlite.BeforeCommit}, 99, errcodes.StorageUnavailable},
		"its outcome is unknown":                   {[]string{sqlite.BeforeCommit, sqlite.BeforeReadBack}, 99, errcodes.OutcomeUnknown},
		"the caller of the first has gone":         {nil, 3, errcodes.Canceled},
		"the first is stored, its outcome unknown": {[]string{sqlite.AfterCommit, sqlite.BeforeReadBack}, 99, errcodes.OutcomeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			disk := &broken{armed: true, points: c.points}
			var g *gate
			gathered(t, func(point string) error {
				if g.commits > 2 {
					return nil // the third and later commits do not fail
				}
				return disk.fault(point)
			}, func(t *testing.T, store *sqlite.Store, held *gate, release func()) {
				g = held
				changes := []ports.RateLockChange{firstMint("acme", "rl_1"), firstMint("acme", "rl_2")}
				results := make([]error, 2)
				for i, ctx := range []context.Context{&endsAfter{t.Context(), c.looks}, t.Context()} {
					go func() { results[i] = store.RateLocks().Save(ctx, changes[i]) }()
					synctest.Wait()
				}
				release()
				requireCode(t, c.code, results[0])
				if len(c.points) > 0 && c.points[0] == sqlite.AfterCommit {
					requireStored(t, store, *changes[0].Minted)
					requireCode(t, errcodes.Conflict, results[1])
					return
				}
				require.NoError(t, results[1])
				requireStored(t, store, *changes[1].Minted)
				require.EqualValues(t, 1, bookOf(t, store, "acme").Version)
			})
		})
	}
}

// The other saves are stored.
func TestASavePanicsInItsOwnCaller(t *testing.T) {
	for _, place := range []int{0, 1, 2} {
		gathered(t, nil, func(t *testing.T, store *sqlite.Store, _ *gate, release func()) {
			changes := mints(3)
			var results [3]error
			var met [3]any
			for i, c := range changes {
				go func() {
					defer func() { met[i] = recover() }()
					if i == place {
						results[i] = store.SaveBy(t.Context(), func() error { panic("odd") })
						return
					}
					results[i] = store.RateLocks().Save(t.Context(), c)
				}()
				synctest.Wait()
			}
			release()
			for i, c := range changes {
				if i == place {
					require.Equal(t, "odd", met[i])
					continue
				}
				require.Nil(t, met[i])
				require.NoError(t, results[i])
				requireStored(t, store, *c.Minted)
			}
			mustMint(t, store, "next", "rl_next", epoch)
		})
	}
}

func TestAPanicLeavesTheStoreUsable(t *testing.T) {
	store := open(t, migrated(t), nil)
	require.Panics(t, func() { _ = store.SaveBy(t.Context(), func() error { panic("odd") }) })
	mustMint(t, store, "next", "rl_next", epoch)
}

func TestAPanicInACommitLeavesTheOutcomeUnknown(t *testing.T) {
	for _, at := range []string{sqlite.BeforeCommit, sqlite.AfterCommit, sqlite.BeforeReadBack} {
		t.Run(at, func(t *testing.T) {
			var g *gate
			gathered(t, func(point string) error {
				switch {
				case g.commits == 2 && point == at:
					panic("odd")
				case g.commits == 2 && at == sqlite.BeforeReadBack:
					return errDisk
				}
				return nil
			}, func(t *testing.T, store *sqlite.Store, held *gate, release func()) {
				g = held
				var met any
				go func() {
					defer func() { met = recover() }()
					_ = store.RateLocks().Save(t.Context(), firstMint("leader", "rl_leader"))
				}()
				synctest.Wait()
				changes := mints(2)
				results := saveAll(t.Context(), store, changes)
				release()
				require.Equal(t, "odd", met)
				for i, c := range changes {
					requireCode(t, errcodes.OutcomeUnknown, results[i])
					if at == sqlite.AfterCommit {
						requireStored(t, store, *c.Minted)
					} else {
						requireAbsent(t, store, c)
					}
				}
				mustMint(t, store, "next", "rl_next", epoch)
			})
		})
	}
}

// secondHeld is gathered, but blocks the second COMMIT, the first one of the saves that
// run separately, until second is closed.
func secondHeld(t *testing.T, test func(t *testing.T, store *sqlite.Store, second chan struct{}, release func())) {
	t.Helper()
	var g *gate
	var second chan struct{}
	gathered(t, func(point string) error {
		if g.commits == 2 && point == sqlite.BeforeCommit {
			<-second
		}
		return nil
	}, func(t *testing.T, store *sqlite.Store, held *gate, release func()) {
		g, second = held, make(chan struct{}) // of the bubble
		test(t, store, second, release)
	})
}

// The caller need not wait for the others, whose saves run one by one.
func TestACallerWhoGivesUpAfterTheGroupFailed(t *testing.T) {
	secondHeld(t, func(t *testing.T, store *sqlite.Store, second chan struct{}, release func()) {
		fails := func() error { return errDisk }
		var failure error
		go func() { failure = store.SaveBy(t.Context(), fails) }()
		synctest.Wait()
		changes := mints(4)
		ctx, cancel := context.WithCancel(t.Context())
		results := make([]error, len(changes))
		var pending atomic.Int32
		pending.Store(int32(len(changes)))
		for i, c := range changes {
			go func() { results[i] = store.RateLocks().Save(ctx, c); pending.Add(-1) }()
			synctest.Wait()
		}
		release() // runs to the COMMIT of one of them
		require.EqualValues(t, len(changes), pending.Load())
		cancel()
		synctest.Wait()
		require.EqualValues(t, 1, pending.Load())
		close(second)
		synctest.Wait()
		requireCode(t, errcodes.Internal, failure)
		stored := 0
		for i, c := range changes {
			if results[i] == nil {
				requireStored(t, store, *c.Minted)
				stored++
				continue
			}
			requireCode(t, errcodes.Canceled, results[i])
			requireAbsent(t, store, c)
		}
		require.Equal(t, 1, stored)
	})
}

// The caller's error does not say that a save was rolled back.
func TestACallerWhoGivesUpBeforeTheGroupFails(t *testing.T) {
	gathered(t, nil, func(t *testing.T, store *sqlite.Store, _ *gate, release func()) {
		changes := mints(2)
		ctx, cancel := context.WithCancel(t.Context())
		var results [2]error
		for i, ctx := range []context.Context{t.Context(), ctx} {
			go func() { results[i] = store.RateLocks().Save(ctx, changes[i]) }()
			synctest.Wait()
		}
		fail := make(chan struct{})
		go func() { _ = store.SaveBy(t.Context(), func() error { <-fail; return errDisk }) }()
		synctest.Wait()
		release() // runs to the save that will fail, after both
		cancel()
		synctest.Wait()
		close(fail)
		synctest.Wait()
		require.NoError(t, results[0])
		requireCode(t, errcodes.Canceled, results[1])
		requireStored(t, store, *changes[0].Minted)
		requireAbsent(t, store, changes[1])
	})
}

// Close waits for the current save, not for the others of its group.
func TestCloseAfterTheGroupFailed(t *testing.T) {
	secondHeld(t, func(t *testing.T, store *sqlite.Store, second chan struct{}, release func()) {
		go func() { _ = store.SaveBy(t.Context(), func() error { return errDisk }) }()
		synctest.Wait()
		results := saveAll(t.Context(), store, mints(4))
		release()
		closed := make(chan error, 1)
		go func() { closed <- store.Close() }()
		synctest.Wait()
		close(second)
		require.NoError(t, <-closed)
		synctest.Wait()
		count := map[errcodes.Code]int{}
		for _, err := range results {
			count[errcodes.Of(err)]++
		}
		require.Equal(t, map[errcodes.Code]int{"": 1, errcodes.Closed: 3}, count)
	})
}

// While another process has the file, many saves wait for it no longer than one save
// would, and try every 2 ms. A save that arrives later waits just as long.
func TestManySavesWaitNoLongerThanOne(t *testing.T) {
	const timeout, asks = 200 * time.Millisecond, 100
	path := migrated(t)
	other := raw(t, path)
	synctest.Test(t, func(t *testing.T) {
		g := &gate{open: make(chan struct{})}
		held := false
		store := open(t, path, &sqlite.Config{BusyTimeout: timeout, Faults: func(point string) error {
			if point == sqlite.AfterCommit && !held {
				held = true
				query(t, other, "BEGIN IMMEDIATE")
			}
			return g.fault(point)
		}})
		go func() { _ = store.RateLocks().Save(t.Context(), firstMint("first", "rl_first")) }()
		synctest.Wait()
		late := &watched{Context: t.Context()}
		queued := make(chan struct{})
		late.waits = func() { close(queued) }
		var tooLate error
		many := &watched{Context: t.Context()}
		results := saveAll(many, store, mints(100))
		many.looks = 0
		many.looked = func(n int) {
			if n == asks/2 {
				go func() { tooLate = store.RateLocks().Save(late, firstMint("late", "rl_late")) }()
				<-queued
			}
		}
		close(g.open)
		synctest.Wait()
		for _, err := range append(results, tooLate) {
			requireCode(t, errcodes.StorageUnavailable, err)
		}
		require.LessOrEqual(t, many.looks, 2*asks, "the saves did not each wait separately")
		require.GreaterOrEqual(t, many.looks, asks, "it tries often enough to find a moment in which the file is free")
		require.GreaterOrEqual(t, late.looks, asks)
		query(t, other, "COMMIT")
		mustMint(t, store, "next", "rl_next", epoch)
	})
}

// watched is a context that records when it is checked and when it is first waited
// for.
type watched struct {
	context.Context
	looks  int
	looked func(n int)
	waits  func()
}

func (w *watched) Err() error {
	w.looks++
	if w.looked != nil {
		w.looked(w.looks)
	}
	return w.Context.Err()
}

func (w *watched) Done() <-chan struct{} {
	if w.waits != nil {
		w.waits()
		w.waits = nil
	}
	return w.Context.Done()
}

// An idle store does not retain saved changes in memory.
func TestSavedChangesAreNotRetained(t *testing.T) {
	var kept []weak.Pointer[ports.Event]
	gathered(t, nil, func(t *testing.T, store *sqlite.Store, _ *gate, release func()) {
		kept = saveWeakly(t, store, release)
		runtime.GC()
		for i, event := range kept {
			require.Nil(t, event.Value(), "of save %d", i)
		}
		require.NoError(t, store.Ping(t.Context()))
	})
}

func saveWeakly(t *testing.T, store *sqlite.Store, release func()) []weak.Pointer[ports.Event] {
	t.Helper()
	var kept []weak.Pointer[ports.Event]
	changes := mints(100)
	for i := range changes {
		kept = append(kept, weak.Make(&changes[i].Events[0]))
	}
	results := saveAll(t.Context(), store, changes)
	release()
	require.Equal(t, make([]error, len(changes)), results)
	return kept
}
