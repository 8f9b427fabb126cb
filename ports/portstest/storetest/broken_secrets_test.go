package storetest_test

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"github.com/corridor-go/corridor/errcodes"
)

type secretFunc = func(ctx context.Context, name string, fresh []byte) ([]byte, error)

// asksSecrets replaces Secret with fn.
func asksSecrets(fn func(ctx context.Context, secret secretFunc, name string, fresh []byte) ([]byte, error)) func(b *bundle) {
	return func(b *bundle) {
		secret := b.secret
		b.secret = func(ctx context.Context, name string, fresh []byte) ([]byte, error) {
			return fn(ctx, secret, name, fresh)
		}
	}
}

func mapSecretNames(b *bundle, f func(string) string) {
	asksSecrets(func(ctx context.Context, secret secretFunc, name string, fresh []byte) ([]byte, error) {
		return secret(ctx, f(name), fresh)
	})(b)
}

// mapSecrets applies f to secrets.
func mapSecrets(f func([]byte) []byte) func(b *bundle) {
	return asksSecrets(func(ctx context.Context, secret secretFunc, name string, fresh []byte) ([]byte, error) {
		got, err := secret(ctx, name, fresh)
		return f(got), err
	})
}

// keepsSecrets stores secrets itself, with or without copying them.
func keepsSecrets(in, out func([]byte) []byte) func(b *bundle) {
	return func(b *bundle) {
		kept := map[string][]byte{}
		b.secret = func(_ context.Context, name string, fresh []byte) ([]byte, error) {
			if kept[name] == nil {
				kept[name] = in(fresh)
			}
			return out(kept[name]), nil
		}
	}
}

func asIs(data []byte) []byte { return data }

// invalidAs returns a secret of valid length for arguments out of bounds.
func invalidAs(fit func(name string, fresh []byte) (string, []byte)) func(b *bundle) {
	return asksSecrets(func(ctx context.Context, secret secretFunc, name string, fresh []byte) ([]byte, error) {
		fitName, fitFresh := fit(name, fresh)
		return secret(ctx, fitName, fitFresh)
	})
}

const (
	firstSecret   = "the first secret of a name is returned from then on"
	anySecret     = "a secret of any bytes is returned unchanged"
	secretRacers  = "concurrent calls for one name return the same secret"
	secretAliased = "changing a secret outside changes nothing stored"
	secretBounds  = "arguments out of bounds are rejected"
)

var secretFlaws = slices.Concat(
	commonFlaws("a done context returns its code and changes nothing"),
	confuse("names", "names that look alike have different secrets", looks, mapSecretNames),
	[]flawedStore{
		{"keeps the last secret", firstSecret, asksSecrets(func(_ context.Context, _ secretFunc, _ string, fresh []byte) ([]byte, error) {
			return fresh, nil
		})},
		{"has one secret for all names", firstSecret, asksSecrets(func(ctx context.Context, secret secretFunc, _ string, fresh []byte) ([]byte, error) {
			return secret(ctx, "one", fresh)
		})},
		{"reports an existing secret as a conflict", firstSecret, func(b *bundle) {
			seen := map[string]bool{}
			asksSecrets(func(ctx context.Context, secret secretFunc, name string, fresh []byte) ([]byte, error) {
				if seen[name] {
					return nil, errcodes.New(errcodes.Conflict, "")
				}
				seen[name] = true
				return secret(ctx, name, fresh)
			})(b)
		}},
		{"keeps secrets as text", anySecret, mapSecrets(func(s []byte) []byte { return bytes.ToValidUTF8(s, []byte("?")) })},
		{"stops secrets at a NUL", anySecret, mapSecrets(func(s []byte) []byte { head, _, _ := bytes.Cut(s, []byte{0}); return head })},
		{"trims secrets", anySecret, mapSecrets(bytes.TrimSpace)},
		{"keeps 1,023 bytes", anySecret, mapSecrets(func(s []byte) []byte { return s[:min(len(s), 1023)] })},
		{"returns a different secret to each concurrent call", secretRacers, func(b *bundle) {
			var mu sync.Mutex
			calls := map[string]int{}
			asksSecrets(func(ctx context.Context, secret secretFunc, name string, fresh []byte) ([]byte, error) {
				mu.Lock()
				defer mu.Unlock()
				if calls[name]++; calls[name] == 2 { // as if it had read before the first call wrote
					return fresh, nil
				}
				return secret(ctx, name, fresh)
			})(b)
		}},
		{"calls a lost race a conflict", secretRacers, func(b *bundle) {
			var mu sync.Mutex
			calls := map[string]int{}
			asksSecrets(func(ctx context.Context, secret secretFunc, name string, fresh []byte) ([]byte, error) {
				mu.Lock()
				defer mu.Unlock()
				if calls[name]++; calls[name] == 2 {
					return nil, errcodes.New(errcodes.Conflict, "")
				}
				return secret(ctx, name, fresh)
			})(b)
		}},
		{"keeps the bytes passed in", secretAliased, keepsSecrets(asIs, bytes.Clone)},
		{"returns its stored bytes", secretAliased, keepsSecrets(bytes.Clone, asIs)},
		{"accepts an empty name", secretBounds, invalidAs(func(name string, fresh []byte) (string, []byte) {
			if name == "" {
				name = "empty"
			}
			return name, fresh
		})},
		{"cuts a long name", secretBounds, invalidAs(func(name string, fresh []byte) (string, []byte) { return name[:min(len(name), 64)], fresh })},
		{"rejects a name of 64 bytes", secretBounds, asksSecrets(func(ctx context.Context, secret secretFunc, name string, fresh []byte) ([]byte, error) {
			if len(name) > 63 {
				return nil, errcodes.New(errcodes.InvalidRequest, "")
			}
			return secret(ctx, name, fresh)
		})},
		{"accepts a short secret", secretBounds, invalidAs(func(name string, fresh []byte) (string, []byte) {
			if len(fresh) < 16 {
				fresh = make([]byte, 16)
			}
			return name, fresh
		})},
		{"cuts a long secret", secretBounds, invalidAs(func(name string, fresh []byte) (string, []byte) { return name, fresh[:min(len(fresh), 1024)] })},
		{"forgets secrets", "a reopened store has its secrets", forgets},
	},
)
