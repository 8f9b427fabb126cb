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

// lossy returns OutcomeUnknown from the next saves, whether it has stored them or not.
type lossy struct {
	ports.RateLockStore
	lose    int  // number of saves with an unknown outcome
	stored  bool // whether those are stored
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

func TestAnUnknownOutcomeOfAMintIsReadBack(t *testing.T) {
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
		{"it was stored, and nothing can be read", true, true, 1, errcodes.OutcomeUnknown},
		{"it was not stored, and nothing can be read", false, true, 1, errcodes.OutcomeUnknown},
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

// An end that was stored is not saved again: the store would reject it.
func TestAnUnknownOutcomeOfAnEndIsReadBack(t *testing.T) {
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

// The first save may still be stored, although the store rejects the second.
func TestAFailureAfterAnUnknownOutcomeIsAnUnknownOutcome(t *testing.T) {
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

func TestAnUnknownOutcomeIsReadBackForACancelledCaller(t *testing.T) {
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

func TestACancelWithAnUnknownOutcomeRaisesOneEvent(t *testing.T) {
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

// refusing is a store that rejects writes, as with a full disk.
type refusing struct{ ports.RateLockStore }

func (refusing) Save(context.Context, ports.RateLockChange) error {
	return errcodes.New(errcodes.StorageUnavailable, "")
}

func TestAReadThatCannotStoreAnExpiryFails(t *testing.T) {
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
		require.ErrorIs(t, err, errcodes.StorageUnavailable, "I9: an expiry must be stored before it is reported")
	}
}

// contended returns a conflict from every save.
type contended struct{ ports.RateLockStore }

func (contended) Save(context.Context, ports.RateLockChange) error {
	return errcodes.New(errcodes.Conflict, "")
}

func TestADecisionIsNotRepeatedWithoutEnd(t *testing.T) {
	r := newRig(t)
	conflicts := 0
	r.hooks.Conflict = func(context.Context, ports.BookKey) { conflicts++ }
	l, minted, err := r.service(contended{r.store.RateLocks()}, r.clock, plain).Create(t.Context(), "shop", usdzar)
	require.ErrorIs(t, err, errcodes.StorageUnavailable)
	require.False(t, minted)
	require.Zero(t, l)
	require.Greater(t, conflicts, 10)
}

// An expiry has the same values in every process, so that the one of another process
// looks like the one whose outcome is unknown (I1).
func TestAnUnknownExpiryDoesNotHideTheMintOfAnotherProcess(t *testing.T) {
	r := newRig(t)
	first, _ := r.create()
	r.clock.Set(first.ExpiresAt.Add(-time.Minute))
	r.create()
	r.clock.Set(first.ExpiresAt)
	store := &lossy{RateLockStore: r.store.RateLocks(), lose: 1}
	other := r.locks
	store.then = func() { // meanwhile another process expires the lock and mints
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
	require.False(t, minted, "two locks are live")
	active, err := r.store.RateLocks().List(t.Context(), ports.LockQuery{Pair: usdzar, Limit: 10})
	require.NoError(t, err)
	require.Len(t, active, ports.MaxLiveLocks)
}

func TestAnUnknownMintIsFoundAlthoughItWasCancelledSince(t *testing.T) {
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
