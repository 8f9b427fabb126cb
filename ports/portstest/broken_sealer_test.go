package portstest_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/corridor-go/corridor/adapters/keyring"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
)

// sealer is a correct sealer whose methods a flaw can replace.
type sealer struct {
	tb     testing.TB
	keys   []int
	seal   func(ctx context.Context, aad, plain []byte) (ports.Sealed, error)
	open   func(ctx context.Context, aad []byte, sealed ports.Sealed) ([]byte, error)
	digest func(data []byte) [32]byte
}

func (s *sealer) Seal(ctx context.Context, aad, plain []byte) (ports.Sealed, error) {
	return s.seal(ctx, aad, plain)
}
func (s *sealer) Open(ctx context.Context, aad []byte, sealed ports.Sealed) ([]byte, error) {
	return s.open(ctx, aad, sealed)
}
func (s *sealer) Digest(data []byte) [32]byte { return s.digest(data) }

func newSealer(tb testing.TB, numbers ...int) *sealer {
	tb.Helper()
	var keys []keyring.Key
	for _, n := range numbers {
		keys = append(keys, keyring.Key{ID: fmt.Sprint("key-", n), Secret: bytes.Repeat([]byte{byte(n)}, 32)})
	}
	ring, err := keyring.New(keys, nil)
	if err != nil {
		tb.Fatalf("keyring.New: %v", err)
	}
	return &sealer{tb, numbers, ring.Seal, ring.Open, ring.Digest}
}

// spoiltSealers opens sealers with a flaw.
func spoiltSealers(spoil func(s *sealer)) portstest.SealerHarness {
	return portstest.SealerHarness{Open: func(tb testing.TB, keys ...int) ports.Sealer {
		s := newSealer(tb, keys...)
		spoil(s)
		return s
	}}
}

func TestACorrectSealerPassesEveryCheck(t *testing.T) {
	portstest.Sealer(t, spoiltSealers(func(*sealer) {}))
	for _, check := range portstest.CheckNames("Sealer") {
		r := broken.Record(t, func(tb testing.TB) { portstest.RunSealerCheck(tb, check, spoiltSealers(func(*sealer) {})) })
		if r.Failed() || r.Skipped() {
			t.Errorf("%s: failed %t, skipped %t\n%s", check, r.Failed(), r.Skipped(), r.Text())
		}
	}
}

func TestEveryFlawOfASealerIsCaught(t *testing.T) {
	t.Parallel()
	for _, s := range sealerFlaws {
		t.Run(s.flaw, func(t *testing.T) {
			t.Parallel()
			r := broken.Record(t, func(tb testing.TB) { portstest.RunSealerCheck(tb, s.check, spoiltSealers(s.spoil)) })
			if !r.Failed() {
				t.Errorf("the check %q did not catch it", s.check)
			}
		})
	}
}

// onSeal lets fn change what Seal returns.
func onSeal(fn func(aad, plain []byte, sealed *ports.Sealed)) func(s *sealer) {
	return func(s *sealer) {
		seal := s.seal
		s.seal = func(ctx context.Context, aad, plain []byte) (ports.Sealed, error) {
			sealed, err := seal(ctx, aad, plain)
			fn(aad, plain, &sealed)
			return sealed, err
		}
	}
}

// onOpen lets fn change what Open returns.
func onOpen(fn func(s *sealer, aad []byte, sealed ports.Sealed, plain []byte, err error) ([]byte, error)) func(s *sealer) {
	return func(s *sealer) {
		open := s.open
		s.open = func(ctx context.Context, aad []byte, sealed ports.Sealed) ([]byte, error) {
			plain, err := open(ctx, aad, sealed)
			return fn(s, aad, sealed, plain, err)
		}
	}
}

// binds lets fn change the binding.
func binds(f func(aad []byte) []byte) func(s *sealer) {
	return func(s *sealer) {
		seal, open := s.seal, s.open
		s.seal = func(ctx context.Context, aad, plain []byte) (ports.Sealed, error) { return seal(ctx, f(aad), plain) }
		s.open = func(ctx context.Context, aad []byte, sealed ports.Sealed) ([]byte, error) {
			return open(ctx, f(aad), sealed)
		}
	}
}

func bindsText(name string) func(s *sealer) {
	return binds(func(aad []byte) []byte { return []byte(broken.Confusions[name](string(aad))) })
}

// sealsAfter prepends a head to the sealed data and removes it unread.
func sealsAfter(head func(plain []byte) []byte) func(s *sealer) {
	return func(s *sealer) {
		var mu sync.Mutex
		lengths := map[string]int{}
		seal, open := s.seal, s.open
		s.seal = func(ctx context.Context, aad, plain []byte) (ports.Sealed, error) {
			sealed, err := seal(ctx, aad, plain)
			h := head(plain)
			sealed.Data = append(bytes.Clone(h), sealed.Data...)
			mu.Lock()
			defer mu.Unlock()
			lengths[string(sealed.Data)] = len(h)
			return sealed, err
		}
		s.open = func(ctx context.Context, aad []byte, sealed ports.Sealed) ([]byte, error) {
			mu.Lock()
			n := min(lengths[string(sealed.Data)], len(sealed.Data))
			mu.Unlock()
			sealed.Data = sealed.Data[n:]
			return open(ctx, aad, sealed)
		}
	}
}

// repeats returns the earlier seal of the same text.
func repeats(s *sealer) {
	var mu sync.Mutex
	seen := map[string]ports.Sealed{}
	seal := s.seal
	s.seal = func(ctx context.Context, aad, plain []byte) (ports.Sealed, error) {
		mu.Lock()
		defer mu.Unlock()
		key := string(aad) + "|" + string(plain)
		if _, ok := seen[key]; !ok {
			sealed, err := seal(ctx, aad, plain)
			if err != nil {
				return sealed, err
			}
			seen[key] = sealed
		}
		return seen[key], nil
	}
}

// sharesRoom returns all results in one buffer.
func sharesRoom(s *sealer) {
	room := make([]byte, 0, 1<<17)
	onSeal(func(_, _ []byte, sealed *ports.Sealed) { sealed.Data = append(room[:0], sealed.Data...) })(s)
}

func recodesOpen(from, to errcodes.Code) func(s *sealer) {
	return onOpen(func(_ *sealer, _ []byte, _ ports.Sealed, plain []byte, err error) ([]byte, error) {
		return plain, broken.Recode(err, from, to)
	})
}

// reveals puts a text into every error.
func reveals(what func(aad []byte, sealed ports.Sealed) string) func(s *sealer) {
	return onOpen(func(_ *sealer, aad []byte, sealed ports.Sealed, plain []byte, err error) ([]byte, error) {
		if err != nil {
			err = errcodes.Wrap(errcodes.Of(err), "", fmt.Errorf("%s", what(aad, sealed)))
		}
		return plain, err
	})
}

func digests(f func(s *sealer, data []byte, sum [32]byte) [32]byte) func(s *sealer) {
	return func(s *sealer) {
		digest := s.digest
		s.digest = func(data []byte) [32]byte { return f(s, data, digest(data)) }
	}
}

// ignoresLast adds a byte at the end of the sealed data and never reads it.
func ignoresLast(s *sealer) {
	onSeal(func(_, _ []byte, sealed *ports.Sealed) { sealed.Data = append(sealed.Data, 0) })(s)
	open := s.open
	s.open = func(ctx context.Context, aad []byte, sealed ports.Sealed) ([]byte, error) {
		sealed.Data = sealed.Data[:max(0, len(sealed.Data)-1)]
		return open(ctx, aad, sealed)
	}
}

// remembersLengths cuts data to the length that Seal returned.
func remembersLengths(s *sealer) {
	longest := 0
	onSeal(func(_, _ []byte, sealed *ports.Sealed) { longest = len(sealed.Data) })(s)
	open := s.open
	s.open = func(ctx context.Context, aad []byte, sealed ports.Sealed) ([]byte, error) {
		sealed.Data = sealed.Data[:min(longest, len(sealed.Data))]
		return open(ctx, aad, sealed)
	}
}

// mixesUpResults sometimes returns the previous caller's result.
func mixesUpResults(s *sealer) {
	var mu sync.Mutex
	var last []byte
	n := 0
	onOpen(func(_ *sealer, _ []byte, _ ports.Sealed, plain []byte, err error) ([]byte, error) {
		mu.Lock()
		defer mu.Unlock()
		if n++; n%20 == 0 && len(last) > 0 {
			return append(bytes.Clone(last), 0), err
		}
		last = plain
		return plain, err
	})(s)
}

func keyID(n int) string { return fmt.Sprint("key-", n) }
