package ratelock_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/corridor-go/corridor/internal/integration/planted"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/ratelock"
)

// machine drives two services on one store, whose clocks jump in both directions, and a
// model of the rules.
type machine struct {
	store    ports.RateLockStore
	feed     *fake.Feed
	mids     map[ports.Pair]string
	clocks   [2]*portstest.Clock
	services [2]*ratelock.Service
	validity time.Duration
	books    map[ports.BookKey]*modelBook
	ids      map[string]ports.BookKey
	down     bool
}

type modelBook struct {
	high  time.Time
	locks []ports.RateLock
}

func newMachine(t *rapid.T, store ports.RateLockStore, run int) *machine {
	m := &machine{store: store, mids: map[ports.Pair]string{}, books: map[ports.BookKey]*modelBook{}, ids: map[string]ports.BookKey{}, validity: time.Minute}
	m.feed = fake.NewFeed(func() time.Time { return noon.Add(-48 * time.Hour) })
	for _, pair := range []ports.Pair{usdzar, usdzar.Inverse()} {
		m.feed.Offer(pair, "18.25")
		m.mids[pair] = "18.25"
	}
	for _, owner := range []string{"a", "b"} {
		for _, pair := range []ports.Pair{usdzar, usdzar.Inverse()} {
			m.books[ports.BookKey{Owner: fmt.Sprintf("%s-%d", owner, run), Pair: pair}] = &modelBook{}
		}
	}
	for i := range m.services {
		m.clocks[i] = portstest.NewClock(noon)
		s, err := ratelock.New(ratelock.Ports{Locks: store, Feed: m.feed}, ratelock.Terms{MarkupBps: 150, Validity: m.validity}, &ratelock.Config{Clock: m.clocks[i]})
		require.NoError(t, err)
		m.services[i] = s
	}
	return m
}

func (m *machine) process(t *rapid.T) (*ratelock.Service, time.Time) {
	i := rapid.IntRange(0, len(m.services)-1).Draw(t, "process")
	return m.services[i], m.clocks[i].Now()
}

func (m *machine) key(t *rapid.T) ports.BookKey {
	var keys []ports.BookKey
	for k := range m.books {
		keys = append(keys, k)
	}
	i := rapid.IntRange(0, len(keys)-1).Draw(t, "book")
	best := keys[0]
	for range i + 1 { // in order, because maps are unordered
		best = ports.BookKey{Owner: "~"}
		for _, k := range keys {
			if k.Owner+k.Pair.Base < best.Owner+best.Pair.Base {
				best = k
			}
		}
		for j, k := range keys {
			if k == best {
				keys = append(keys[:j], keys[j+1:]...)
				break
			}
		}
	}
	return best
}

// at records the decision time of the book. Locks that have expired by then stay expired.
func (b *modelBook) at(now time.Time) time.Time {
	if now.Before(b.high) {
		now = b.high
	}
	for i := range b.locks {
		if l := &b.locks[i]; l.Status == ports.LockActive && !now.Before(l.ExpiresAt) {
			l.Status, l.EndedAt, l.AsOf = ports.LockExpired, l.ExpiresAt, l.ExpiresAt
		}
	}
	return now
}

func (b *modelBook) live() []ports.RateLock {
	var out []ports.RateLock
	for _, l := range b.locks {
		if l.Status == ports.LockActive {
			out = append(out, l)
		}
	}
	return out
}

func (m *machine) Create(t *rapid.T) {
	s, now := m.process(t)
	key := m.key(t)
	b := m.books[key]
	at := b.at(now)
	live := b.live()
	l, minted, err := s.Create(context.Background(), key.Owner, key.Pair)
	switch {
	case len(live) == ports.MaxLiveLocks:
		require.NoError(t, err, "a full pair always answers")
		require.False(t, minted, "I2")
		want := live[len(live)-1]
		want.AsOf = at
		require.Equal(t, want, l, "the freshest")
	case m.down:
		require.ErrorIs(t, err, errcodes.PriceUnavailable)
	case b.high.Sub(now) > ratelock.DefaultMaxClockLead:
		require.ErrorIs(t, err, errcodes.ClockBehind)
	default:
		require.NoError(t, err, "I12")
		m.minted(t, b, key, now, l, minted)
	}
}

func (m *machine) minted(t *rapid.T, b *modelBook, key ports.BookKey, now time.Time, l ports.RateLock, minted bool) {
	require.True(t, minted)
	_, taken := m.ids[l.ID]
	require.False(t, taken, "I13")
	want := now
	if !now.After(b.high) {
		want = b.high.Add(time.Millisecond)
	}
	require.Equal(t, want, l.CreatedAt)
	require.Equal(t, m.validity, l.ExpiresAt.Sub(l.CreatedAt))
	b.high = l.CreatedAt
	b.locks = append(b.locks, l)
	m.ids[l.ID] = key
}

func (m *machine) Current(t *rapid.T) {
	if m.down {
		t.Skip("see Create")
	}
	s, now := m.process(t)
	key := m.key(t)
	b := m.books[key]
	left := time.Duration(rapid.Int64Range(0, int64(m.validity)-1).Draw(t, "left"))
	at := b.at(now)
	live := b.live()
	l, short, err := s.Current(context.Background(), key.Owner, key.Pair, left)
	var freshest ports.RateLock
	if len(live) > 0 {
		freshest = live[len(live)-1]
		freshest.AsOf = at
	}
	behind := b.high.Sub(now) > ratelock.DefaultMaxClockLead
	switch {
	case len(live) == ports.MaxLiveLocks, len(live) > 0 && (behind || freshest.ExpiresAt.Sub(at) >= left):
		require.NoError(t, err)
		require.Equal(t, freshest, l)
		require.Equal(t, freshest.ExpiresAt.Sub(at) < left, short)
	case behind:
		require.ErrorIs(t, err, errcodes.ClockBehind)
		require.False(t, short)
	default:
		require.NoError(t, err)
		require.False(t, short)
		m.minted(t, b, key, now, l, true)
	}
}

func (m *machine) pick(t *rapid.T) (string, *modelBook, int) {
	key := m.key(t)
	b := m.books[key]
	if len(b.locks) == 0 {
		t.Skip("no lock yet")
	}
	i := rapid.IntRange(0, len(b.locks)-1).Draw(t, "lock")
	return key.Owner, b, i
}

func (m *machine) Get(t *rapid.T) {
	s, now := m.process(t)
	owner, b, i := m.pick(t)
	id := b.locks[i].ID
	if b.locks[i].Status == ports.LockActive {
		at := b.at(now)
		if b.locks[i].Status == ports.LockActive {
			b.locks[i].AsOf = at
		}
	}
	l, err := s.Get(context.Background(), owner, id)
	require.NoError(t, err)
	require.Equal(t, b.locks[i], l, "I4, I5, I9")
}

func (m *machine) Cancel(t *rapid.T) {
	s, now := m.process(t)
	owner, b, i := m.pick(t)
	if want := &b.locks[i]; want.Status == ports.LockActive {
		if at := b.at(now); want.Status == ports.LockActive {
			want.Status, want.CancellationReason = ports.LockCancelled, ports.CancelledRequested
			want.EndedAt, want.AsOf = at, at
		}
	}
	l, err := s.Cancel(context.Background(), owner, b.locks[i].ID)
	require.NoError(t, err)
	require.Equal(t, b.locks[i], l, "I7, I8")
}

func (m *machine) Sweep(t *rapid.T) {
	s, now := m.process(t)
	require.NoError(t, s.Sweep(context.Background(), now))
	for _, b := range m.books {
		for _, l := range b.locks {
			if l.Status == ports.LockActive && !now.Before(l.ExpiresAt) {
				b.at(now)
			}
		}
	}
}

// Drift moves one market and makes a new process check it twice: every lock with another
// mid is cancelled, because the tolerance is zero.
func (m *machine) Drift(t *rapid.T) {
	if m.down {
		t.Skip("a dead feed cancels nothing")
	}
	pair := rapid.SampledFrom([]ports.Pair{usdzar, usdzar.Inverse()}).Draw(t, "pair")
	m.mids[pair] = rapid.SampledFrom([]string{"18.25", "18.50", "18.00"}).Draw(t, "mid")
	m.feed.Set(pair, m.mids[pair])
	clock := m.clocks[rapid.IntRange(0, len(m.clocks)-1).Draw(t, "process")]
	s, err := ratelock.New(ratelock.Ports{Locks: m.store, Feed: m.feed}, ratelock.Terms{Validity: m.validity}, &ratelock.Config{Clock: clock})
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, s.Drift(context.Background(), clock.Now()))
	}
	for key, b := range m.books {
		b.drift(clock.Now(), m.mids[key.Pair])
	}
}

func (b *modelBook) drift(now time.Time, mid string) {
	for i := range b.locks {
		l := &b.locks[i]
		if l.Status != ports.LockActive || l.MidRate == mid {
			continue
		}
		at := b.at(now)
		if l.Status != ports.LockActive {
			continue
		}
		live, _ := new(big.Rat).SetString(mid)
		was, _ := new(big.Rat).SetString(l.MidRate)
		bps, _ := new(big.Rat).Quo(new(big.Rat).Sub(live, was), was).Float64()
		l.Status, l.CancellationReason, l.EndedAt, l.AsOf = ports.LockCancelled, ports.CancelledMarketDrift, at, at
		l.ObservedMid, l.DeviationBps = mid, int64(math.Round(bps*10_000))
	}
}

func (m *machine) ClockMoves(t *rapid.T) {
	i := rapid.IntRange(0, len(m.clocks)-1).Draw(t, "clock")
	ms := rapid.OneOf(rapid.IntRange(-1000, 1000), rapid.IntRange(-100_000, 100_000), rapid.IntRange(-3_600_000, 3_600_000)).Draw(t, "ms")
	m.clocks[i].Set(m.clocks[i].Now().Add(time.Duration(ms) * time.Millisecond))
}

func (m *machine) FeedFailsOrRecovers(*rapid.T) {
	m.down = !m.down
	if m.down {
		m.feed.Fail(errors.New("down"))
	} else {
		m.feed.Recover()
	}
}

func (m *machine) Check(t *rapid.T) {
	for _, b := range m.books {
		require.LessOrEqual(t, len(b.live()), ports.MaxLiveLocks, "I1")
	}
}

func checkMachine(t rapid.TB, store ports.RateLockStore) {
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		m := newMachine(t, store, run)
		t.Repeat(map[string]func(*rapid.T){
			"create": m.Create, "current": m.Current, "get": m.Get, "cancel": m.Cancel, "sweep": m.Sweep,
			"drift": m.Drift, "clock": m.ClockMoves, "feed": m.FeedFailsOrRecovers, "": m.Check,
		})
	})
}

// The test covers I1 to I5, I7 to I9 and I11 to I13 on every store.
func TestTheServiceAgreesWithTheModel(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			if name != "memory" {
				fewerChecks(t)
			}
			checkMachine(t, open(t))
		})
	}
}

// fewerChecks makes a quarter of the checks, because a file is slow.
func fewerChecks(t *testing.T) {
	t.Helper()
	checks := flag.Lookup("rapid.checks").Value
	before := checks.String()
	asked, err := strconv.Atoi(before)
	require.NoError(t, err)
	require.NoError(t, checks.Set(strconv.Itoa(max(1, asked/4))))
	t.Cleanup(func() { require.NoError(t, checks.Set(before)) })
}

// forgetful does not store changes that only write expiry down.
type forgetful struct{ ports.RateLockStore }

func (f forgetful) Save(ctx context.Context, c ports.RateLockChange) error {
	if c.Minted == nil && !slices.ContainsFunc(c.Ended, func(l ports.RateLock) bool { return l.Status != ports.LockExpired }) {
		return nil
	}
	return f.RateLockStore.Save(ctx, c)
}

// vague checks the cap by the stored status only.
type vague struct{ ports.RateLockStore }

func (v vague) Book(ctx context.Context, key ports.BookKey) (ports.Book, error) {
	b, err := v.RateLockStore.Book(ctx, key)
	for i := range b.Live() {
		b.Slots[i].ExpiresAt = b.Slots[i].ExpiresAt.Add(time.Millisecond)
	}
	return b, err
}

func TestTheMachineFindsPlantedBugs(t *testing.T) {
	// Nobody reads the counterexample, so it need not be small.
	shrink := flag.Lookup("rapid.shrinktime").Value
	before := shrink.String()
	require.NoError(t, shrink.Set("0s"))
	t.Cleanup(func() { require.NoError(t, shrink.Set(before)) })
	for name, plant := range map[string]func(ports.RateLockStore) ports.RateLockStore{
		"a read that does not write expiry down breaks I9": func(s ports.RateLockStore) ports.RateLockStore { return forgetful{s} },
		"an expiry that is a millisecond late":             func(s ports.RateLockStore) ports.RateLockStore { return vague{s} },
	} {
		t.Run(name, func(t *testing.T) {
			store := plant(stores["memory"](t))
			require.True(t, planted.Fails(func(t rapid.TB) { checkMachine(t, store) }))
		})
	}
}
