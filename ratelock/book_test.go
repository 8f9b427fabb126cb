package ratelock_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ratelock"
)

var (
	usdzar = ports.Pair{Base: "USD", Quote: "ZAR"}
	noon   = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	plain  = ratelock.Terms{MarkupBps: 150, Validity: time.Hour, ToleranceBps: 200}
)

func priceAt(at time.Time, mid string) ports.Price {
	return ports.Price{Pair: usdzar, Mid: mid, Source: "test", At: at}
}

// bookMachine drives a Book, which it saves and restores, and compares it with a simple
// model: a list of locks.
type bookMachine struct {
	rec   ports.Book
	now   time.Time
	high  time.Time // the last decision time
	locks map[string]ports.RateLock
	order []string
	next  int
}

func (m *bookMachine) decision() time.Time {
	if m.now.Before(m.high) {
		return m.high
	}
	return m.now
}

// apply restores the book, lets fn act, checks the change, and saves it.
func (m *bookMachine) apply(t *rapid.T, fn func(b *ratelock.Book)) {
	b, err := ratelock.RestoreBook(m.rec)
	require.NoError(t, err)
	_, err = b.Expire(m.now)
	require.NoError(t, err)
	at := m.decision()
	for id, l := range m.locks {
		if l.Status == ports.LockActive && !at.Before(l.ExpiresAt) {
			l.Status, l.EndedAt, l.AsOf = ports.LockExpired, l.ExpiresAt, l.ExpiresAt
			m.locks[id] = l
		}
	}
	fn(b)
	change, dirty := b.Change()
	if !dirty {
		return
	}
	require.Equal(t, m.rec.Version, change.Book.Version)
	changed := change.Ended
	if change.Minted != nil {
		changed = append(changed, *change.Minted)
	}
	require.Len(t, change.Events, len(changed), "an event for each change (I32)")
	for _, l := range changed {
		want, ok := m.locks[l.ID]
		require.True(t, ok)
		require.Equal(t, want, l)
	}
	m.rec = change.Book
	m.rec.Version++
}

func (m *bookMachine) live() []ports.RateLock {
	var out []ports.RateLock
	for _, id := range m.order {
		if l := m.locks[id]; l.Status == ports.LockActive && m.decision().Before(l.ExpiresAt) {
			l.AsOf = m.decision()
			out = append(out, l)
		}
	}
	return out
}

func (m *bookMachine) Mint(t *rapid.T) {
	terms := ratelock.Terms{
		MarkupBps: rapid.IntRange(0, 500).Draw(t, "bps"),
		Validity:  time.Duration(rapid.IntRange(1, 100).Draw(t, "validity")) * time.Second,
	}
	mid := drawRate(t) // before the model changes: a draw that fails ends the action
	m.next++
	id := fmt.Sprintf("rl_%d", m.next)
	m.apply(t, func(b *ratelock.Book) {
		full := len(m.live()) == ports.MaxLiveLocks
		l, err := b.Mint(m.now, id, terms, priceAt(m.now, mid))
		if full {
			require.ErrorIs(t, err, errcodes.Conflict)
			return
		}
		require.NoError(t, err)
		require.True(t, l.CreatedAt.After(m.high), "createdAt rises")
		require.False(t, l.CreatedAt.Before(m.now))
		require.Equal(t, terms.Validity, l.ExpiresAt.Sub(l.CreatedAt))
		m.high = l.CreatedAt
		m.locks[id] = l
		m.order = append(m.order, id)
	})
}

func (m *bookMachine) Cancel(t *rapid.T) {
	if len(m.order) == 0 {
		t.Skip("nothing to cancel")
	}
	id := rapid.SampledFrom(m.order).Draw(t, "id")
	m.apply(t, func(b *ratelock.Book) {
		err := b.Cancel(m.now, id)
		l := m.locks[id]
		if l.Status != ports.LockActive {
			require.ErrorIs(t, err, errcodes.NotFound, "an ended lock is not in the slots")
			return
		}
		require.NoError(t, err)
		l.Status, l.CancellationReason = ports.LockCancelled, ports.CancelledRequested
		l.EndedAt, l.AsOf = m.decision(), m.decision()
		m.locks[id] = l
	})
}

func (m *bookMachine) ClockMoves(t *rapid.T) {
	m.now = m.now.Add(time.Duration(rapid.IntRange(-120_000, 120_000).Draw(t, "ms")) * time.Millisecond)
}

// Check compares book and model after every action.
func (m *bookMachine) Check(t *rapid.T) {
	b, err := ratelock.RestoreBook(m.rec)
	require.NoError(t, err)
	live := m.live()
	require.LessOrEqual(t, len(live), ports.MaxLiveLocks, "I1")
	freshest, n := ratelock.Freshest(b, m.now)
	require.Equal(t, len(live), n)
	if n > 0 {
		require.Equal(t, live[n-1], freshest)
	}
	for _, l := range live {
		held, ok := b.Find(l.ID)
		l.AsOf = held.AsOf
		require.True(t, ok)
		require.Equal(t, l, held)
	}
}

// I1, I4, I5, I7, I8 and the high water.
func TestABookBehavesLikeTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &bookMachine{
			rec: ports.Book{Key: ports.BookKey{Owner: "shop", Pair: usdzar}}, now: noon, locks: map[string]ports.RateLock{},
		}
		t.Repeat(map[string]func(*rapid.T){"mint": m.Mint, "cancel": m.Cancel, "clock": m.ClockMoves, "": m.Check})
	})
}

func TestAMintWithAnInvalidRateChangesNothing(t *testing.T) {
	b, err := ratelock.RestoreBook(ports.Book{Key: ports.BookKey{Owner: "shop", Pair: usdzar}})
	require.NoError(t, err)
	l, err := b.Mint(noon, "rl_1", plain, priceAt(noon, "NaN"))
	require.ErrorIs(t, err, errcodes.InvalidRequest)
	require.Zero(t, l)
	_, dirty := b.Change()
	require.False(t, dirty)
}

func TestRestoreBookRejectsImpossibleRecords(t *testing.T) {
	key := ports.BookKey{Owner: "shop", Pair: usdzar}
	b, err := ratelock.RestoreBook(ports.Book{Key: key})
	require.NoError(t, err)
	_, err = b.Mint(noon, "rl_1", plain, priceAt(noon, "18.25"))
	require.NoError(t, err)
	_, err = b.Mint(noon, "rl_2", plain, priceAt(noon, "18.26"))
	require.NoError(t, err)
	change, _ := b.Change()
	for name, damage := range map[string]func(*ports.Book){
		"negative version":              func(b *ports.Book) { b.Version = -1 },
		"another owner's lock":          func(b *ports.Book) { b.Slots[0].Owner = "other" },
		"another pair's lock":           func(b *ports.Book) { b.Slots[1].Quote = "NGN" },
		"an ended lock in a slot":       func(b *ports.Book) { b.Slots[0].Status = ports.LockExpired },
		"slots in the wrong order":      func(b *ports.Book) { b.Slots[0], b.Slots[1] = b.Slots[1], b.Slots[0] },
		"the same lock twice":           func(b *ports.Book) { b.Slots[1] = b.Slots[0] },
		"a high water below its locks":  func(b *ports.Book) { b.HighWater = noon.Add(-time.Second) },
		"a price that is not mid + bps": func(b *ports.Book) { b.Slots[0].AllInRate = "18.5237500001" },
		"a mid in scientific notation":  func(b *ports.Book) { b.Slots[0].MidRate = "1825e-2" },
		"a negative markup":             func(b *ports.Book) { b.Slots[0].MarkupBps = -1 },
		"a reason on an active lock":    func(b *ports.Book) { b.Slots[0].CancellationReason = ports.CancelledRequested },
		"an active lock with an end":    func(b *ports.Book) { b.Slots[0].EndedAt = noon },
		"expiry before creation":        func(b *ports.Book) { b.Slots[0].ExpiresAt = b.Slots[0].CreatedAt },
		"drift without its observation": func(b *ports.Book) { b.Slots[0].ObservedMid = "19" },
	} {
		t.Run(name, func(t *testing.T) {
			rec := change.Book
			damage(&rec)
			_, err := ratelock.RestoreBook(rec)
			require.ErrorIs(t, err, errcodes.CorruptRecord)
			require.NotContains(t, errcodes.MessageOf(err), "shop")
		})
	}
	_, err = ratelock.RestoreBook(change.Book)
	require.NoError(t, err)
}

func TestBookDriftRecordsTheObservedMid(t *testing.T) {
	b, err := ratelock.RestoreBook(ports.Book{Key: ports.BookKey{Owner: "shop", Pair: usdzar}})
	require.NoError(t, err)
	_, err = b.Mint(noon, "rl_1", plain, priceAt(noon, "18.25"))
	require.NoError(t, err)
	require.NoError(t, b.Drift(noon.Add(time.Minute), "rl_1", "18.80", 301))
	l, ok := b.Find("rl_1")
	require.True(t, ok)
	require.NoError(t, l.Check())
	require.Equal(t, ports.LockCancelled, l.Status)
	require.Equal(t, ports.CancelledMarketDrift, l.CancellationReason)
	require.Equal(t, "18.80", l.ObservedMid)
	require.EqualValues(t, 301, l.DeviationBps)
	require.Equal(t, noon.Add(time.Minute), l.EndedAt)
	require.ErrorIs(t, b.Cancel(noon, "rl_1"), errcodes.NotFound, "it has left the slots")
}

func ExampleRestoreBook() {
	book, err := ratelock.RestoreBook(ports.Book{Key: ports.BookKey{Owner: "shop", Pair: usdzar}})
	if err != nil {
		panic(err)
	}
	for _, id := range []string{"rl_1", "rl_2", "rl_3"} {
		_, err := book.Mint(noon, id, plain, priceAt(noon, "18.2500"))
		fmt.Println(id, err == nil)
	}
	second, live := book.Find("rl_2")
	fmt.Println(second.ID, second.AllInRate, second.CreatedAt.Sub(noon), live)
	// Output:
	// rl_1 true
	// rl_2 true
	// rl_3 false
	// rl_2 18.52375 1ms true
}
