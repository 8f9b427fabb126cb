package ratelock_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ratelock"
)

// Receivers recognise repeated events by the id.
func TestAnEventsIDConsistsOfTheLocksIDAndStatus(t *testing.T) {
	r := newRig(t)
	first, _ := r.create()
	second, _ := r.create()
	_, err := r.locks.Cancel(t.Context(), "shop", first.ID)
	require.NoError(t, err)
	r.clock.Set(second.ExpiresAt)
	r.get(second.ID)
	var ids []string
	for _, e := range r.events() {
		ids = append(ids, e.ID)
	}
	require.Equal(t, []string{first.ID + ".active", second.ID + ".active", first.ID + ".cancelled", second.ID + ".expired"}, ids)
}

func TestEventDataIsTheLockAsEncodingJSONWritesIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := ports.BookKey{Owner: rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z"\\<>& \x00-\x7f]*`)).Draw(t, "owner"), Pair: usdzar}
		b, err := ratelock.RestoreBook(ports.Book{Key: key})
		require.NoError(t, err)
		price := priceAt(noon.Add(-time.Duration(rapid.IntRange(0, 5000).Draw(t, "age"))*time.Millisecond), drawRate(t))
		price.Source = rapid.String().Draw(t, "source")
		_, err = b.Mint(noon, rapid.StringMatching(`.{1,9}`).Draw(t, "id"), plain, price)
		require.NoError(t, err)
		minted, _ := ratelock.Freshest(b, noon)
		if rapid.Bool().Draw(t, "drifts") {
			require.NoError(t, b.Drift(noon.Add(time.Second), minted.ID, "19.01", rapid.Int64Range(-9999, 9999).Draw(t, "deviation")))
		}
		change, _ := b.Change()
		for i, e := range change.Events {
			lock := minted
			if i > 0 {
				lock = change.Ended[0]
			}
			want, err := json.Marshal(&lock)
			require.NoError(t, err)
			require.Equal(t, string(want), string(e.Data))
		}
	})
}
