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

func TestWhatIsSealedComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := func(name string) string { return string(rapid.SliceOf(rapid.Byte()).Draw(t, name)) }
		p := private{
			identifier: text("identifier"), branch: text("branch"), supplied: text("supplied"),
			identity: ports.Identity{Kind: ports.AccountKind(text("kind")), Document: ports.DocumentType(text("document")), Number: text("number")},
			digits:   market.Verdict(text("digits")), holder: text("holder"), reason: text("reason"),
		}
		for range rapid.IntRange(0, 3).Draw(t, "asked") {
			p.asked = append(p.asked, ports.ConnectorAnswer{
				Connector: text("connector"), Outcome: ports.Outcome(text("outcome")), Code: text("code"), Message: text("message"),
				Took: time.Duration(rapid.Int64().Draw(t, "took")),
			})
		}
		packed := p.pack(nil)
		got, err := unpackPrivate(packed)
		require.NoError(t, err)
		require.Equal(t, p, got)
		for i := range packed {
			_, err := unpackPrivate(packed[:i])
			require.Equal(t, errcodes.CorruptRecord, errcodes.Of(err), "cut at %d", i)
		}
		_, err = unpackPrivate(append(packed, 0))
		require.Equal(t, errcodes.CorruptRecord, errcodes.Of(err))
	})
}

func TestAKeptAnswerComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := ports.Answer{
			Kind: ports.AnswerFound, HolderName: rapid.String().Draw(t, "holder"), Code: rapid.String().Draw(t, "code"),
			Message: string(rapid.SliceOf(rapid.Byte()).Draw(t, "message")),
		}
		got, err := unpackAnswer(packAnswer(nil, a))
		require.NoError(t, err)
		require.Equal(t, a, got)
	})
	_, err := unpackAnswer(packAnswer(nil, ports.Answer{Kind: "nonsense"}))
	require.Equal(t, errcodes.CorruptRecord, errcodes.Of(err))
}

func FuzzUnpack(f *testing.F) {
	p := private{identifier: "0690000032", supplied: "Ama", asked: []ports.ConnectorAnswer{{Connector: "first", Took: 1}}}
	f.Add(p.pack(nil))
	f.Add(packAnswer(nil, ports.Answer{Kind: ports.AnswerFound, HolderName: "AMA"}))
	f.Add([]byte{packing, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, err := unpackPrivate(data); err == nil {
			again, err := unpackPrivate(p.pack(nil))
			require.NoError(t, err)
			require.Equal(t, p, again)
		} else {
			require.Equal(t, errcodes.CorruptRecord, errcodes.Of(err))
		}
		if a, err := unpackAnswer(data); err == nil {
			require.NoError(t, a.Check())
		}
	})
}
