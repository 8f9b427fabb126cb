package validation

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

func TestIDsAreUUIDs(t *testing.T) {
	ones := make([]byte, 16)
	for i := range ones {
		ones[i] = 0xff
	}
	at := time.UnixMilli(0x0123456789ab)
	for _, c := range []struct {
		random []byte
		want   string
	}{
		{make([]byte, 16), "01234567-89ab-7000-8000-0000"},
		{ones, "01234567-89ab-7fff-bfff-ffff"},
	} {
		id, err := newID(at, bytesOnce(c.random), new(rawID))
		require.NoError(t, err)
		require.Regexp(t, "^"+c.want+"0000[0-9a-f]{4}$", id)
		require.Equal(t, id, recordID(id))
	}
	id, err := newID(at, bytesOnce(make([]byte, 16)), new(rawID))
	require.NoError(t, err)
	require.Equal(t, "01234567-89ab-7000-8000-0000000084f7", id, "clients keep ids: the checksum must stay")
	_, err = newID(at, bytesOnce(nil), new(rawID))
	require.Equal(t, errcodes.Internal, errcodes.Of(err))
}

// An id with another serial belongs to the same record; an altered id to none.
func TestSerialsBelongToOneRecord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		chance := rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "chance")
		id, err := newID(time.UnixMilli(rapid.Int64Range(0, 1<<48-1).Draw(t, "ms")), bytesOnce(chance), new(rawID))
		require.NoError(t, err)
		raw := parseID(id)
		require.NotZero(t, raw)
		serial := rapid.Uint16Range(1, lastSerial).Draw(t, "serial")
		alias := raw.numbered(serial)
		require.NotEqual(t, id, alias)
		require.Equal(t, id, recordID(alias))

		altered := []byte(alias)
		at := rapid.IntRange(0, len(altered)-1).Draw(t, "at")
		digit := rapid.SampledFrom([]byte("0123456789abcdefABCDEF-g \x00")).Draw(t, "digit")
		if altered[at] != digit {
			altered[at] = digit
			require.Equal(t, string(altered), recordID(string(altered)), "it stays what the store does not know")
		}
	})
	for _, id := range []string{"", "-", "rl_1", strings.Repeat("-", 36), strings.Repeat("0", 36), strings.Repeat("0", 10_000)} {
		require.Equal(t, id, recordID(id))
	}
}

// bytesOnce returns the bytes once, then io.EOF.
func bytesOnce(b []byte) *once { return &once{b} }

type once struct{ rest []byte }

func (o *once) Read(p []byte) (int, error) {
	if len(o.rest) == 0 {
		return 0, errDamaged
	}
	n := copy(p, o.rest)
	o.rest = o.rest[n:]
	return n, nil
}

// When all serials of a record are used, the next request creates a new record.
func TestANewRecordIsCreatedWhenSerialsRunOut(t *testing.T) {
	id, err := newID(time.UnixMilli(0), bytesOnce(make([]byte, 16)), new(rawID))
	require.NoError(t, err)
	r := &repeats{}
	_, ok := r.next()
	require.False(t, ok, "nothing is stored yet")
	r.set(&ports.Validation{ValidationRecord: ports.ValidationRecord{ID: id}})
	r.serial.Store(lastSerial - 1)
	v, ok := r.next()
	require.True(t, ok)
	require.Equal(t, id, recordID(v.ID))
	_, ok = r.next()
	require.False(t, ok)
}
