package portstest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

var alteredChecks = []sealerCheck{
	{"data do not open under another binding", func(k *sealerKit) {
		s := k.sealer(1)
		for _, aad := range append([]string{"acme/1", "acme/12"}, kit.Distinct...) {
			k.Case("bound to "+kit.Name(aad), func() {
				sealed := k.seal(s, []byte(aad), aText)
				for _, other := range append([]string{"acme/1", "acme/12", "acme/1\x00", string(aText)}, kit.Distinct...) {
					if other != aad {
						k.rejects(s, []byte(other), sealed, errcodes.CorruptRecord, "data bound to something else")
					}
				}
				k.opens(s, []byte(aad), sealed, aText, "what was sealed")
			})
		}
	}},
	{"data with any byte altered do not open", func(k *sealerKit) {
		s := k.sealer(1)
		kit.EachOf(k, noTextAndOne, func(name string, plain []byte) {
			sealed := k.seal(s, anAAD, plain)
			for i := range sealed.Data {
				for _, flip := range []byte{0x01, 0x80, 0xff} {
					sealed.Data[i] ^= flip
					k.rejects(s, anAAD, sealed, errcodes.CorruptRecord, fmt.Sprintf("data with byte %d altered", i))
					sealed.Data[i] ^= flip
				}
			}
			k.opens(s, anAAD, sealed, plain, "restored data")
		})
	}},
	{"data with bytes removed or appended do not open", sealTruncated},
	{"an unknown key and damaged data return different codes", sealUnknownKey},
	{"errors contain nothing of the data", sealErrors},
	{"the first key seals and every key opens", sealRotates},
	{"sealers with the same key open each other's data", func(k *sealerKit) {
		one, two := k.sealer(1), k.sealer(1)
		k.opens(two, anAAD, k.seal(one, anAAD, aText), aText, "data of another sealer")
		k.opens(one, anAAD, k.seal(two, anAAD, aText), aText, "data of another sealer")
		var seals []string
		for range 100 {
			seals = append(seals, string(k.seal(one, anAAD, aText).Data), string(k.seal(two, anAAD, aText).Data))
		}
		k.noNonceTwice(seals)
	}},
	{"data of a removed key do not open", func(k *sealerKit) {
		old := k.seal(k.sealer(1), anAAD, aText)
		k.rejects(k.sealer(2), anAAD, old, errcodes.KeyUnknown, "data of a removed key")
		k.rejects(k.sealer(3, 2), anAAD, old, errcodes.KeyUnknown, "data of a removed key")
		k.opens(k.sealer(3, 1), anAAD, old, aText, "data of a remaining key")
	}},
	{"a digest is the same for the same data and key", func(k *sealerKit) {
		s := k.sealer(1)
		kit.Each(k, manyBytes, kit.Name, func(data []byte) {
			want := s.Digest(data)
			k.seal(s, anAAD, data)
			k.Same(s.Digest(data), want, "the digest of the same data")
			k.Same(k.sealer(1).Digest(data), want, "the digest by another sealer with the key")
			k.Same(k.sealer(1, 2).Digest(data), want, "the digest by a sealer with more keys")
		})
	}},
	{"digests of different data differ", digestsDiffer},
	{"a digest is keyed by the first key", func(k *sealerKit) {
		kit.Each(k, manyBytes, kit.Name, func(data []byte) {
			first, second := k.sealer(1).Digest(data), k.sealer(2).Digest(data)
			if first == second {
				k.Fatalf("the digest of %s is equal under two keys", kit.Short(data))
			}
			k.Same(k.sealer(2, 1).Digest(data), second, "the digest after a rotation")
			if first == sha256.Sum256(data) {
				k.Fatalf("the digest of %s does not depend on the key", kit.Short(data))
			}
		})
	}},
}

var noTextAndOne = map[string][]byte{"empty": nil, "a text": aText}

func sealTruncated(k *sealerKit) {
	s := k.sealer(1)
	kit.EachOf(k, noTextAndOne, func(name string, plain []byte) {
		sealed := k.seal(s, anAAD, plain)
		whole := sealed.Data
		for n := range whole {
			sealed.Data = whole[:n:n]
			k.rejects(s, anAAD, sealed, errcodes.CorruptRecord, fmt.Sprintf("the first %d bytes of %d", n, len(whole)))
			sealed.Data = whole[n+1:]
			k.rejects(s, anAAD, sealed, errcodes.CorruptRecord, fmt.Sprintf("data without the first %d bytes", n+1))
		}
		for _, tail := range []string{"\x00", "x", string(whole)} {
			sealed.Data = append(bytes.Clone(whole), tail...)
			k.rejects(s, anAAD, sealed, errcodes.CorruptRecord, "data with bytes appended")
		}
	})
}

func sealUnknownKey(k *sealerKit) {
	s, other := k.sealer(1), k.sealer(2)
	sealed := k.seal(s, anAAD, aText)
	k.rejects(other, anAAD, sealed, errcodes.KeyUnknown, "data of a key that the sealer does not have")
	damaged := sealed
	damaged.Data = nil
	k.rejects(other, anAAD, damaged, errcodes.KeyUnknown, "damaged data of a key that the sealer does not have")
	kit.EachOf(k, map[string]string{
		"an extra letter": sealed.KeyID + "x", "a space after": sealed.KeyID + " ", "a NUL after": sealed.KeyID + "\x00",
		"invalid UTF-8": "\xff", "no id": "",
	}, func(name string, id string) {
		unknown := sealed
		unknown.KeyID = id
		k.rejects(s, anAAD, unknown, errcodes.KeyUnknown, "data of an unknown key")
	})
	swapped := sealed
	swapped.KeyID = k.seal(other, anAAD, aText).KeyID
	k.rejects(k.sealer(1, 2), anAAD, swapped, errcodes.CorruptRecord, "data under the id of another key")
}

func sealErrors(k *sealerKit) {
	s := k.sealer(1)
	sealed := k.seal(s, anAAD, aText)
	altered := ports.Sealed{KeyID: sealed.KeyID, Data: bytes.Clone(sealed.Data)}
	altered.Data[len(altered.Data)-1] ^= 1
	kit.EachOf(k, map[string]func() ([]byte, error){
		"altered data":    func() ([]byte, error) { return s.Open(k.Context(), anAAD, altered) },
		"another binding": func() ([]byte, error) { return s.Open(k.Context(), []byte("other"), sealed) },
		"an unknown key":  func() ([]byte, error) { return k.sealer(2).Open(k.Context(), anAAD, sealed) },
		"data cut short": func() ([]byte, error) {
			return s.Open(k.Context(), anAAD, ports.Sealed{KeyID: sealed.KeyID, Data: altered.Data[:20]})
		},
		"unsealed data": func() ([]byte, error) {
			return s.Open(k.Context(), anAAD, ports.Sealed{KeyID: sealed.KeyID, Data: aText})
		},
	}, func(what string, call func() ([]byte, error)) {
		_, err := call()
		if err == nil {
			k.Fatalf("Open of %s returned no error", what)
		}
		for _, text := range []string{err.Error(), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err), errcodes.MessageOf(err)} {
			k.silent(text, "the error of "+what, aText, anAAD, sealed.Data, altered.Data)
		}
	})
}

// silent checks that a text contains no part of the data in any usual notation.
func (k *sealerKit) silent(text, what string, secrets ...[]byte) {
	for _, secret := range secrets {
		part := secret[:min(12, len(secret))]
		for _, shown := range []string{
			string(part), hex.EncodeToString(part), base64.StdEncoding.EncodeToString(part),
			strings.Trim(fmt.Sprintf("%d", part), "[]"), strings.Trim(fmt.Sprintf("%q", part), `"`), fmt.Sprintf("%#v", part),
		} {
			if strings.Contains(strings.ToLower(text), strings.ToLower(shown)) {
				k.Fatalf("%s contains part of the data", what)
			}
		}
	}
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
	k.opens(after, anAAD, first, aText, "data of the previous key")
	k.opens(later, anAAD, first, aText, "data of the key before the previous one")
	k.opens(later, anAAD, second, aText, "data of the previous key")
	k.opens(k.sealer(2, 3), anAAD, third, aText, "data of a newer key")
	k.rejects(before, anAAD, second, errcodes.KeyUnknown, "data of a key that the sealer does not have yet")
}

func digestsDiffer(k *sealerKit) {
	s := k.sealer(1)
	seen := map[[32]byte]bool{}
	data := manyBytes
	for _, text := range kit.Distinct {
		if text != "" { // manyBytes contain the empty text already
			data = append(data, []byte(text))
		}
	}
	for _, d := range data {
		sum := s.Digest(d)
		if seen[sum] || sum == [32]byte{} {
			k.Fatalf("the digest of %s is zero or equal to another one", kit.Short(d))
		}
		seen[sum] = true
	}
}
