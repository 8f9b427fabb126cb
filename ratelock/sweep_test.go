package ratelock_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ratelock"
)

func TestTicksHandleMoreLocksThanAPageHas(t *testing.T) {
	const owners = 1_100
	r := newRig(t)
	for i := range owners {
		_, _, err := r.locks.Create(t.Context(), fmt.Sprintf("shop-%d", i), usdzar)
		require.NoError(t, err)
	}
	r.events()
	r.feed.Set(usdzar, "18.80")
	r.tick(time.Second)
	r.tick(time.Second)
	require.Len(t, r.events(), owners, "all have drifted")
	r.feed.Set(usdzar, "18.25")
	for i := range owners {
		_, _, err := r.locks.Create(t.Context(), fmt.Sprintf("shop-%d", i), usdzar)
		require.NoError(t, err)
	}
	r.events()
	r.clock.Advance(plain.Validity)
	require.NoError(t, r.locks.Sweep(t.Context(), r.clock.Now()))
	require.Len(t, r.events(), owners, "all have expired")
}

func TestSweepStoresTheExpiryOfLocksThatAreNotRead(t *testing.T) {
	r := newRig(t)
	first, _ := r.create()
	second, _ := r.create()
	r.clock.Set(first.ExpiresAt)
	require.NoError(t, r.locks.Sweep(t.Context(), r.clock.Now()))
	require.Equal(t, []string{ratelock.EventMinted, ratelock.EventMinted, ratelock.EventExpired}, r.kinds())
	r.clock.Set(second.ExpiresAt)
	require.NoError(t, r.locks.Tick(t.Context(), r.clock.Now()))
	require.Equal(t, []string{ratelock.EventExpired}, r.kinds())
	require.NoError(t, r.locks.Tick(t.Context(), r.clock.Now()))
	require.Empty(t, r.kinds(), "only once")
}

// spoiled damages one owner's book when it is read.
type spoiled struct {
	ports.RateLockStore
	owner string
}

func (s spoiled) Book(ctx context.Context, key ports.BookKey) (ports.Book, error) {
	b, err := s.RateLockStore.Book(ctx, key)
	if key.Owner == s.owner {
		for i := range b.Live() {
			b.Slots[i].AllInRate = "1"
		}
	}
	return b, err
}

func TestACorruptBookDoesNotBlockTheOthers(t *testing.T) {
	r := newRig(t)
	var reported []error
	r.hooks.Background = func(_ context.Context, err error) { reported = append(reported, err) }
	locks := r.service(spoiled{r.store.RateLocks(), "damaged"}, r.clock, plain)
	bad, _, err := r.locks.Create(t.Context(), "damaged", usdzar)
	require.NoError(t, err)
	good, _ := r.create()
	_, _, err = locks.Create(t.Context(), "damaged", usdzar)
	require.ErrorIs(t, err, errcodes.CorruptRecord)
	r.clock.Set(good.ExpiresAt)
	require.ErrorIs(t, locks.Sweep(t.Context(), r.clock.Now()), errcodes.CorruptRecord)
	require.NotEmpty(t, reported)
	stored, _, err := r.store.RateLocks().Lock(t.Context(), "shop", good.ID)
	require.NoError(t, err)
	require.Equal(t, ports.LockExpired, stored.Status)
	stored, _, err = r.store.RateLocks().Lock(t.Context(), "damaged", bad.ID)
	require.NoError(t, err)
	require.Equal(t, ports.LockActive, stored.Status)
}

func TestAFullPairWithACorruptLockIsRejected(t *testing.T) {
	r := newRig(t)
	r.create()
	r.create()
	l, _, err := r.service(spoiled{r.store.RateLocks(), "shop"}, r.clock, plain).Create(t.Context(), "shop", usdzar)
	require.ErrorIs(t, err, errcodes.CorruptRecord)
	require.Zero(t, l)
}

func TestASweepReportsABookThatCannotBeRead(t *testing.T) {
	r := newRig(t)
	l, _ := r.create()
	r.clock.Set(l.ExpiresAt)
	unreadable := &lossy{RateLockStore: r.store.RateLocks(), lost: true, offline: true}
	require.ErrorIs(t, r.service(unreadable, r.clock, plain).Sweep(t.Context(), r.clock.Now()), errcodes.StorageUnavailable)
}

func TestASweepThatCannotStoreVisitsEachLockOnce(t *testing.T) {
	const owners = 1_100
	r := newRig(t)
	store := &counting{RateLockStore: &fickle{RateLockStore: r.store.RateLocks(), refuse: true}, most: 10}
	for i := range owners {
		_, _, err := r.locks.Create(t.Context(), fmt.Sprintf("shop-%d", i), usdzar)
		require.NoError(t, err)
	}
	r.clock.Advance(plain.Validity)
	err := r.service(store, r.clock, plain).Sweep(t.Context(), r.clock.Now())
	require.ErrorIs(t, err, errcodes.StorageUnavailable)
	require.Equal(t, owners, store.listed)
	require.Equal(t, owners, store.books)
}

// fickle rejects writes or listings, or damages a lock in listings.
type fickle struct {
	ports.RateLockStore
	refuse  bool   // writes fail
	hide    bool   // listings fail
	damaged string // id of the lock that listings damage
}

func (f *fickle) Save(ctx context.Context, c ports.RateLockChange) error {
	if f.refuse {
		return errcodes.New(errcodes.StorageUnavailable, "")
	}
	return f.RateLockStore.Save(ctx, c)
}

func (f *fickle) List(ctx context.Context, q ports.LockQuery) ([]ports.RateLock, error) {
	if f.hide {
		return nil, errcodes.New(errcodes.StorageUnavailable, "")
	}
	page, err := f.RateLockStore.List(ctx, q)
	for i := range page {
		if page[i].ID == f.damaged {
			page[i].MidRate = "NaN"
		}
	}
	return page, err
}

func TestACancelledTickIsNotReportedAsAFailure(t *testing.T) {
	r := newRig(t)
	r.hooks.Background = func(_ context.Context, err error) { t.Errorf("reported: %v", err) }
	r.locks = r.service(r.store.RateLocks(), r.clock, plain)
	r.create()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, r.locks.Sweep(ctx, r.clock.Now()), context.Canceled)
	require.ErrorIs(t, r.locks.Drift(ctx, r.clock.Now()), context.Canceled)
}

// counting counts reads.
type counting struct {
	ports.RateLockStore
	listed int // locks in all listings
	books  int
	pages  int // pages of due locks
	most   int // the store fails if pages exceeds this
}

func (c *counting) Book(ctx context.Context, key ports.BookKey) (ports.Book, error) {
	c.books++
	return c.RateLockStore.Book(ctx, key)
}

func (c *counting) List(ctx context.Context, q ports.LockQuery) ([]ports.RateLock, error) {
	if !q.DueBy.IsZero() {
		if c.pages++; c.pages > c.most {
			return nil, errors.New("too many pages requested")
		}
	}
	page, err := c.RateLockStore.List(ctx, q)
	c.listed += len(page)
	return page, err
}
