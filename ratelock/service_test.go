package ratelock_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ratelock"
)

func TestTheThirdCreateReturnsTheFreshestLockAndChangesNothing(t *testing.T) {
	r := newRig(t)
	first, minted := r.create()
	require.True(t, minted)
	require.Equal(t, "18.2500", first.MidRate)
	require.Equal(t, "18.52375", first.AllInRate)
	require.Equal(t, noon, first.CreatedAt)
	require.Equal(t, noon.Add(time.Hour), first.ExpiresAt)
	require.Equal(t, noon, first.AsOf)
	second, minted := r.create()
	require.True(t, minted)
	require.Equal(t, noon.Add(time.Millisecond), second.CreatedAt, "createdAt rises although the clock stands still")
	before, err := r.store.RateLocks().Book(t.Context(), first.Book())
	require.NoError(t, err)
	third, minted := r.create()
	require.False(t, minted)
	require.Equal(t, second, third)
	after, err := r.store.RateLocks().Book(t.Context(), first.Book())
	require.NoError(t, err)
	require.Equal(t, before, after, "I3")
	require.Equal(t, []string{ratelock.EventMinted, ratelock.EventMinted}, r.kinds())
}

func TestEachOwnerAndDirectionHasItsOwnBook(t *testing.T) {
	r := newRig(t)
	r.feed.Offer(usdzar.Inverse(), "0.0547945")
	for _, owner := range []string{"shop", "Shop", "shop "} {
		for _, pair := range []ports.Pair{usdzar, usdzar.Inverse()} {
			for range ports.MaxLiveLocks {
				_, minted, err := r.locks.Create(t.Context(), owner, pair)
				require.NoError(t, err)
				require.True(t, minted)
			}
		}
	}
}

func TestCreateChecksItsArgumentsInOrder(t *testing.T) {
	r := newRig(t)
	usdngn := ports.Pair{Base: "USD", Quote: "NGN"}
	r.feed.Offer(usdngn, "1500.10")
	r.feed.Drop(usdngn)
	some := ratelock.PolicyTable{Owners: map[string]ratelock.OwnerPolicy{"shop": {Default: &plain}}}
	locks := r.service(r.store.RateLocks(), r.clock, some)
	for _, c := range []struct {
		name  string
		owner string
		pair  ports.Pair
		want  errcodes.Code
	}{
		{"a code in lower case", "shop", ports.Pair{Base: "usd", Quote: "ZAR"}, errcodes.InvalidRequest},
		{"an unknown currency", "shop", ports.Pair{Base: "USD", Quote: "XYZ"}, errcodes.InvalidRequest},
		{"no currencies", "shop", ports.Pair{}, errcodes.InvalidRequest},
		{"gold is in ISO 4217 and not offered", "shop", ports.Pair{Base: "XAU", Quote: "ZAR"}, errcodes.PairNotOffered},
		{"base is quote", "shop", ports.Pair{Base: "USD", Quote: "USD"}, errcodes.PairNotOffered},
		{"known currencies, but not offered", "shop", ports.Pair{Base: "ZAR", Quote: "USD"}, errcodes.PairNotOffered},
		{"not offered comes before not enabled", "stranger", ports.Pair{Base: "ZAR", Quote: "USD"}, errcodes.PairNotOffered},
		{"an owner without terms", "stranger", usdzar, errcodes.FXNotEnabled},
		{"offered without a price", "shop", usdngn, errcodes.PriceUnavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 2 {
				_, _, err := locks.Create(t.Context(), c.owner, c.pair)
				require.ErrorIs(t, err, c.want, "the same error twice")
			}
		})
	}
	require.Empty(t, r.events(), "nothing was stored (I13)")
}

func TestAnErrorNamesTheFieldOfABadCurrency(t *testing.T) {
	r := newRig(t)
	for _, c := range []struct {
		pair          ports.Pair
		field, reason string
	}{
		{ports.Pair{Quote: "ZAR"}, "base", "required"},
		{ports.Pair{Base: "USD"}, "quote", "required"},
		{ports.Pair{Base: "usd", Quote: "ZAR"}, "base", "not an ISO 4217 currency code"},
		{ports.Pair{Base: "USD", Quote: "XYZ"}, "quote", "not an ISO 4217 currency code"},
	} {
		_, _, err := r.locks.Create(t.Context(), "shop", c.pair)
		var details errcodes.FieldDetails
		require.ErrorAs(t, err, &details)
		require.Equal(t, []errcodes.Field{{Name: c.field, Reason: c.reason}}, details.Fields)
		require.Equal(t, c.field+": "+c.reason, errcodes.MessageOf(err))
	}
}

func TestAnExpiredLockStaysExpired(t *testing.T) {
	r := newRig(t)
	l, _ := r.create()
	r.clock.Set(l.ExpiresAt.Add(-time.Millisecond))
	require.Equal(t, ports.LockActive, r.get(l.ID).Status)
	r.clock.Set(l.ExpiresAt)
	expired := r.get(l.ID)
	require.Equal(t, ports.LockExpired, expired.Status)
	require.Equal(t, l.ExpiresAt, expired.EndedAt)
	r.clock.Set(noon)
	require.Equal(t, expired, r.get(l.ID), "I9, although the clock went back")
	cancelled, err := r.locks.Cancel(t.Context(), "shop", l.ID)
	require.NoError(t, err)
	require.Equal(t, expired, cancelled, "I8")
	require.Equal(t, []string{ratelock.EventMinted, ratelock.EventExpired}, r.kinds())
}

func TestAReadOfOneLockStoresTheExpiryOfTheOther(t *testing.T) {
	r := newRig(t)
	first, _ := r.create()
	r.clock.Advance(time.Minute)
	second, _ := r.create()
	r.clock.Set(first.ExpiresAt)
	require.Equal(t, ports.LockActive, r.get(second.ID).Status)
	r.clock.Set(second.CreatedAt)
	require.Equal(t, ports.LockExpired, r.get(first.ID).Status, "I9: the book had decided after its expiry")
}

func TestACreateWithoutAPriceStoresTheExpiryItFound(t *testing.T) {
	r := newRig(t)
	r.create()
	l, _ := r.create()
	r.clock.Set(l.ExpiresAt)
	r.feed.Fail(errors.New("down"))
	_, _, err := r.locks.Create(t.Context(), "shop", usdzar)
	require.ErrorIs(t, err, errcodes.PriceUnavailable)
	r.clock.Set(noon)
	require.Equal(t, ports.LockExpired, r.get(l.ID).Status)
}

func TestCancelIsIdempotentAndFreesASlot(t *testing.T) {
	r := newRig(t)
	first, _ := r.create()
	r.create()
	r.clock.Advance(time.Minute)
	want, err := r.locks.Cancel(t.Context(), "shop", first.ID)
	require.NoError(t, err)
	require.Equal(t, ports.LockCancelled, want.Status)
	require.Equal(t, ports.CancelledRequested, want.CancellationReason)
	require.Equal(t, want.EndedAt, noon.Add(time.Minute))
	for range 3 {
		r.clock.Advance(2 * time.Hour)
		again, err := r.locks.Cancel(t.Context(), "shop", first.ID)
		require.NoError(t, err)
		require.Equal(t, want, again)
		require.Equal(t, want, r.get(first.ID), "I4")
	}
	_, minted := r.create()
	require.True(t, minted, "I12")
}

func TestAnotherOwnersLockIsNotFound(t *testing.T) {
	r := newRig(t)
	l, _ := r.create()
	for _, c := range [][2]string{{"other", l.ID}, {"shop", "rl_unknown"}, {"shop", ""}, {"shop", l.ID + " "}} {
		_, err := r.locks.Get(t.Context(), c[0], c[1])
		require.Equal(t, errcodes.NotFound, errcodes.Of(err))
		require.ErrorIs(t, err, errcodes.NotFound)
		require.ErrorIs(t, err, errcodes.RateLockNotFound, "as from Use")
		_, err = r.locks.Cancel(t.Context(), c[0], c[1])
		require.ErrorIs(t, err, errcodes.NotFound)
		_, err = r.locks.Use(t.Context(), c[0], c[1], usdzar)
		require.Equal(t, errcodes.RateLockNotFound, errcodes.Of(err))
		require.ErrorIs(t, err, errcodes.RateLockNotFound)
		require.ErrorIs(t, err, errcodes.NotFound, "as from Get")
	}
	require.Equal(t, ports.LockActive, r.get(l.ID).Status)
}

func TestAnOwnerIsRequired(t *testing.T) {
	r := newRig(t)
	for name, call := range map[string]func() error{
		"Create":  func() error { _, _, err := r.locks.Create(t.Context(), "", usdzar); return err },
		"Current": func() error { _, _, err := r.locks.Current(t.Context(), "", usdzar, 0); return err },
		"Use":     func() error { _, err := r.locks.Use(t.Context(), "", "rl_1", usdzar); return err },
		"Get":     func() error { _, err := r.locks.Get(t.Context(), "", "rl_1"); return err },
		"Cancel":  func() error { _, err := r.locks.Cancel(t.Context(), "", "rl_1"); return err },
	} {
		err := call()
		require.ErrorIs(t, err, errcodes.InvalidRequest, name)
		var details errcodes.FieldDetails
		require.ErrorAs(t, err, &details, name)
		require.Equal(t, "owner", details.Fields[0].Name)
	}
}

// errors.Is agrees with errcodes.Of, also for errors of a context or a store.
func TestEveryErrorHasACode(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	locks := r.service(answering{r.store.RateLocks()}, r.clock, plain)
	for name, call := range map[string]func(context.Context) (any, error){
		"Create": func(ctx context.Context) (any, error) { l, _, err := locks.Create(ctx, "shop", usdzar); return l, err },
		"Current": func(ctx context.Context) (any, error) {
			l, _, err := locks.Current(ctx, "shop", usdzar, 0)
			return l, err
		},
		"Use":    func(ctx context.Context) (any, error) { return locks.Use(ctx, "shop", "rl_1", usdzar) },
		"Get":    func(ctx context.Context) (any, error) { return locks.Get(ctx, "shop", "rl_1") },
		"Cancel": func(ctx context.Context) (any, error) { return locks.Cancel(ctx, "shop", "rl_1") },
		"Tick":   func(ctx context.Context) (any, error) { return nil, locks.Tick(ctx, noon) },
	} {
		got, err := call(ctx)
		require.ErrorIs(t, err, context.Canceled, name)
		require.ErrorIs(t, err, errcodes.Canceled, name)
		require.Equal(t, errcodes.Canceled, errcodes.Of(err), name)
		require.Empty(t, got, "a result with an error is ignored")

		got, err = call(t.Context())
		require.ErrorIs(t, err, errcodes.Internal, name)
		require.Equal(t, errcodes.Internal, errcodes.Of(err), name)
		require.Empty(t, got, name)
	}
}

// answering returns a result together with an error, the context's or one without a code.
type answering struct{ ports.RateLockStore }

func (answering) fail(ctx context.Context) error { return cmp.Or(ctx.Err(), errors.New("broken")) }

func (a answering) Book(ctx context.Context, key ports.BookKey) (ports.Book, error) {
	return ports.Book{Key: key, Slots: [ports.MaxLiveLocks]ports.RateLock{{ID: "rl_1"}, {ID: "rl_2"}}}, a.fail(ctx)
}

func (a answering) Lock(ctx context.Context, _, id string) (ports.RateLock, ports.Book, error) {
	return ports.RateLock{ID: id, Status: ports.LockActive}, ports.Book{}, a.fail(ctx)
}

func (a answering) List(ctx context.Context, _ ports.LockQuery) ([]ports.RateLock, error) {
	return []ports.RateLock{{ID: "rl_1"}}, a.fail(ctx)
}

func TestMintsAndFailuresAreLogged(t *testing.T) {
	r := newRig(t)
	var log bytes.Buffer
	locks, err := ratelock.New(ratelock.Ports{Locks: r.store.RateLocks(), Feed: r.feed}, plain, &ratelock.Config{
		Clock: r.clock, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	require.NoError(t, err)
	l, _, err := locks.Create(t.Context(), "shop", usdzar)
	require.NoError(t, err)
	require.Contains(t, log.String(), "level=DEBUG msg=\"rate lock minted\" owner=shop pair=USD/ZAR lock="+l.ID)
	_, _, err = locks.Create(t.Context(), "shop", ports.Pair{Base: "USD", Quote: "USD"})
	require.ErrorIs(t, err, errcodes.PairNotOffered)
	require.Contains(t, log.String(), "level=DEBUG msg=\"rate lock request failed\" owner=shop pair=USD/USD error=")
}

// A lock that seemed expired when it was read may be active when its book decides.
func TestTheBookDecidesIfTheClockGoesBackAfterTheRead(t *testing.T) {
	r := newRig(t)
	l, _ := r.create()
	back := func() *ratelock.Service {
		return r.service(r.store.RateLocks(), &jumpy{Clock: r.clock, times: []time.Time{l.ExpiresAt, noon.Add(time.Minute)}}, plain)
	}
	got, err := back().Get(t.Context(), "shop", l.ID)
	require.NoError(t, err)
	require.Equal(t, ports.LockActive, got.Status)
	require.Equal(t, noon.Add(time.Minute), got.AsOf)
	got, err = back().Cancel(t.Context(), "shop", l.ID)
	require.NoError(t, err)
	require.Equal(t, ports.LockCancelled, got.Status)
	require.Equal(t, noon.Add(time.Minute), got.EndedAt)
}

// jumpy is a clock that returns the times in order, and then always the last.
type jumpy struct {
	ports.Clock

	times []time.Time
}

func (c *jumpy) Now() time.Time {
	now := c.times[0]
	if len(c.times) > 1 {
		c.times = c.times[1:]
	}
	return now
}

// The store returns an active lock although it has left its book.
func TestAStaleReadOfALockIsStorageUnavailable(t *testing.T) {
	r := newRig(t)
	l, _ := r.create()
	r.clock.Set(l.ExpiresAt)
	stale := &staleLock{RateLockStore: r.store.RateLocks()}
	_, err := r.service(stale, r.clock, plain).Get(t.Context(), "shop", l.ID)
	require.ErrorIs(t, err, errcodes.StorageUnavailable)
	require.Equal(t, 2, stale.reads)
}

// staleLock returns the lock as it was at first, although another process ended it.
type staleLock struct {
	ports.RateLockStore

	reads int
	lock  ports.RateLock
	book  ports.Book
}

func (s *staleLock) Lock(ctx context.Context, owner, id string) (ports.RateLock, ports.Book, error) {
	if s.reads++; s.reads == 1 {
		var err error
		if s.lock, s.book, err = s.RateLockStore.Lock(ctx, owner, id); err != nil {
			return ports.RateLock{}, ports.Book{}, err
		}
	}
	return s.lock, s.book, nil
}

func (s *staleLock) Save(context.Context, ports.RateLockChange) error {
	return errcodes.New(errcodes.Conflict, "")
}

func (s *staleLock) Book(_ context.Context, key ports.BookKey) (ports.Book, error) {
	return ports.Book{Key: key, Version: s.book.Version + 1, HighWater: s.book.HighWater}, nil
}

func TestAnActiveLockOutsideItsBookIsCorrupt(t *testing.T) {
	r := newRig(t)
	l, _ := r.create()
	locks := r.service(orphaning{r.store.RateLocks()}, r.clock, plain)
	_, err := locks.Get(t.Context(), "shop", l.ID)
	require.ErrorIs(t, err, errcodes.CorruptRecord)
}

// orphaning empties the slots of a book that is read with a lock.
type orphaning struct{ ports.RateLockStore }

func (o orphaning) Lock(ctx context.Context, owner, id string) (ports.RateLock, ports.Book, error) {
	l, b, err := o.RateLockStore.Lock(ctx, owner, id)
	b.Slots = [ports.MaxLiveLocks]ports.RateLock{}
	return l, b, err
}
