package storetest_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
)

// onToken lets fn change what Token returns.
func onToken(b *bundle, fn func(v *ports.Token, err error) error) {
	token := b.tokens.token
	b.tokens.token = func(ctx context.Context, h [32]byte) (ports.Token, error) {
		v, err := token(ctx, h)
		err = fn(&v, err)
		return v, err
	}
}

// overwrites replaces the stored token.
func overwrites(b *bundle) {
	var mu sync.Mutex
	put, revoke := b.tokens.put, b.tokens.revoke
	b.tokens.put = func(ctx context.Context, v ports.Token, keep int) error {
		mu.Lock()
		defer mu.Unlock()
		if err := revoke(ctx, v.SHA256, ports.AuditRow{At: v.IssuedAt, Act: "test.write"}); err != nil {
			return err
		}
		return put(ctx, v, keep)
	}
}

// keeps lets fn change the number of tokens to keep, or the token.
func keeps(fn func(v *ports.Token, keep *int)) func(b *bundle) {
	return func(b *bundle) {
		put := b.tokens.put
		b.tokens.put = func(ctx context.Context, v ports.Token, keep int) error {
			fn(&v, &keep)
			return put(ctx, v, keep)
		}
	}
}

func keepsAll(_ *ports.Token, keep *int) { *keep = ports.MaxPage }

// evicts removes a client's tokens with the earliest time, the new one among them if
// newToo is true.
func evicts(newToo bool, when func(ports.Token) time.Time) func(b *bundle) {
	return func(b *bundle) {
		put, revoke := b.tokens.put, b.tokens.revoke
		var all []ports.Token
		b.tokens.put = func(ctx context.Context, v ports.Token, keep int) error {
			mine := slices.DeleteFunc(slices.Clone(all), func(o ports.Token) bool { return o.ClientID != v.ClientID })
			all = append(all, v)
			if newToo {
				mine, keep = append(mine, v), keep+1
			}
			err := put(ctx, v, ports.MaxPage)
			slices.SortFunc(mine, func(a, b ports.Token) int {
				return cmp.Or(when(a).Compare(when(b)), bytes.Compare(a.SHA256[:], b.SHA256[:]))
			})
			for _, o := range mine[:max(len(mine)+1-keep, 0)] {
				err = errors.Join(err, revoke(ctx, o.SHA256, ports.AuditRow{At: v.IssuedAt, Act: "test.write"}))
			}
			return err
		}
	}
}

// revokesAllOf lets fn change the client whose tokens are revoked, and their number.
func revokesAllOf(fn func(id string, n int) (string, int)) func(b *bundle) {
	return func(b *bundle) {
		revokeAll := b.tokens.revokeAll
		b.tokens.revokeAll = func(ctx context.Context, id string, audit ports.AuditRow) (int, error) {
			id, _ = fn(id, 0)
			n, err := revokeAll(ctx, id, audit)
			_, n = fn(id, n)
			return n, err
		}
	}
}

func purgesAt(by time.Duration) func(b *bundle) {
	return func(b *bundle) {
		purge := b.tokens.purge
		b.tokens.purge = func(ctx context.Context, before time.Time, n int) (int, error) {
			return purge(ctx, before.Add(by), n)
		}
	}
}

const (
	revoked = "a revoked token is not found"
	purged  = "a purge removes what expired by the time, and nothing else"
	kept    = "of a client's tokens the newest stay, with the one just put"
	ended   = "RevokeAll removes a client's tokens and returns their number"
	bounded = "a purge removes at most n and returns how many"
)

var tokenFlaws = append(commonFlaws("a done context returns its code and changes nothing"),
	flawedStore{"returns an empty token for an unknown hash", "an unknown token is not found", func(b *bundle) {
		onToken(b, func(_ *ports.Token, err error) error {
			if errcodes.Of(err) == errcodes.NotFound {
				return nil
			}
			return err
		})
	}},
	flawedStore{"reports not found as internal", "an unknown token is not found", func(b *bundle) {
		onToken(b, func(_ *ports.Token, err error) error { return broken.Recode(err, errcodes.NotFound, errcodes.Internal) })
	}},
	flawedStore{"keeps seconds of tokens", "a token is returned as it was put", func(b *bundle) {
		onToken(b, func(v *ports.Token, err error) error {
			v.ExpiresAt = v.ExpiresAt.Truncate(time.Second)
			return err
		})
	}},
	flawedStore{"does not find an expired token", "a token is returned as it was put", func(b *bundle) {
		onToken(b, func(v *ports.Token, err error) error {
			if err == nil && !v.ExpiresAt.After(v.IssuedAt) {
				return errcodes.New(errcodes.NotFound, "")
			}
			return err
		})
	}},
	flawedStore{"replaces a token", "a second token of a hash is a conflict and the first one stays", overwrites},
	flawedStore{"stores every concurrent token", "of many concurrent tokens of one hash one is stored", overwrites},
	flawedStore{"compares 31 bytes of a hash", "hashes that differ in one byte are different tokens", func(b *bundle) {
		put, token := b.tokens.put, b.tokens.token
		b.tokens.put = func(ctx context.Context, v ports.Token, keep int) error { v.SHA256[31] = 0; return put(ctx, v, keep) }
		b.tokens.token = func(ctx context.Context, h [32]byte) (ports.Token, error) {
			short := h
			short[31] = 0
			v, err := token(ctx, short)
			v.SHA256 = h
			return v, err
		}
	}},
	flawedStore{"revokes nothing", revoked, func(b *bundle) {
		b.tokens.revoke = func(context.Context, [32]byte, ports.AuditRow) error { return nil }
	}},
	flawedStore{"rejects an unknown token in Revoke", revoked, func(b *bundle) {
		token, revoke := b.tokens.token, b.tokens.revoke
		b.tokens.revoke = func(ctx context.Context, h [32]byte, audit ports.AuditRow) error {
			if _, err := token(ctx, h); err != nil {
				return err
			}
			return revoke(ctx, h, audit)
		}
	}},
	flawedStore{"forgets the secret of a token", "a token is returned as it was put", func(b *bundle) {
		onToken(b, func(v *ports.Token, err error) error { v.SecretSHA256 = [32]byte{}; return err })
	}},
	flawedStore{"keeps every token", kept, keeps(keepsAll)},
	flawedStore{"keeps one token too many", kept, keeps(func(_ *ports.Token, keep *int) { *keep++ })},
	flawedStore{"keeps one token too few", kept, keeps(func(_ *ports.Token, keep *int) { *keep = max(*keep-1, 1) })},
	flawedStore{"counts the tokens of all clients", kept, keeps(func(v *ports.Token, _ *int) { v.ClientID = "client" })},
	flawedStore{"removes the new token", kept, evicts(true, func(v ports.Token) time.Time { return v.IssuedAt })},
	flawedStore{"removes the tokens that expire first", kept, evicts(false, func(v ports.Token) time.Time { return v.ExpiresAt })},
	flawedStore{"keeps any number", "the number of tokens to keep is 1 to 10,000", keeps(func(_ *ports.Token, keep *int) { *keep = min(max(*keep, 1), ports.MaxPage) })},
	flawedStore{"keeps the tokens of concurrent calls", "concurrent calls keep as many tokens of a client as one call", keeps(keepsAll)},
	flawedStore{"ends nothing", ended, revokesAllOf(func(_ string, n int) (string, int) { return "nobody", n })},
	flawedStore{"ends another client's tokens", ended, func(b *bundle) {
		revokesAllOf(func(id string, n int) (string, int) { return id[:len("client-1")], n })(b)
		keeps(func(v *ports.Token, _ *int) { v.ClientID = v.ClientID[:min(len(v.ClientID), len("client-1"))] })(b)
	}},
	flawedStore{"does not count ended tokens", ended, revokesAllOf(func(id string, _ int) (string, int) { return id, 0 })},
	flawedStore{"excludes the time of a purge", purged, purgesAt(-time.Millisecond)},
	flawedStore{"purges too much", purged, purgesAt(time.Millisecond)},
	flawedStore{"purges more than n", bounded, func(b *bundle) {
		purge := b.tokens.purge
		b.tokens.purge = func(ctx context.Context, before time.Time, n int) (int, error) { return purge(ctx, before, n+1) }
	}},
	flawedStore{"returns n whatever it purged", bounded, func(b *bundle) {
		purge := b.tokens.purge
		b.tokens.purge = func(ctx context.Context, before time.Time, n int) (int, error) {
			_, err := purge(ctx, before, n)
			return n, err
		}
	}},
	flawedStore{"forgets tokens", "a reopened store has its tokens", forgets},
)

// onClient lets fn change what Client returns.
func onClient(b *bundle, fn func(c *ports.Client)) {
	client := b.clients.client
	b.clients.client = func(ctx context.Context, id string) (ports.Client, error) {
		c, err := client(ctx, id)
		if err == nil {
			fn(&c)
		}
		return c, err
	}
}

// mapClientIDs applies f to client ids.
func mapClientIDs(b *bundle, f func(string) string) {
	client, put := b.clients.client, b.clients.put
	b.clients.client = func(ctx context.Context, id string) (ports.Client, error) { return client(ctx, f(id)) }
	b.clients.put = func(ctx context.Context, c ports.Client, audit ports.AuditRow) error {
		c.ID = f(c.ID)
		return put(ctx, c, audit)
	}
}

const (
	asPut    = "a client is returned as it was put"
	replaced = "a client is replaced as a whole"
)

var clientFlaws = slices.Concat(
	commonFlaws("a done context returns its code and changes nothing"),
	confuse("client ids", "client ids that look alike are different clients", looks, mapClientIDs),
	confuse("client ids", "an unknown client is not found", looks[:2], mapClientIDs),
	[]flawedStore{
		{"orders merchants", asPut, func(b *bundle) {
			onClient(b, func(c *ports.Client) { slices.Sort(c.Merchants) })
		}},
		{"forgets when a secret begins", asPut, func(b *bundle) {
			onClient(b, func(c *ports.Client) { c.Secrets[2].NotBefore = time.Time{} })
		}},
		{"enables every client", asPut, func(b *bundle) {
			onClient(b, func(c *ports.Client) { c.Disabled = false })
		}},
		{"forgets when tokens were revoked", asPut, func(b *bundle) {
			onClient(b, func(c *ports.Client) { c.RevokedBefore = time.Time{} })
		}},
		{"reads no merchants as an empty one", "a client without secrets and merchants is returned unchanged", func(b *bundle) {
			onClient(b, func(c *ports.Client) {
				if len(c.Merchants) == 0 {
					c.Merchants = []string{""}
				}
			})
		}},
		{"adds to the stored client", replaced, func(b *bundle) {
			client, put := b.clients.client, b.clients.put
			b.clients.put = func(ctx context.Context, c ports.Client, audit ports.AuditRow) error {
				old, err := client(ctx, c.ID)
				if err == nil {
					c.Secrets = append(old.Secrets, c.Secrets...)
				}
				return put(ctx, c, audit)
			}
		}},
		{"does not replace a client", replaced, func(b *bundle) {
			client, put := b.clients.client, b.clients.put
			b.clients.put = func(ctx context.Context, c ports.Client, audit ports.AuditRow) error {
				if _, err := client(ctx, c.ID); err == nil {
					return nil
				}
				return put(ctx, c, audit)
			}
		}},
		{"keeps the client passed in", "changing a client outside the store does not change the store", func(b *bundle) {
			kept := map[string]ports.Client{}
			b.clients.put = func(_ context.Context, c ports.Client, _ ports.AuditRow) error { kept[c.ID] = c; return nil }
			b.clients.client = func(_ context.Context, id string) (ports.Client, error) { return kept[id], nil }
		}},
		{"forgets clients", "a reopened store has its clients", forgets},
	},
)
