package binrec_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/internal/binrec"
)

type fields struct {
	Version byte
	Name    string
	Flag    bool
	Amount  int64
	Size    uint64
	Raw     []byte
	Parts   []string
}

func (f *fields) record() []byte {
	data := binrec.AppendText([]byte{f.Version}, f.Name)
	data = append(data, 0)
	if f.Flag {
		data[len(data)-1] = 1
	}
	data = binary.AppendVarint(data, f.Amount)
	data = binary.AppendUvarint(data, f.Size)
	data = binrec.AppendText(data, f.Raw)
	data = binary.AppendUvarint(data, uint64(len(f.Parts)))
	for _, p := range f.Parts {
		data = binrec.AppendText(data, p)
	}
	return data
}

func read(data []byte) (fields, bool) {
	r := binrec.Read(data)
	f := fields{Version: r.Byte(), Name: r.Text(), Flag: r.Bool(), Amount: r.Int(), Size: r.Uint(), Raw: r.Bytes()}
	for range r.Count() {
		f.Parts = append(f.Parts, r.Text())
	}
	return f, r.Done()
}

func TestFieldsCanBeReadAndPrefixesCannot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := fields{
			Version: rapid.Byte().Draw(t, "version"), Name: rapid.String().Draw(t, "name"), Flag: rapid.Bool().Draw(t, "flag"),
			Amount: rapid.Int64().Draw(t, "amount"), Size: rapid.Uint64().Draw(t, "size"),
			Raw: rapid.SliceOfN(rapid.Byte(), 1, 200).Draw(t, "raw"), Parts: rapid.SliceOfN(rapid.String(), 1, 3).Draw(t, "parts"),
		}
		data := want.record()
		got, ok := read(data)
		require.True(t, ok)
		require.Equal(t, want, got)
		for n := range data {
			_, ok := read(data[:n])
			require.False(t, ok, "the first %d of %d bytes", n, len(data))
		}
		_, ok = read(append(data, 0))
		require.False(t, ok, "a byte too many")
	})
}

func TestAllFieldsAfterADamagedOneAreZero(t *testing.T) {
	for name, data := range map[string][]byte{
		"a text longer than the record":     {5, 'a', 'b', 2},
		"a length that never ends":          {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		"a length of 2^64-1":                binary.AppendUvarint(nil, 1<<64-1),
		"a text truncated after its length": {1},
		"nothing":                           {},
	} {
		r := binrec.Read(data)
		assert.Empty(t, r.Text(), name)
		assert.Zero(t, r.Int(), name)
		assert.Zero(t, r.Byte(), name)
		assert.False(t, r.Done(), name)
	}
	r := binrec.Read([]byte{2})
	assert.False(t, r.Bool(), "2 is no bool")
	assert.False(t, r.Done())
	r = binrec.Read([]byte{4, 1, 1, 1})
	assert.Zero(t, r.Count(), "four entries in three bytes")
	assert.False(t, r.Done())
}

func TestBytesCannotGrowIntoTheRecord(t *testing.T) {
	data := binrec.AppendText(binrec.AppendText(nil, "ab"), "cd")
	r := binrec.Read(data)
	_ = append(r.Bytes(), 'x')
	assert.Equal(t, "cd", r.Text())
}

func FuzzRead(f *testing.F) {
	f.Add((&fields{Name: "n", Raw: []byte{1}, Parts: []string{"p"}}).record())
	f.Add([]byte{1, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, ok := read(data); ok {
			again, ok := read(got.record())
			require.True(t, ok)
			require.Equal(t, got, again)
		}
	})
}
