package ratelock_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ratelock"
)

// lossy loses the answer of the next saves: stored or not, the caller is told
// that nobody knows.
type lossy struct {
	ports.RateLockStore
	lose    int  // saves whose answer is lost
	stored  bool // whether those were stored
	offline bool // reads fail from the first loss on
	lost    bool
	then    func() // called after a loss
}

func (l *lossy) Save(ctx context.Context, c ports.RateLockChange) error {
	if l.lose == 0 {
		return l.RateLockStore.Save(ctx, c)
	}
	l.lose--
	l.lost = true
	if l.stored {
		if err := l.RateLockStore.Save(ctx, c); err != nil {
			return err
		}
	}
	if l.then != nil {
		l.then()
	}
	return errcodes.Wrap(errcodes.OutcomeUnknown, "", errors.New("connection reset"))
}

func (l *lossy) Book(ctx context.Context, key ports.BookKey) (ports.Book, error) {
	if l.lost && l.offline {
		return ports.Book{}, errcodes.New(errcodes.StorageUnavailable, "")
	}
	return l.RateLockStore.Book(ctx, key)
}

func (l *lossy) Lock(ctx context.Context, owner, id string) (ports.RateLock, ports.Book, error) {
	if l.lost && l.offline {
		return ports.RateLock{}, ports.Book{}, errcodes.New(errcodes.StorageUnavailable, "")
	}
	return l.RateLockStore.Lock(ctx, owner, id)
}

func TestAnUnknownCommitIsReadBack(t *testing.T) {
	for _, c := range []struct {
		name            string
		stored, offline bool
		lose            int
		want            errcodes.Code
	}{
		{"it was stored", true, false, 1, ""},
		{"it was not stored", false, false, 1, ""},
		{"it was not stored, five times", false, false, 5, ""},
		{"it was never stored", false, false, 1000, errcodes.OutcomeUnknown},
		{"nothing can be read: stored", true, true, 1, errcodes.OutcomeUnknown},
		{"nothing can be read: not stored", false, true, 1, errcodes.OutcomeUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			store := &lossy{RateLockStore: r.store.RateLocks(), lose: c.lose, stored: c.stored, offline: c.offline}
			l, minted, err := r.service(store, r.clock, plain).Create(t.Context(), "shop", usdzar)
			require.Equal(t, c.want, errcodes.Of(err))
			events := r.events()
			if c.want != "" {
				require.Zero(t, l, "neither success nor failure")
				return
			}
			require.True(t, minted)
			require.Equal(t, l.ID, r.get(l.ID).ID)
			require.Len(t, events, 1, "one lock, one event")
		})
	}
}

// A store takes the end of a lock once: an end that may have been stored is read
// back, and not saved again.
func TestAnUnknownEndIsReadBack(t *testing.T) {
	for _, stored := range []bool{true, false} {
		r := newRig(t)
		l, _ := r.create()
		store := &lossy{RateLockStore: r.store.RateLocks(), lose: 1, stored: stored}
		got, err := r.service(store, r.clock, plain).Cancel(t.Context(), "shop", l.ID)
		require.NoError(t, err)
		require.Equal(t, ports.LockCancelled, got.Status)
		require.Equal(t, got, r.get(l.ID))
		require.Len(t, r.events(), 2, "minted and cancelled, once each")
	}
}

// What was lost may still arrive, whatever the store says of the next attempt.
func TestARefusalBehindAnUnknownCommitIsNoFailure(t *testing.T) {
	r := newRig(t)
	disk := &fickle{RateLockStore: r.store.RateLocks()}
	store := &lossy{RateLockStore: disk, then: func() { disk.refuse = true }}
	locks := r.service(store, r.clock, plain)
	l, _ := r.create()
	for name, call := range map[string]func() error{
		"create": func() error { _, _, err := locks.Create(t.Context(), "shop", usdzar); return err },
		"cancel": func() error { _, err := locks.Cancel(t.Context(), "shop", l.ID); return err },
	} {
		store.lose, disk.refuse = 1, false
		require.Equal(t, errcodes.OutcomeUnknown, errcodes.Of(call()), name)
	}
}

// A caller who gives up while the answer is lost must not be told of a failure
// that was none.
func TestAnUnknownCommitOfACallerWhoGaveUp(t *testing.T) {
	for _, stored := range []bool{true, false} {
		r := newRig(t)
		ctx, cancel := context.WithCancel(t.Context())
		store := &lossy{RateLockStore: r.store.RateLocks(), lose: 1, stored: stored, then: cancel}
		l, minted, err := r.service(store, r.clock, plain).Create(ctx, "shop", usdzar)
		if stored {
			require.NoError(t, err)
			require.True(t, minted)
			require.Equal(t, l.ID, r.get(l.ID).ID)
			continue
		}
		require.ErrorIs(t, err, errcodes.OutcomeUnknown)
	}
}

func TestAnUnknownCancelIsReadBack(t *testing.T) {
	for _, stored := range []bool{true, false} {
		r := newRig(t)
		l, _ := r.create()
		store := &lossy{RateLockStore: r.store.RateLocks(), lose: 1, stored: stored}
		got, err := r.service(store, r.clock, plain).Cancel(t.Context(), "shop", l.ID)
		require.NoError(t, err)
		require.Equal(t, ports.LockCancelled, got.Status)
		require.Equal(t, []string{ratelock.EventMinted, ratelock.EventCancelled}, r.kinds())
	}
}

// refusing is a store that takes no writes: a full disk.
type refusing struct{ ports.RateLockStore }

func (refusing) Save(context.Context, ports.RateLockChange) error {
	return errcodes.New(errcodes.StorageUnavailable, "")
}

func TestAReadThatCannotWriteExpiryDownFails(t *testing.T) {
	r := newRig(t)
	l, _ := r.create()
	locks := r.service(refusing{r.store.RateLocks()}, r.clock, plain)
	got, err := locks.Get(t.Context(), "shop", l.ID)
	require.NoError(t, err, "reading an active lock writes nothing")
	require.Equal(t, l.ID, got.ID)
	_, _, err = locks.Create(t.Context(), "shop", usdzar)
	require.ErrorIs(t, err, errcodes.StorageUnavailable)
	r.clock.Set(l.ExpiresAt)
	for range 2 {
		_, err = locks.Get(t.Context(), "shop", l.ID)
		require.ErrorIs(t, err, errcodes.StorageUnavailable, "an answer that could be taken back is none (I9)")
	}
}

// contended lets another writer win every time.
type contended struct{ ports.RateLockStore }

func (contended) Save(context.Context, ports.RateLockChange) error {
	return errcodes.New(errcodes.Conflict, "")
}

func TestConflictsAreBounded(t *testing.T) {
	r := newRig(t)
	conflicts := 0
	r.hooks.Conflict = func(context.Context, ports.BookKey) { conflicts++ }
	l, minted, err := r.service(contended{r.store.RateLocks()}, r.clock, plain).Create(t.Context(), "shop", usdzar)
	require.ErrorIs(t, err, errcodes.StorageUnavailable)
	require.False(t, minted)
	require.Zero(t, l)
	require.Greater(t, conflicts, 10)
}

// What another process wrote may look just like what was lost here: an expiry
// has the same values whoever writes it (I1).
func TestALostExpiryIsNotTakenForAnothersOne(t *testing.T) {
	r := newRig(t)
	first, _ := r.create()
	r.clock.Set(first.ExpiresAt.Add(-time.Minute))
	r.create()
	r.clock.Set(first.ExpiresAt)
	store := &lossy{RateLockStore: r.store.RateLocks(), lose: 1}
	other := r.locks
	store.then = func() { // while the answer is lost, another process expires and mints
		_, err := other.Get(t.Context(), "shop", first.ID)
		require.NoError(t, err)
		_, minted, err := other.Create(t.Context(), "shop", usdzar)
		require.NoError(t, err)
		require.True(t, minted)
	}
	locks := r.service(store, r.clock, plain)
	l, err := locks.Get(t.Context(), "shop", first.ID)
	require.NoError(t, err)
	require.Equal(t, ports.LockExpired, l.Status)
	_, minted, err := locks.Create(t.Context(), "shop", usdzar)
	require.NoError(t, err)
	require.False(t, minted, "two live")
	active, err := r.store.RateLocks().List(t.Context(), ports.LockQuery{Pair: usdzar, Limit: 10})
	require.NoError(t, err)
	require.Len(t, active, ports.MaxLiveLocks)
}

// The id is the caller's alone: a lock that was minted and cancelled since was
// minted all the same.
func TestALostMintThatWasCancelledSince(t *testing.T) {
	r := newRig(t)
	store := &lossy{RateLockStore: r.store.RateLocks(), lose: 1, stored: true}
	store.then = func() {
		book, err := r.store.RateLocks().Book(t.Context(), ports.BookKey{Owner: "shop", Pair: usdzar})
		require.NoError(t, err)
		_, err = r.locks.Cancel(t.Context(), "shop", book.Slots[0].ID)
		require.NoError(t, err)
	}
	l, minted, err := r.service(store, r.clock, plain).Create(t.Context(), "shop", usdzar)
	require.NoError(t, err)
	require.True(t, minted)
	require.Equal(t, ports.LockCancelled, l.Status)
	require.Equal(t, []string{ratelock.EventMinted, ratelock.EventCancelled}, r.kinds())
}
