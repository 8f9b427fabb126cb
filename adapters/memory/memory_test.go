package memory_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

var (
	start  = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	usdZAR = ports.Pair{Base: "USD", Quote: "ZAR"}
	key    = ports.BookKey{Owner: "acme", Pair: usdZAR}
)

func newStore(tb testing.TB) *memory.Store {
	tb.Helper()
	store, err := memory.New(nil)
	require.NoError(tb, err)
	return store
}

// lockOf returns an active lock.
func lockOf(k ports.BookKey, id string, created time.Time) ports.RateLock {
	return ports.RateLock{
		ID: id, Owner: k.Owner, Base: k.Pair.Base, Quote: k.Pair.Quote,
		MidRate: "18.50", AllInRate: "18.5", CreatedAt: created, ExpiresAt: created.Add(time.Hour), Status: ports.LockActive,
	}
}

// minted returns the change that mints the first lock of a book.
func minted(k ports.BookKey, id string, created time.Time) ports.RateLockChange {
	l := lockOf(k, id, created)
	b := ports.Book{Key: k, HighWater: created}
	b.Slots[0] = l
	return ports.RateLockChange{Book: b, Minted: &l}
}

func TestBounds(t *testing.T) {
	store, ctx := newStore(t), t.Context()
	for name, call := range map[string]func() error{
		"an empty page": func() error {
			_, err := store.RateLocks().List(ctx, ports.LockQuery{Pair: usdZAR})
			return err
		},
		"a page above the limit": func() error {
			_, err := store.RateLocks().List(ctx, ports.LockQuery{DueBy: start, Limit: 10_001})
			return err
		},
		"an empty claim": func() error { _, err := store.Outbox().Claim(ctx, start, time.Minute, 0); return err },
		"a claim above the limit": func() error {
			_, err := store.Work().Claim(ctx, "notify", start, time.Minute, 1001)
			return err
		},
		"a claim without a lease":   func() error { _, err := store.Outbox().Claim(ctx, start, 0, 1); return err },
		"a reason that is too long": func() error { return store.Outbox().Bury(ctx, ports.Event{}, string(make([]byte, 1025))) },
		"a purge of nothing":        func() error { _, err := store.Tokens().PurgeTokens(ctx, start, 0); return err },
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, errcodes.InvalidRequest, errcodes.Of(call())) })
	}
}

func TestAWorkIDCannotBeReusedUntilItsItemIsDone(t *testing.T) {
	store, ctx := newStore(t), t.Context()
	change := ports.RateLockChange{
		Book: ports.Book{Key: key}, Events: []ports.Event{{ID: "event", Key: "a"}}, Work: []ports.WorkItem{{ID: "work", Kind: "notify"}},
	}
	require.NoError(t, store.RateLocks().Save(ctx, change))
	change.Book.Version = 1
	again := ports.RateLockChange{Book: change.Book, Work: change.Work}
	require.ErrorIs(t, store.RateLocks().Save(ctx, again), errcodes.Conflict)
	claimed, err := store.Work().Claim(ctx, "notify", start, time.Minute, 1)
	require.NoError(t, err)
	require.NoError(t, store.Work().Done(ctx, claimed[0]))
	require.NoError(t, store.RateLocks().Save(ctx, again))
	claimed, err = store.Work().Claim(ctx, "notify", start, time.Minute, 1)
	require.NoError(t, err)
	require.NoError(t, store.Work().Bury(ctx, claimed[0], "hopeless"))
	again.Book.Version++
	require.ErrorIs(t, store.RateLocks().Save(ctx, again), errcodes.Conflict, "the item is buried")
}

func TestAnEmptySlotStaysEmpty(t *testing.T) {
	store := newStore(t)
	change := minted(key, "lock-1", start)
	change.Book.Slots[1] = change.Book.Slots[0]
	change.Book.Slots[1].ID = ""
	require.NoError(t, store.RateLocks().Save(t.Context(), change))
	b, err := store.RateLocks().Book(t.Context(), key)
	require.NoError(t, err)
	require.Zero(t, b.Slots[1])
}

func TestBuriedEventsWithTheSameIDAreReplayedAndDiscardedTogether(t *testing.T) {
	store, ctx := newStore(t), t.Context()
	for version, eventKey := range []string{"a", "b"} {
		change := ports.RateLockChange{Book: ports.Book{Key: key, Version: int64(version)}, Events: []ports.Event{{ID: "event", Key: eventKey}}}
		require.NoError(t, store.RateLocks().Save(ctx, change))
	}
	claimed, err := store.Outbox().Claim(ctx, start, time.Minute, 2)
	require.NoError(t, err)
	for _, e := range claimed {
		require.NoError(t, store.Outbox().Bury(ctx, e, "hopeless"))
	}
	n, err := store.DeadLetters().Discard(ctx, storemodel.AuditRow, "event")
	require.NoError(t, err)
	require.Equal(t, 2, n)
	left, err := store.DeadLetters().Buried(ctx, 0, 10)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestFaultsDecideWhetherASaveIsStored(t *testing.T) {
	for point, stored := range map[string]bool{memory.BeforeCommit: false, memory.AfterCommit: true} {
		t.Run(point, func(t *testing.T) {
			fault := errcodes.New(errcodes.OutcomeUnknown, "")
			store, err := memory.New(&memory.Config{Faults: func(at string) error {
				if at == point {
					return fault
				}
				return nil
			}})
			require.NoError(t, err)
			require.ErrorIs(t, store.RateLocks().Save(t.Context(), minted(key, "lock-1", start)), fault)
			b, err := store.RateLocks().Book(t.Context(), key)
			require.NoError(t, err)
			require.Equal(t, stored, b.Version == 1)
		})
	}
}

func ExampleNew() {
	ctx := context.Background()
	store, err := memory.New(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()

	key := ports.BookKey{Owner: "acme", Pair: ports.Pair{Base: "USD", Quote: "ZAR"}}
	book, err := store.RateLocks().Book(ctx, key)
	if err != nil {
		fmt.Println(err)
		return
	}
	event := ports.Event{ID: "evt-1", Kind: "book.opened", Key: "acme"}
	err = store.RateLocks().Save(ctx, ports.RateLockChange{Book: book, Events: []ports.Event{event}})
	fmt.Println("first save:", err)
	err = store.RateLocks().Save(ctx, ports.RateLockChange{Book: book})
	fmt.Println("the same version again:", errcodes.Of(err))

	events, err := store.Outbox().Claim(ctx, time.Now(), time.Minute, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("to deliver:", events[0].Kind)
	// Output:
	// first save: <nil>
	// the same version again: conflict
	// to deliver: book.opened
}
