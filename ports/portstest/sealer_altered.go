package portstest

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// alteredChecks: what is not whole does not open.
var alteredChecks = []sealerCheck{
	{"another binding does not open", sealOtherAAD},
	{"data with any byte altered do not open", sealAltered},
	{"data that are cut short or drawn out do not open", sealTruncated},
	{"an unknown key is told apart from damage", sealUnknownKey},
	{"errors tell nothing of the data", sealErrors},
}

func sealOtherAAD(k *sealerKit) {
	s := k.sealer(1)
	for _, aad := range append([]string{"acme/1", "acme/12"}, kit.Distinct...) {
		k.Case("bound to "+kit.Name(aad), func() {
			sealed := k.seal(s, []byte(aad), aText)
			for _, other := range append([]string{"acme/1", "acme/12", "acme/1\x00", string(aText)}, kit.Distinct...) {
				if other != aad {
					k.refuses(s, []byte(other), sealed, errcodes.CorruptRecord, "data bound to something else")
				}
			}
			k.opens(s, []byte(aad), sealed, aText, "what was sealed")
		})
	}
}

var noTextAndOne = map[string][]byte{"no text": nil, "a text": aText}

func sealAltered(k *sealerKit) {
	s := k.sealer(1)
	for name, plain := range kit.ByName(noTextAndOne) {
		k.Case(name, func() {
			sealed := k.seal(s, anAAD, plain)
			for i := range sealed.Data {
				for _, flip := range []byte{0x01, 0x80, 0xff} {
					sealed.Data[i] ^= flip
					k.refuses(s, anAAD, sealed, errcodes.CorruptRecord, fmt.Sprintf("data of which byte %d is altered", i))
					sealed.Data[i] ^= flip
				}
			}
			k.opens(s, anAAD, sealed, plain, "data that are whole again")
		})
	}
}

func sealTruncated(k *sealerKit) {
	s := k.sealer(1)
	for name, plain := range kit.ByName(noTextAndOne) {
		k.Case(name, func() {
			sealed := k.seal(s, anAAD, plain)
			whole := sealed.Data
			for n := range whole {
				sealed.Data = whole[:n:n]
				k.refuses(s, anAAD, sealed, errcodes.CorruptRecord, fmt.Sprintf("the first %d bytes of %d", n, len(whole)))
				sealed.Data = whole[n+1:]
				k.refuses(s, anAAD, sealed, errcodes.CorruptRecord, fmt.Sprintf("data without the first %d bytes", n+1))
			}
			for _, tail := range []string{"\x00", "x", string(whole)} {
				sealed.Data = append(bytes.Clone(whole), tail...)
				k.refuses(s, anAAD, sealed, errcodes.CorruptRecord, "data that were drawn out")
			}
		})
	}
}

func sealUnknownKey(k *sealerKit) {
	s, other := k.sealer(1), k.sealer(2)
	sealed := k.seal(s, anAAD, aText)
	k.refuses(other, anAAD, sealed, errcodes.KeyUnknown, "data of a key that the sealer has not")
	damaged := sealed
	damaged.Data = nil
	k.refuses(other, anAAD, damaged, errcodes.KeyUnknown, "no data of a key that the sealer has not")
	for name, id := range kit.ByName(map[string]string{
		"a letter more": sealed.KeyID + "x", "a blank behind": sealed.KeyID + " ", "a NUL behind": sealed.KeyID + "\x00",
		"no UTF-8": "\xff", "no id": "",
	}) {
		k.Case(name, func() {
			unknown := sealed
			unknown.KeyID = id
			k.refuses(s, anAAD, unknown, errcodes.KeyUnknown, "data of an unknown key")
		})
	}
	swapped := sealed
	swapped.KeyID = k.seal(other, anAAD, aText).KeyID
	k.refuses(k.sealer(1, 2), anAAD, swapped, errcodes.CorruptRecord, "data under the id of another key")
}

func sealErrors(k *sealerKit) {
	s := k.sealer(1)
	sealed := k.seal(s, anAAD, aText)
	altered := ports.Sealed{KeyID: sealed.KeyID, Data: bytes.Clone(sealed.Data)}
	altered.Data[len(altered.Data)-1] ^= 1
	for what, call := range kit.ByName(map[string]func() ([]byte, error){
		"altered data":    func() ([]byte, error) { return s.Open(k.Context(), anAAD, altered) },
		"another binding": func() ([]byte, error) { return s.Open(k.Context(), []byte("other"), sealed) },
		"an unknown key":  func() ([]byte, error) { return k.sealer(2).Open(k.Context(), anAAD, sealed) },
		"data cut short": func() ([]byte, error) {
			return s.Open(k.Context(), anAAD, ports.Sealed{KeyID: sealed.KeyID, Data: altered.Data[:20]})
		},
		"data in no cover": func() ([]byte, error) {
			return s.Open(k.Context(), anAAD, ports.Sealed{KeyID: sealed.KeyID, Data: aText})
		},
	}) {
		k.Case(what, func() {
			_, err := call()
			if err == nil {
				k.Fatalf("Open of %s: no error", what)
			}
			for _, text := range []string{err.Error(), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err), errcodes.MessageOf(err)} {
				k.silent(text, "the error of "+what, aText, anAAD, sealed.Data, altered.Data)
			}
		})
	}
}

// silent checks that a text holds no part of the data, written in any usual way.
func (k *sealerKit) silent(text, what string, secrets ...[]byte) {
	for _, secret := range secrets {
		part := secret[:min(12, len(secret))]
		for _, shown := range []string{
			string(part), hex.EncodeToString(part), base64.StdEncoding.EncodeToString(part),
			strings.Trim(fmt.Sprintf("%d", part), "[]"), strings.Trim(fmt.Sprintf("%q", part), `"`), fmt.Sprintf("%#v", part),
		} {
			if strings.Contains(strings.ToLower(text), strings.ToLower(shown)) {
				k.Fatalf("%s tells of the data", what)
			}
		}
	}
}
