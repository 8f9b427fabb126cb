package sqlite_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// gate blocks the first COMMIT until it is opened, so that saves gather behind it.
// after, if set, returns the errors at the points of later commits.
type gate struct {
	open    chan struct{}
	commits int
	after   func(point string) error
}

func (g *gate) fault(point string) error {
	if point == sqlite.BeforeCommit {
		g.commits++
	}
	if g.commits > 1 && g.after != nil {
		return g.after(point)
	}
	if point == sqlite.BeforeCommit {
		<-g.open
	}
	return nil
}

// gathered runs test on a store whose first save is blocked in its COMMIT. release
// unblocks it and waits for all saves that were started.
func gathered(t *testing.T, after func(point string) error, test func(t *testing.T, store *sqlite.Store, g *gate, release func())) {
	t.Helper()
	gatheredOn(t, migrated(t), after, test)
}

func gatheredOn(t *testing.T, path string, after func(point string) error, test func(t *testing.T, store *sqlite.Store, g *gate, release func())) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		g := &gate{open: make(chan struct{}), after: after}
		store := open(t, path, &sqlite.Config{Faults: g.fault})
		var first error
		go func() { first = store.RateLocks().Save(t.Context(), firstMint("first", "rl_first")) }()
		synctest.Wait()
		test(t, store, g, func() {
			close(g.open)
			synctest.Wait()
			require.NoError(t, first)
		})
	})
}

func firstMint(owner, id string) ports.RateLockChange {
	return mint(ports.Book{Key: keyOf(owner)}, activeLock(owner, id, epoch))
}

// saveAll starts a save of each change in order and returns the results when the saves
// have ended.
func saveAll(ctx context.Context, store *sqlite.Store, changes []ports.RateLockChange) []error {
	results := make([]error, len(changes))
	for i, c := range changes {
		go func() { results[i] = store.RateLocks().Save(ctx, c) }()
		synctest.Wait()
	}
	return results
}

func mints(n int) []ports.RateLockChange {
	var changes []ports.RateLockChange
	for i := range n {
		changes = append(changes, firstMint(fmt.Sprintf("owner-%d", i), fmt.Sprintf("rl_%d", i)))
	}
	return changes
}

// All are stored, in the order of their arrival, 64 in a transaction.
func TestSavesThatWaitShareACommit(t *testing.T) {
	for _, c := range []struct{ saves, commits int }{{1, 2}, {64, 2}, {65, 3}, {200, 5}} {
		t.Run(strconv.Itoa(c.saves), func(t *testing.T) {
			gathered(t, nil, func(t *testing.T, store *sqlite.Store, g *gate, release func()) {
				changes := mints(c.saves)
				results := saveAll(t.Context(), store, changes)
				release()
				require.Equal(t, make([]error, c.saves), results)
				require.Equal(t, c.commits, g.commits)
				for _, c := range changes {
					requireStored(t, store, *c.Minted)
				}
				var order []string
				for _, e := range claimAll(t, store) {
					order = append(order, e.Key)
				}
				require.Equal(t, append([]string{"rl_first"}, keysOf(changes)...), order)
			})
		})
	}
}

func keysOf(changes []ports.RateLockChange) []string {
	var keys []string
	for _, c := range changes {
		keys = append(keys, c.Events[0].Key)
	}
	return keys
}

// A conflict is found before anything is written, so the others are committed together.
// An error of the tables rolls all back, and each save runs separately.
func TestARejectedSaveDoesNotAffectItsNeighbours(t *testing.T) {
	foreign := firstMint("thief", "rl_x")
	foreign.Minted.Owner = "somebody else"
	ending, working := firstMint("thief", "rl_x"), firstMint("thief", "rl_x")
	ending.Ended = []ports.RateLock{activeLock("thief", "rl_first", epoch)}
	ending.Ended[0].Status, ending.Ended[0].EndedAt = ports.LockExpired, ending.Ended[0].ExpiresAt
	working.Work = []ports.WorkItem{{ID: "free", Kind: "k", DueAt: epoch}, {ID: "taken", Kind: "k", DueAt: epoch}}
	broken := firstMint("broken", "rl_y")
	broken.Book.Slots[0].MidSource, broken.Minted.MidSource = "half", "half" // the table rejects it: not a result about the data
	for name, c := range map[string]struct {
		change  ports.RateLockChange
		code    errcodes.Code
		commits int // not counting the gate's
	}{
		"a stale version, first of all":         {firstMint("first", "rl_9"), errcodes.Conflict, 1},
		"the id of another's lock":              {firstMint("thief", "rl_first"), errcodes.Conflict, 1},
		"the end of another's lock":             {ending, errcodes.Conflict, 1},
		"the id of another's work":              {working, errcodes.Conflict, 1},
		"a lock of another book, before all":    {foreign, errcodes.CorruptRecord, 1},
		"a record that the tables do not allow": {broken, errcodes.CorruptRecord, 4},
	} {
		t.Run(name, func(t *testing.T) {
			path := migrated(t)
			query(t, raw(t, path), `CREATE TRIGGER half BEFORE INSERT ON rate_locks WHEN NEW.mid_source = 'half'
				BEGIN SELECT raise(ABORT, 'half'); END;
				INSERT INTO work_items (id, kind, due_at, payload) VALUES (CAST('taken' AS BLOB), 'k', 0, x'')`)
			gatheredOn(t, path, nil, func(t *testing.T, store *sqlite.Store, g *gate, release func()) {
				good := mints(4)
				results := saveAll(t.Context(), store, slices.Insert(slices.Clone(good), 2, c.change))
				release()
				requireCode(t, c.code, results[2])
				require.Equal(t, make([]error, 4), slices.Delete(results, 2, 3))
				for _, c := range good {
					requireStored(t, store, *c.Minted)
				}
				require.Equal(t, 1+c.commits, g.commits)
				if owner := c.change.Book.Key.Owner; owner != "first" {
					require.Zero(t, bookOf(t, store, owner).Version)
				}
				require.Len(t, claimAll(t, store), 5)
			})
		})
	}
}

// A second try would find its caller gone.
func TestAFailingSaveIsTriedOnce(t *testing.T) {
	store := open(t, migrated(t), nil)
	mustMint(t, store, "acme", "rl_1", epoch)
	ctx := &endsAfter{Context: t.Context(), looks: 3}
	requireCode(t, errcodes.Conflict, store.RateLocks().Save(ctx, firstMint("thief", "rl_1")))
	require.Zero(t, ctx.looks)
}

// The others run separately, on another connection.
func TestASaveThatFailsUnexpectedly(t *testing.T) {
	path := migrated(t)
	query(t, raw(t, path), "CREATE TRIGGER odd BEFORE INSERT ON transactions BEGIN SELECT json('{'); END")
	gatheredOn(t, path, nil, func(t *testing.T, store *sqlite.Store, g *gate, release func()) {
		changes := mints(2)
		var failure error
		go func() { failure = store.Transactions().Save(t.Context(), moveOf(waiting("acme", "tx"))) }()
		results := saveAll(t.Context(), store, changes)
		release()
		requireCode(t, errcodes.Internal, failure)
		require.Equal(t, make([]error, 2), results)
		require.Equal(t, 3, g.commits)
		for _, c := range changes {
			requireStored(t, store, *c.Minted)
		}
	})
}

// This holds in one transaction as in several.
func TestOneOfSeveralSavesOfABookSucceeds(t *testing.T) {
	gathered(t, nil, func(t *testing.T, store *sqlite.Store, _ *gate, release func()) {
		results := saveAll(t.Context(), store, []ports.RateLockChange{
			firstMint("acme", "rl_1"), firstMint("acme", "rl_2"), firstMint("acme", "rl_3"),
		})
		release()
		require.NoError(t, results[0])
		requireCode(t, errcodes.Conflict, results[1])
		requireCode(t, errcodes.Conflict, results[2])
		require.EqualValues(t, 1, bookOf(t, store, "acme").Version)
	})
}

// The caller's change is not stored, and the others are.
func TestACallerWhoGivesUpWhileItWaits(t *testing.T) {
	gathered(t, nil, func(t *testing.T, store *sqlite.Store, g *gate, release func()) {
		ctx, cancel := context.WithCancel(t.Context())
		impatient := firstMint("impatient", "rl_i")
		var result error
		go func() { result = store.RateLocks().Save(ctx, impatient) }()
		results := saveAll(t.Context(), store, mints(3))
		cancel()
		synctest.Wait()
		requireCode(t, errcodes.Canceled, result) // at once, before the others
		release()
		require.Equal(t, make([]error, 3), results)
		require.Equal(t, 2, g.commits)
		requireAbsent(t, store, impatient)
	})
}

// Nothing is stored if no caller is left that waits for the COMMIT.
func TestCallersWhoGiveUpWhileTheirSavesRun(t *testing.T) {
	for name, stays := range map[string]bool{"all of them": false, "but for one": true} {
		t.Run(name, func(t *testing.T) {
			gathered(t, nil, func(t *testing.T, store *sqlite.Store, _ *gate, release func()) {
				changes := mints(3)
				results := make([]error, 3)
				for i, looks := range []int{3, 2, 2} { // the first of them begins the transaction
					ctx := context.Context(&endsAfter{Context: t.Context(), looks: looks})
					if i == 2 && stays {
						ctx = t.Context()
					}
					go func() { results[i] = store.RateLocks().Save(ctx, changes[i]) }()
					synctest.Wait()
				}
				release()
				for i, c := range changes {
					if stays {
						require.NoError(t, results[i])
						requireStored(t, store, *c.Minted)
					} else {
						requireCode(t, errcodes.Canceled, results[i])
						requireAbsent(t, store, c)
					}
				}
			})
		})
	}
}

// endsAfter is a context that ends after a number of checks.
type endsAfter struct {
	context.Context
	looks int
}

func (e *endsAfter) Err() error {
	if e.looks--; e.looks < 0 {
		return context.Canceled
	}
	return nil
}

// Each caller gets the true result of its save.
func TestAFailedCommitOfSeveral(t *testing.T) {
	for name, c := range failedCommits {
		t.Run(name, func(t *testing.T) {
			disk := &broken{armed: true, points: c.points}
			gathered(t, disk.fault, func(t *testing.T, store *sqlite.Store, _ *gate, release func()) {
				changes := append(mints(3), firstMint("first", "rl_late")) // the last is stale
				results := saveAll(t.Context(), store, changes)
				release()
				disk.armed = false
				for i, change := range changes[:3] {
					requireCode(t, c.code, results[i])
					if c.stored {
						requireStored(t, store, *change.Minted)
					} else {
						requireAbsent(t, store, change)
					}
				}
				requireCode(t, errcodes.Conflict, results[3])
			})
		})
	}
}

// One save can be found stored; the outcome of the other is unknown.
func TestAFailedCommitOfSavesWithDifferentOutcomes(t *testing.T) {
	disk := &broken{armed: true, points: []string{sqlite.AfterCommit}}
	gathered(t, disk.fault, func(t *testing.T, store *sqlite.Store, _ *gate, release func()) {
		silent := firstMint("silent", "")
		silent.Minted, silent.Events = nil, nil
		results := saveAll(t.Context(), store, []ports.RateLockChange{silent, firstMint("acme", "rl_1"), silent})
		release()
		requireCode(t, errcodes.OutcomeUnknown, results[0])
		require.NoError(t, results[1])
		requireCode(t, errcodes.Conflict, results[2])
	})
}

// The waiting saves are not stored.
func TestCloseWhileSavesWait(t *testing.T) {
	gathered(t, nil, func(t *testing.T, store *sqlite.Store, g *gate, release func()) {
		results := saveAll(t.Context(), store, mints(3))
		closed := make(chan error, 1)
		go func() { closed <- store.Close() }()
		synctest.Wait()
		for _, err := range results {
			requireCode(t, errcodes.Closed, err)
		}
		release()
		require.NoError(t, <-closed)
		require.Equal(t, 1, g.commits)
	})
}

// Several callers save the same books, some give up, and some commits fail: each
// caller's result agrees with the store.
func TestSavesOfManyCallers(t *testing.T) {
	t.Parallel()
	const books, callers, each = 6, 12, 20
	var disk sync.Mutex
	commits := 0
	store := open(t, migrated(t), &sqlite.Config{Faults: func(point string) error {
		disk.Lock()
		defer disk.Unlock()
		if point == sqlite.BeforeCommit {
			commits++
		}
		if point == sqlite.BeforeCommit && commits%5 == 0 || point == sqlite.AfterCommit && commits%5 == 2 {
			return errDisk
		}
		return nil
	}})
	errs := make([]map[string]error, callers)
	var all sync.WaitGroup
	for caller := range callers {
		errs[caller] = map[string]error{}
		all.Go(func() {
			dice := rand.New(rand.NewPCG(3, uint64(caller)))
			for n := range each {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(dice.IntN(2_000))*time.Microsecond)
				if n%3 != 0 {
					cancel()
					ctx, cancel = context.WithCancel(context.Background())
				}
				owner, id := fmt.Sprintf("owner-%d", dice.IntN(books)), fmt.Sprintf("rl_%d_%d", caller, n)
				b, err := store.RateLocks().Book(context.Background(), keyOf(owner))
				if err == nil {
					b.Slots = [2]ports.RateLock{}
					errs[caller][owner+" "+id] = store.RateLocks().Save(ctx, mint(b, activeLock(owner, id, epoch)))
				}
				cancel()
			}
		})
	}
	all.Wait()
	stored := int64(0)
	counts := map[errcodes.Code]int{}
	for _, results := range errs {
		for name, err := range results {
			var owner, id string
			_, _ = fmt.Sscan(name, &owner, &id)
			_, _, missing := store.RateLocks().Lock(t.Context(), owner, id)
			require.Equal(t, err == nil, missing == nil, "%s: Save returned %v, the store %v", name, err, missing)
			counts[errcodes.Of(err)]++
			if err == nil {
				stored++
			}
		}
	}
	versions := int64(0)
	for i := range books {
		versions += bookOf(t, store, fmt.Sprintf("owner-%d", i)).Version
	}
	require.Equal(t, stored, versions)
	require.NotZero(t, counts[errcodes.Conflict])
	require.NotZero(t, counts[errcodes.StorageUnavailable])
	require.Zero(t, counts[errcodes.OutcomeUnknown])
	t.Log(counts)
}
