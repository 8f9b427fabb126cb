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

func TestTheThirdCallGetsTheFreshestAndChangesNothing(t *testing.T) {
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
	require.Equal(t, noon.Add(time.Millisecond), second.CreatedAt, "createdAt rises although the clock stands")
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

func TestOwnersAndDirectionsHaveBooksOfTheirOwn(t *testing.T) {
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

func TestCreateRefusesInOrder(t *testing.T) {
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
		{"lower case", "shop", ports.Pair{Base: "usd", Quote: "ZAR"}, errcodes.InvalidRequest},
		{"no such currency", "shop", ports.Pair{Base: "USD", Quote: "XYZ"}, errcodes.InvalidRequest},
		{"empty", "shop", ports.Pair{}, errcodes.InvalidRequest},
		{"gold is in ISO 4217 and not offered", "shop", ports.Pair{Base: "XAU", Quote: "ZAR"}, errcodes.PairNotOffered},
		{"base is quote", "shop", ports.Pair{Base: "USD", Quote: "USD"}, errcodes.PairNotOffered},
		{"known and not offered", "shop", ports.Pair{Base: "ZAR", Quote: "USD"}, errcodes.PairNotOffered},
		{"not offered comes before not enabled", "stranger", ports.Pair{Base: "ZAR", Quote: "USD"}, errcodes.PairNotOffered},
		{"an owner without terms", "stranger", usdzar, errcodes.FXNotEnabled},
		{"offered without a price", "shop", usdngn, errcodes.PriceUnavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 2 {
				_, _, err := locks.Create(t.Context(), c.owner, c.pair)
				require.ErrorIs(t, err, c.want, "the same answer twice")
			}
		})
	}
	require.Empty(t, r.events(), "nothing was stored (I13)")
}

func TestExpiryIsForGood(t *testing.T) {
	r := newRig(t)
	l, _ := r.create()
	r.clock.Set(l.ExpiresAt.Add(-time.Millisecond))
	require.Equal(t, ports.LockActive, r.get(l.ID).Status)
	r.clock.Set(l.ExpiresAt)
	expired := r.get(l.ID)
	require.Equal(t, ports.LockExpired, expired.Status)
	require.Equal(t, l.ExpiresAt, expired.EndedAt)
	r.clock.Set(noon)
	require.Equal(t, expired, r.get(l.ID), "I9: the clock went back, the answer did not")
	cancelled, err := r.locks.Cancel(t.Context(), "shop", l.ID)
	require.NoError(t, err)
	require.Equal(t, expired, cancelled, "I8")
	require.Equal(t, []string{ratelock.EventMinted, ratelock.EventExpired}, r.kinds())
}

func TestAReadOfOneLockWritesDownTheOthersEnd(t *testing.T) {
	r := newRig(t)
	first, _ := r.create()
	r.clock.Advance(time.Minute)
	second, _ := r.create()
	r.clock.Set(first.ExpiresAt)
	require.Equal(t, ports.LockActive, r.get(second.ID).Status)
	r.clock.Set(second.CreatedAt)
	require.Equal(t, ports.LockExpired, r.get(first.ID).Status, "I9: the book had decided past its end")
}

func TestARefusalForWantOfAPriceRestsOnExpiryWrittenDown(t *testing.T) {
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

func TestAnothersLockIsNotFound(t *testing.T) {
	r := newRig(t)
	l, _ := r.create()
	for _, c := range [][2]string{{"other", l.ID}, {"shop", "rl_unknown"}, {"shop", ""}, {"shop", l.ID + " "}, {"", l.ID}} {
		_, err := r.locks.Get(t.Context(), c[0], c[1])
		require.ErrorIs(t, err, errcodes.NotFound)
		_, err = r.locks.Cancel(t.Context(), c[0], c[1])
		require.ErrorIs(t, err, errcodes.NotFound)
		_, err = r.locks.Use(t.Context(), c[0], c[1], usdzar)
		require.ErrorIs(t, err, errcodes.RateLockNotFound)
	}
	require.Equal(t, ports.LockActive, r.get(l.ID).Status)
}

func TestAnActiveLockOutsideItsBookIsCorrupt(t *testing.T) {
	r := newRig(t)
	l, _ := r.create()
	locks := r.service(orphaning{r.store.RateLocks()}, r.clock, plain)
	_, err := locks.Get(t.Context(), "shop", l.ID)
	require.ErrorIs(t, err, errcodes.CorruptRecord)
}

// orphaning loses the slots of a book that is read with a lock.
type orphaning struct{ ports.RateLockStore }

func (o orphaning) Lock(ctx context.Context, owner, id string) (ports.RateLock, ports.Book, error) {
	l, b, err := o.RateLockStore.Lock(ctx, owner, id)
	b.Slots = [ports.MaxLiveLocks]ports.RateLock{}
	return l, b, err
}
