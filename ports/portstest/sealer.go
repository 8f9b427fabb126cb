package portstest

import (
	"bytes"
	"slices"
	"testing"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// SealerHarness opens sealers for the suite.
type SealerHarness struct {
	// Open returns a sealer with the keys of these numbers (1 to 9). The first
	// one seals. A number stands for the same key in every sealer.
	Open func(tb testing.TB, keys ...int) ports.Sealer
	// Except maps checks that the sealer cannot pass to the reason.
	Except map[string]string
}

// Sealer checks a ports.Sealer.
func Sealer(t *testing.T, h SealerHarness) {
	t.Helper()
	kit.Run(t, h.Except, sealerChecks, func(t *testing.T) *sealerKit {
		return &sealerKit{Kit: kit.Kit{TB: t}, harness: h}
	})
}

type sealerCheck kit.Check[*sealerKit]

var sealerChecks = slices.Concat(sealedChecks, alteredChecks)

type sealerKit struct {
	kit.Kit
	harness SealerHarness
}

func (k *sealerKit) sealer(keys ...int) ports.Sealer {
	return k.harness.Open(k.TB, keys...)
}

func (k *sealerKit) seal(s ports.Sealer, aad, plain []byte) ports.Sealed {
	return kit.Got(s.Seal(k.Context(), aad, plain)).OK(k, "Seal")
}

func (k *sealerKit) opens(s ports.Sealer, aad []byte, sealed ports.Sealed, want []byte, what string) {
	got := kit.Got(s.Open(k.Context(), aad, sealed)).OK(k, "Open of "+what)
	k.Same(kit.OrNil(got), kit.OrNil(want), what)
}

func (k *sealerKit) rejects(s ports.Sealer, aad []byte, sealed ports.Sealed, want errcodes.Code, what string) {
	got, err := s.Open(k.Context(), aad, sealed)
	k.Code(err, want, "Open of "+what)
	if len(got) > 0 {
		k.Fatalf("Open of %s returned %s and an error", what, kit.Short(got))
	}
}

var (
	aText = []byte("account 0123456789 of Ada Okafor, approved")
	anAAD = []byte("acme/validation-1")
)

// sealedChecks check that sealed data can be opened and reveal nothing while sealed.
var sealedChecks = []sealerCheck{
	{"sealed data of any bytes can be opened", func(k *sealerKit) {
		s := k.sealer(1)
		for _, plain := range manyBytes {
			for _, aad := range manyBytes {
				k.Case(kit.Name(plain)+" bound to "+kit.Name(aad), func() {
					k.opens(s, aad, k.seal(s, aad, plain), plain, "sealed data")
				})
			}
		}
		sealed := k.seal(s, anAAD, aText)
		for range 3 {
			k.opens(s, bytes.Clone(anAAD), sealed, aText, "data opened before")
		}
	}},
	{"two seals of one text differ", sealsDiffer},
	{"sealed data reveal nothing of the text", sealHides},
	{"arguments are neither kept nor changed", sealNotAliased},
	{"concurrent calls are safe", sealsAtOnce},
}

// manyBytes are texts and bindings of all kinds.
var manyBytes = append([][]byte{[]byte("a"), []byte("a\x00"), []byte("A"), bytes.Repeat([]byte("x"), 10_000)}, kit.AnyBytes...)

func sealsDiffer(k *sealerKit) {
	s := k.sealer(1)
	kit.EachOf(k, map[string][]byte{"empty": nil, "a letter": []byte("a"), "a text": aText}, func(name string, plain []byte) {
		seen := map[string]bool{}
		for range 100 {
			sealed := k.seal(s, anAAD, plain)
			if seen[string(sealed.Data)] {
				k.Fatalf("two seals of %s are equal", kit.Short(plain))
			}
			seen[string(sealed.Data)] = true
		}
	})
	// A repeated nonce would reveal where two texts are equal.
	a, b := k.seal(s, anAAD, make([]byte, 256)), k.seal(s, anAAD, make([]byte, 256))
	same := 0
	for i := range min(len(a.Data), len(b.Data)) {
		if a.Data[i] == b.Data[i] {
			same++
		}
	}
	if same > 32 { // one byte in 256 is equal by chance
		k.Fatalf("%d bytes of two seals of one text are equal, want at most 32", same)
	}
}

// visible is the length of a part of a text that must not appear: shorter ones do by chance.
const visible = 6

func sealHides(k *sealerKit) {
	s := k.sealer(1)
	for range 20 {
		sealed := k.seal(s, anAAD, aText)
		for i := range len(aText) - visible {
			part := aText[i : i+visible]
			if bytes.Contains(sealed.Data, part) || bytes.Contains([]byte(sealed.KeyID), part) {
				k.Fatalf("the sealed data contain %q", part)
			}
		}
		if n := len(slices.Compact(slices.Sorted(slices.Values(k.seal(s, anAAD, make([]byte, 4096)).Data)))); n < 200 {
			k.Fatalf("4,096 sealed zeros have %d different byte values", n)
		}
	}
}

func sealNotAliased(k *sealerKit) {
	s := k.sealer(1)
	aad, plain := bytes.Clone(anAAD), bytes.Clone(aText)
	sealed := k.seal(s, aad, plain)
	k.Same(aad, anAAD, "the binding after Seal")
	k.Same(plain, aText, "the text after Seal")
	aad[0], plain[0] = '!', '!'
	data := bytes.Clone(sealed.Data)
	for range 2 {
		got := kit.Got(s.Open(k.Context(), anAAD, sealed)).OK(k, "Open")
		k.Same(got, aText, "the text after its input was changed")
		k.Same(sealed.Data, data, "the sealed data after Open")
		clear(got[:cap(got)])
	}
	k.seal(s, anAAD, bytes.Repeat([]byte("z"), len(aText)))
	k.Same(sealed.Data, data, "the sealed data after another Seal")
	k.opens(s, anAAD, sealed, aText, "sealed data")
}

func sealsAtOnce(k *sealerKit) {
	s := k.sealer(1, 2)
	want := s.Digest(aText)
	seals := make([][]string, kit.Racers)
	k.RaceOK("one of many concurrent calls", func(i int) error {
		plain := bytes.Repeat([]byte{byte(i)}, 100+i)
		for range 50 {
			sealed, err := s.Seal(k.Context(), anAAD, plain)
			if err != nil {
				return err
			}
			seals[i] = append(seals[i], string(sealed.Data))
			got, err := s.Open(k.Context(), anAAD, sealed)
			if err != nil {
				return err
			}
			if !bytes.Equal(got, plain) || s.Digest(aText) != want {
				return errcodes.New(errcodes.Internal, "Open or Digest returned the result of another call")
			}
		}
		return nil
	})
	k.noNonceTwice(slices.Concat(seals...))
}

// noNonceTwice looks for seals of different texts with an equal beginning, which
// is usually the nonce.
func (k *sealerKit) noNonceTwice(seals []string) {
	seen := map[string]bool{}
	for _, data := range seals {
		head := data[:min(12, len(data))]
		if seen[head] {
			k.Fatalf("two seals begin with the same 12 bytes")
		}
		seen[head] = true
	}
}
