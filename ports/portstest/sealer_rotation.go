package portstest

import (
	"crypto/sha256"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// rotationChecks: the first key seals, all open.
var rotationChecks = []sealerCheck{
	{"the first key seals and every key opens", sealRotates},
	{"sealers of one key open what the other sealed", sealShared},
	{"a key that is gone opens nothing", sealKeyGone},
}

// digestChecks: the digest is keyed, and stable.
var digestChecks = []sealerCheck{
	{"a digest is the same for the same data and key", digestStable},
	{"digests of different data differ", digestsDiffer},
	{"a digest is keyed by the first key", digestKeyed},
}

func sealRotates(k *sealerKit) {
	before, after, later := k.sealer(1), k.sealer(2, 1), k.sealer(3, 2, 1)
	first := k.seal(before, anAAD, aText)
	second := k.seal(after, anAAD, aText)
	third := k.seal(later, anAAD, aText)
	for _, s := range []struct{ got, want string }{
		{second.KeyID, k.seal(k.sealer(2), anAAD, aText).KeyID},
		{third.KeyID, k.seal(k.sealer(3), anAAD, aText).KeyID},
	} {
		k.Same(s.got, s.want, "the key that seals")
	}
	if first.KeyID == second.KeyID || second.KeyID == third.KeyID || first.KeyID == third.KeyID || first.KeyID == "" {
		k.Fatalf("three keys have the ids %q, %q and %q", first.KeyID, second.KeyID, third.KeyID)
	}
	k.opens(after, anAAD, first, aText, "data of the key before")
	k.opens(later, anAAD, first, aText, "data of the key before the last")
	k.opens(later, anAAD, second, aText, "data of the last key")
	k.opens(k.sealer(2, 3), anAAD, third, aText, "data of a key that is to come")
	k.refuses(before, anAAD, second, errcodes.KeyUnknown, "data of a key that the sealer has not yet")
}

func sealShared(k *sealerKit) {
	one, two := k.sealer(1), k.sealer(1)
	k.opens(two, anAAD, k.seal(one, anAAD, aText), aText, "data of another sealer")
	k.opens(one, anAAD, k.seal(two, anAAD, aText), aText, "data of another sealer")
	var seals []string
	for range 100 {
		seals = append(seals, string(k.seal(one, anAAD, aText).Data), string(k.seal(two, anAAD, aText).Data))
	}
	k.noNonceTwice(seals)
}

func sealKeyGone(k *sealerKit) {
	old := k.seal(k.sealer(1), anAAD, aText)
	k.refuses(k.sealer(2), anAAD, old, errcodes.KeyUnknown, "data of a key that is gone")
	k.refuses(k.sealer(3, 2), anAAD, old, errcodes.KeyUnknown, "data of a key that is gone")
	k.opens(k.sealer(3, 1), anAAD, old, aText, "data of a key that is there still")
}

func digestStable(k *sealerKit) {
	s := k.sealer(1)
	for _, data := range manyBytes {
		k.Case(kit.Name(data), func() {
			want := s.Digest(data)
			k.seal(s, anAAD, data)
			k.Same(s.Digest(data), want, "the digest of the same data")
			k.Same(k.sealer(1).Digest(data), want, "the digest of another sealer of the key")
			k.Same(k.sealer(1, 2).Digest(data), want, "the digest of a sealer of more keys")
		})
	}
}

func digestsDiffer(k *sealerKit) {
	s := k.sealer(1)
	seen := map[[32]byte]bool{}
	data := manyBytes
	for _, text := range kit.Distinct {
		if text != "" { // manyBytes have nothing already
			data = append(data, []byte(text))
		}
	}
	for _, d := range data {
		sum := s.Digest(d)
		if seen[sum] || sum == [32]byte{} {
			k.Fatalf("the digest of %s is another's, or zero", kit.Short(d))
		}
		seen[sum] = true
	}
}

func digestKeyed(k *sealerKit) {
	for _, data := range manyBytes {
		k.Case(kit.Name(data), func() {
			first, second := k.sealer(1).Digest(data), k.sealer(2).Digest(data)
			if first == second {
				k.Fatalf("the digest of %s is the same under two keys", kit.Short(data))
			}
			k.Same(k.sealer(2, 1).Digest(data), second, "the digest after a rotation")
			if first == sha256.Sum256(data) {
				k.Fatalf("the digest of %s needs no key", kit.Short(data))
			}
		})
	}
}
