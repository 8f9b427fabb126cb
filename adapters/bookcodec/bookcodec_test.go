package bookcodec_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/bookcodec"
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
		packed := bookcodec.Append(nil, &book)
		got := ports.Book{Key: key}
		require.NoError(t, bookcodec.Read(&got, packed))
		require.Equal(t, book, got)
		cut := rapid.IntRange(0, len(packed)-1).Draw(t, "cut")
		require.ErrorIs(t, bookcodec.Read(&got, packed[:cut]), errcodes.CorruptRecord)
		require.ErrorIs(t, bookcodec.Read(&got, append(packed, 0)), errcodes.CorruptRecord)
	})
}

func FuzzPackedSlots(f *testing.F) {
	book := ports.Book{Key: ports.BookKey{Owner: "o", Pair: ports.Pair{Base: "USD", Quote: "ZAR"}}}
	f.Add(bookcodec.Append(nil, &book))
	book.Slots[0] = ports.RateLock{ID: "rl_1", Owner: "o", Base: "USD", Quote: "ZAR", MidRate: "18.25", Status: ports.LockActive}
	f.Add(bookcodec.Append(nil, &book))
	f.Fuzz(func(t *testing.T, data []byte) {
		read := ports.Book{Key: book.Key}
		if err := bookcodec.Read(&read, data); err != nil {
			require.ErrorIs(t, err, errcodes.CorruptRecord)
			return
		}
		again := ports.Book{Key: book.Key}
		require.NoError(t, bookcodec.Read(&again, bookcodec.Append(nil, &read)))
		require.Equal(t, read, again, "packing and reading again changes nothing")
	})
}
