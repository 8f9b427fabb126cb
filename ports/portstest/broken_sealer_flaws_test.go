package portstest_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

const (
	sealOpens    = "sealed data of any bytes can be opened"
	sealsDiffer  = "two seals of one text differ"
	sealHides    = "sealed data reveal nothing of the text"
	sealAliased  = "arguments are neither kept nor changed"
	sealsAtOnce  = "concurrent calls are safe"
	sealBound    = "data do not open under another binding"
	sealAltered  = "data with any byte altered do not open"
	sealCut      = "data with bytes removed or appended do not open"
	sealKey      = "an unknown key and damaged data return different codes"
	sealSilent   = "errors contain nothing of the data"
	sealRotates  = "the first key seals and every key opens"
	sealShared   = "sealers with the same key open each other's data"
	sealKeyGone  = "data of a removed key do not open"
	digestStable = "a digest is the same for the same data and key"
	digestDiffer = "digests of different data differ"
	digestKeyed  = "a digest is keyed by the first key"
)

var sealerFlaws = []struct {
	flaw  string
	check string
	spoil func(s *sealer)
}{
	{"stops at a NUL", sealOpens, onOpen(func(_ *sealer, _ []byte, _ ports.Sealed, plain []byte, err error) ([]byte, error) {
		head, _, _ := bytes.Cut(plain, []byte{0})
		return head, err
	})},
	{"opens text only", sealOpens, onOpen(func(_ *sealer, _ []byte, _ ports.Sealed, plain []byte, err error) ([]byte, error) {
		return bytes.ToValidUTF8(plain, []byte("?")), err
	})},
	{"does not open an empty text", sealOpens, onOpen(func(_ *sealer, _ []byte, _ ports.Sealed, plain []byte, err error) ([]byte, error) {
		if err == nil && len(plain) == 0 {
			return nil, errcodes.New(errcodes.CorruptRecord, "")
		}
		return plain, err
	})},
	{"seals equal texts alike", sealsDiffer, repeats},
	{"changes the nonce only", sealsDiffer, func(s *sealer) {
		var mu sync.Mutex
		bodies := map[string][]byte{}
		onSeal(func(_, plain []byte, sealed *ports.Sealed) {
			mu.Lock()
			defer mu.Unlock()
			if body, ok := bodies[string(plain)]; ok {
				copy(sealed.Data[12:], body)
			}
			bodies[string(plain)] = bytes.Clone(sealed.Data[12:])
		})(s)
	}},
	{"appends the text", sealHides, sealsAfter(func(plain []byte) []byte { return plain })},
	{"appends the end of the text", sealHides, sealsAfter(func(plain []byte) []byte { return plain[max(0, len(plain)-8):] })},
	{"adds the text to the key's id", sealHides, onSeal(func(_, plain []byte, sealed *ports.Sealed) { sealed.KeyID += string(plain[:min(20, len(plain))]) })},
	{"adds one byte to all", sealHides, onSeal(func(_, plain []byte, sealed *ports.Sealed) {
		sealed.Data = bytes.Map(func(r rune) rune { return r + 1 }, bytes.ToValidUTF8(plain, nil))
	})},
	{"encrypts in place", sealAliased, func(s *sealer) {
		onSeal(func(_, plain []byte, _ *ports.Sealed) { clear(plain) })(s)
	}},
	{"wipes the binding", sealAliased, onSeal(func(aad, _ []byte, _ *ports.Sealed) { clear(aad) })},
	{"decrypts in place", sealAliased, onOpen(func(_ *sealer, _ []byte, sealed ports.Sealed, plain []byte, err error) ([]byte, error) {
		copy(sealed.Data, plain)
		return sealed.Data[:len(plain)], err
	})},
	{"returns all results in one buffer", sealAliased, sharesRoom},
	{"is not safe for concurrent use", sealsAtOnce, mixesUpResults},
	{"seals without the binding", sealBound, binds(func([]byte) []byte { return nil })},
	{"folds the binding's case", sealBound, bindsText("folds case")},
	{"trims the binding", sealBound, bindsText("trims blanks")},
	{"stops the binding at a NUL", sealBound, bindsText("stops at a NUL")},
	{"binds to 6 bytes", sealBound, binds(func(aad []byte) []byte { return aad[:min(6, len(aad))] })},
	{"calls another binding an unknown key", sealBound, recodesOpen(errcodes.CorruptRecord, errcodes.KeyUnknown)},
	{"ignores the last byte", sealAltered, ignoresLast},
	{"returns altered data and an error", sealAltered, onOpen(func(_ *sealer, _ []byte, sealed ports.Sealed, plain []byte, err error) ([]byte, error) {
		if err != nil {
			return sealed.Data, err
		}
		return plain, nil
	})},
	{"calls damage internal", sealAltered, recodesOpen(errcodes.CorruptRecord, errcodes.Internal)},
	{"removes appended bytes", sealCut, remembersLengths},
	{"opens no data as an empty text", sealCut, onOpen(func(_ *sealer, _ []byte, sealed ports.Sealed, plain []byte, err error) ([]byte, error) {
		if len(sealed.Data) == 0 {
			return nil, nil
		}
		return plain, err
	})},
	{"calls an unknown key damage", sealKey, recodesOpen(errcodes.KeyUnknown, errcodes.CorruptRecord)},
	{"tries every key", sealKey, func(s *sealer) {
		open := s.open
		s.open = func(ctx context.Context, aad []byte, sealed ports.Sealed) (plain []byte, err error) {
			for _, n := range s.keys {
				sealed.KeyID = keyID(n)
				if plain, err = open(ctx, aad, sealed); err == nil {
					break
				}
			}
			return plain, err
		}
	}},
	{"trims the key's id", sealKey, func(s *sealer) {
		open := s.open
		s.open = func(ctx context.Context, aad []byte, sealed ports.Sealed) ([]byte, error) {
			sealed.KeyID = strings.TrimSpace(sealed.KeyID)
			return open(ctx, aad, sealed)
		}
	}},
	{"puts the binding into errors", sealSilent, reveals(func(aad []byte, _ ports.Sealed) string { return fmt.Sprintf("wrong binding %q", aad) })},
	{"puts the data into errors in hexadecimal", sealSilent, reveals(func(_ []byte, sealed ports.Sealed) string { return fmt.Sprintf("bad data %x", sealed.Data) })},
	{"puts the data into errors in numbers", sealSilent, reveals(func(_ []byte, sealed ports.Sealed) string { return fmt.Sprintf("bad data %d", sealed.Data) })},
	{"seals by the last key", sealRotates, func(s *sealer) {
		last := newSealer(s.tb, s.keys[len(s.keys)-1])
		s.seal = last.seal
	}},
	{"opens by the first key only", sealRotates, func(s *sealer) { s.open = newSealer(s.tb, s.keys[0]).open }},
	{"opens by the first two keys only", sealRotates, func(s *sealer) { s.open = newSealer(s.tb, s.keys[:min(2, len(s.keys))]...).open }},
	{"uses one id for all keys", sealRotates, func(s *sealer) {
		open := s.open
		onSeal(func(_, _ []byte, sealed *ports.Sealed) { sealed.KeyID = "key" })(s)
		s.open = func(ctx context.Context, aad []byte, sealed ports.Sealed) (plain []byte, err error) {
			for _, n := range s.keys {
				sealed.KeyID = keyID(n)
				if plain, err = open(ctx, aad, sealed); err == nil {
					break
				}
			}
			return plain, err
		}
	}},
	{"creates its own key", sealShared, func(s *sealer) {
		own := new(int)
		binds(func(aad []byte) []byte { return fmt.Appendf(nil, "%p%s", own, aad) })(s)
	}},
	{"counts its nonces from 1", sealShared, func(s *sealer) {
		n := 0
		head := func([]byte) []byte { n++; return fmt.Appendf(nil, "%012d", n) }
		open := s.open
		seal := s.seal
		s.seal = func(ctx context.Context, aad, plain []byte) (ports.Sealed, error) {
			sealed, err := seal(ctx, aad, plain)
			sealed.Data = append(head(nil), sealed.Data...)
			return sealed, err
		}
		s.open = func(ctx context.Context, aad []byte, sealed ports.Sealed) ([]byte, error) {
			sealed.Data = sealed.Data[min(12, len(sealed.Data)):]
			return open(ctx, aad, sealed)
		}
	}},
	{"opens with removed keys", sealKeyGone, func(s *sealer) { s.open = newSealer(s.tb, 1, 2, 3).open }},
	{"does not find an old key", sealKeyGone, func(s *sealer) { s.open = newSealer(s.tb, s.keys[0]).open }},
	{"digests randomly", digestStable, func(s *sealer) {
		var mu sync.Mutex
		n := byte(0)
		digests(func(_ *sealer, _ []byte, sum [32]byte) [32]byte {
			mu.Lock()
			defer mu.Unlock()
			n++
			sum[0] = n
			return sum
		})(s)
	}},
	{"digests by every key", digestStable, digests(func(s *sealer, _ []byte, sum [32]byte) [32]byte {
		sum[31] += byte(len(s.keys))
		return sum
	})},
	{"digests text without its case", digestDiffer, func(s *sealer) {
		digest := s.digest
		s.digest = func(data []byte) [32]byte { return digest(bytes.ToLower(data)) }
	}},
	{"digests up to a NUL", digestDiffer, func(s *sealer) {
		digest := s.digest
		s.digest = func(data []byte) [32]byte { head, _, _ := bytes.Cut(data, []byte{0}); return digest(head) }
	}},
	{"digests without a key", digestKeyed, digests(func(_ *sealer, data []byte, _ [32]byte) [32]byte { return sha256.Sum256(data) })},
	{"digests by the last key", digestKeyed, func(s *sealer) { s.digest = newSealer(s.tb, s.keys[len(s.keys)-1]).digest }},
}
