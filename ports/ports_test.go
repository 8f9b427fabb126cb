package ports_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

func drawTime(t *rapid.T, name string) time.Time {
	if rapid.Bool().Draw(t, name+" is zero") {
		return time.Time{}
	}
	return time.UnixMilli(rapid.Int64Range(-1<<40, 1<<45).Draw(t, name)).UTC()
}

func drawLock(t *rapid.T, key ports.BookKey) ports.RateLock {
	str := rapid.StringMatching(`[a-z0-9.]{0,12}`)
	return ports.RateLock{
		ID: rapid.StringMatching(`.{1,20}`).Draw(t, "id"), Owner: key.Owner, Base: key.Pair.Base, Quote: key.Pair.Quote,
		MidRate: str.Draw(t, "mid"), AllInRate: str.Draw(t, "all in"), MidSource: str.Draw(t, "source"),
		Status: ports.LockStatus(str.Draw(t, "status")), CancellationReason: ports.CancellationReason(str.Draw(t, "reason")),
		ObservedMid: str.Draw(t, "observed"), MarkupBps: rapid.Int().Draw(t, "markup"), ToleranceBps: rapid.Int().Draw(t, "tolerance"),
		DeviationBps: rapid.Int64().Draw(t, "deviation"), MidAt: drawTime(t, "mid at"), CreatedAt: drawTime(t, "created"),
		ExpiresAt: drawTime(t, "expires"), EndedAt: drawTime(t, "ended"),
	}
}

func TestPackedSlotsComeBackEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := ports.BookKey{Owner: rapid.String().Draw(t, "owner"), Pair: ports.Pair{Base: "USD", Quote: "ZAR"}}
		book := ports.Book{Key: key}
		for i := range rapid.IntRange(0, ports.MaxLiveLocks).Draw(t, "live") {
			book.Slots[i] = drawLock(t, key)
		}
		packed := book.AppendSlots(nil)
		got := ports.Book{Key: key}
		require.NoError(t, got.SetSlots(packed))
		require.Equal(t, book, got)
		cut := rapid.IntRange(0, len(packed)-1).Draw(t, "cut")
		require.ErrorIs(t, got.SetSlots(packed[:cut]), errcodes.CorruptRecord)
		require.ErrorIs(t, got.SetSlots(append(packed, 0)), errcodes.CorruptRecord)
	})
}

func FuzzPackedSlots(f *testing.F) {
	book := ports.Book{Key: ports.BookKey{Owner: "o", Pair: ports.Pair{Base: "USD", Quote: "ZAR"}}}
	f.Add(book.AppendSlots(nil))
	book.Slots[0] = ports.RateLock{ID: "rl_1", Owner: "o", Base: "USD", Quote: "ZAR", MidRate: "18.25", Status: ports.LockActive}
	f.Add(book.AppendSlots(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		read := ports.Book{Key: book.Key}
		if err := read.SetSlots(data); err != nil {
			require.ErrorIs(t, err, errcodes.CorruptRecord)
			return
		}
		again := ports.Book{Key: book.Key}
		require.NoError(t, again.SetSlots(read.AppendSlots(nil)))
		require.Equal(t, read, again, "what was read packs and reads the same")
	})
}

func TestSetDecimalAgreesWithApd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?`).Draw(t, "text")
		var got apd.Decimal
		require.NoError(t, ports.SetDecimal(&got, text))
		want, _, err := apd.NewFromString(text)
		require.NoError(t, err)
		require.Equal(t, want.Text('f'), got.Text('f'))
		require.Equal(t, text, got.Text('f'))
	})
}

func TestPairSet(t *testing.T) {
	zar, ngn := ports.Pair{Base: "USD", Quote: "ZAR"}, ports.Pair{Base: "USD", Quote: "NGN"}
	set := ports.NewPairSet(zar, ngn, zar)
	require.Equal(t, 2, set.Len())
	require.Equal(t, []ports.Pair{ngn, zar}, set.All())
	require.True(t, set.Has(zar))
	require.False(t, set.Has(zar.Inverse()))
	set.All()[0] = ports.Pair{}
	require.Equal(t, []ports.Pair{ngn, zar}, set.All(), "the list is the caller's own")
	require.False(t, ports.PairSet{}.Has(zar))
}

func TestSystemClock(t *testing.T) {
	clock := ports.SystemClock()
	require.False(t, clock.Now().IsZero())
	<-clock.After(0)
}

func ExampleSetRate() {
	var rate apd.Decimal
	fmt.Println(ports.SetRate(&rate, "18.2500"), rate.Text('f'))
	fmt.Println(ports.SetRate(&rate, "1e3"))
	// Output:
	// <nil> 18.2500
	// invalid_request: a number is plain decimal text
}

func ExampleAllInRate() {
	fmt.Println(ports.AllInRate("18.2500", 150))
	// Output: 18.52375 <nil>
}

func ExampleNewPairSet() {
	offered := ports.NewPairSet(ports.Pair{Base: "USD", Quote: "ZAR"}, ports.Pair{Base: "EUR", Quote: "XOF"})
	fmt.Println(offered.All(), offered.Has(ports.Pair{Base: "ZAR", Quote: "USD"}))
	// Output: [EUR/XOF USD/ZAR] false
}

func ExampleSystemClock() {
	var clock ports.Clock = ports.SystemClock()
	fmt.Println(clock.Now().IsZero())
	// Output: false
}

func TestMayName(t *testing.T) {
	const m = "7f2f6f0e-4b1e-4c7e-9d58-0d5a3c1d2e3f"
	anyone, limited := ports.Client{}, ports.Client{Merchants: []string{"a", m}}
	for merchant, want := range map[string]bool{m: true, strings.ToUpper(m): true, "a": true, "b": false, "": false, m + " ": false} {
		if got := limited.MayName(merchant); got != want {
			t.Errorf("%q: %t", merchant, got)
		}
		if !anyone.MayName(merchant) {
			t.Errorf("%q: a client without a list may name any", merchant)
		}
	}
}
