package validation

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation/market"
)

func TestSealedDataCanBeOpened(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := func(name string) string { return string(rapid.SliceOf(rapid.Byte()).Draw(t, name)) }
		r := request{
			account:  ports.Account{Identifier: text("identifier"), Branch: text("branch")},
			identity: ports.Identity{Kind: ports.AccountKind(text("kind")), Document: ports.DocumentType(text("document")), Number: text("number")},
			name:     text("name"), digits: market.Verdict(text("digits")),
		}
		res := result{holder: text("holder"), reason: text("reason")}
		for range rapid.IntRange(0, 3).Draw(t, "asked") {
			res.asked = append(res.asked, ports.ConnectorAnswer{
				Connector: text("connector"), Outcome: ports.Outcome(text("outcome")), Code: text("code"), Message: text("message"),
				Took: time.Duration(rapid.Int64().Draw(t, "took")),
			})
		}
		packed := packRecord(nil, &r, &res)
		gotRequest, gotResult, err := unpackRecord(packed)
		require.NoError(t, err)
		require.Equal(t, r, gotRequest)
		require.Equal(t, res, gotResult)
		for i := range packed {
			_, _, err := unpackRecord(packed[:i])
			require.Equal(t, errcodes.CorruptRecord, errcodes.Of(err), "cut at %d", i)
		}
		_, _, err = unpackRecord(append(packed, 0))
		require.Equal(t, errcodes.CorruptRecord, errcodes.Of(err))
		packed[0]++
		_, _, err = unpackRecord(packed)
		require.Equal(t, errcodes.CorruptRecord, errcodes.Of(err), "another layout")
	})
}

func TestACachedAnswerCanBeOpened(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := ports.Answer{
			Kind: ports.OutcomeFound, HolderName: rapid.String().Draw(t, "holder"), Code: rapid.String().Draw(t, "code"),
			Message: string(rapid.SliceOf(rapid.Byte()).Draw(t, "message")),
		}
		got, err := unpackAnswer(packAnswer(&a))
		require.NoError(t, err)
		require.Equal(t, a, got)
	})
	_, err := unpackAnswer(packAnswer(&ports.Answer{Kind: "nonsense"}))
	require.Equal(t, errcodes.CorruptRecord, errcodes.Of(err))
}

// Buffers in the pool contain no personal data.
func TestBuffersAreCleared(t *testing.T) {
	s := &Service{}
	b := s.takeBuffers()
	b.plain = append(b.plain, "0690000032"...)
	b.events[0].Data = []byte("data")
	s.putBuffers(b)
	require.Zero(t, b.events)
	for _, c := range b.plain[:cap(b.plain)] {
		require.Zero(t, c)
	}
}

func FuzzUnpack(f *testing.F) {
	r, res := request{account: ports.Account{Identifier: "0690000032"}, name: "Ama"}, result{asked: []ports.ConnectorAnswer{{Connector: "first", Took: 1}}}
	f.Add(packRecord(nil, &r, &res))
	f.Add(packAnswer(&ports.Answer{Kind: ports.OutcomeFound, HolderName: "AMA"}))
	f.Add([]byte{packing, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, res, err := unpackRecord(data); err == nil {
			r2, res2, err := unpackRecord(packRecord(nil, &r, &res))
			require.NoError(t, err)
			require.Equal(t, r, r2)
			require.Equal(t, res, res2)
		} else {
			require.Equal(t, errcodes.CorruptRecord, errcodes.Of(err))
		}
		if a, err := unpackAnswer(data); err == nil {
			require.NoError(t, a.Check())
		}
	})
}
