package storetest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// ClientStore checks a ports.ClientStore.
func ClientStore(t *testing.T, h Harness) {
	t.Helper()
	runStore(t, h, clientChecks, "Store.Clients is nil", func(s Store) bool { return s.Clients != nil })
}

var clientChecks = []storeCheck{
	{"an unknown client is not found", func(k *storeKit) {
		k.putClient(client("acme"))
		kit.Each(k, []string{"zenith", "", "acme ", "ACME", "acme\x00", "%"}, kit.Name, func(id string) {
			k.Code(errOf(k.Clients.Client(k.Context(), id)), errcodes.NotFound, "Client of an unknown id")
		})
	}},
	{"a client is returned as it was put", func(k *storeKit) {
		for _, disabled := range []bool{true, false} {
			k.Case(fmt.Sprint("disabled ", disabled), func() {
				want := client("acme")
				want.Disabled = disabled
				k.putClient(want)
				k.Same(k.client("acme"), want, "the client")
			})
		}
	}},
	{"a client without secrets and merchants is returned unchanged", func(k *storeKit) {
		want := ports.Client{ID: "bare"}
		k.putClient(want)
		k.Same(k.client("bare"), want, "a client that has only an id")
	}},
	{"a client is replaced as a whole", func(k *storeKit) {
		other := client("zenith")
		k.putClient(other)
		k.putClient(client("acme"))
		want := client("acme")
		want.Secrets, want.Merchants, want.Disabled, want.RevokedBefore = want.Secrets[2:], []string{"merchant-b"}, false, time.Time{}
		k.putClient(want)
		k.Same(k.client("acme"), want, "the replaced client")
		k.Same(k.client("zenith"), other, "the other client")
	}},
	{"client ids that look alike are different clients", func(k *storeKit) {
		for _, id := range kit.Distinct {
			k.putClient(client(id))
		}
		kit.Each(k, kit.Distinct, kit.Name, func(id string) {
			k.Same(k.client(id), client(id), "a client among look-alikes")
		})
	}},
	{"changing a client outside the store does not change the store", func(k *storeKit) {
		in := client("acme")
		k.putClient(in)
		for range 2 {
			in.Secrets[0].SHA256[0]++
			in.Merchants[0] = "changed"
			in = k.client("acme")
			k.Same(in, client("acme"), "the client after a copy was changed")
		}
	}},
	{"a done context returns its code and changes nothing", func(k *storeKit) {
		k.putClient(client("acme"))
		changed := client("acme")
		changed.Disabled = false
		k.doneContexts(k.clientCalls(changed))
		k.Same(k.client("acme"), client("acme"), "the client after a put with a done context")
	}},
	{"a closed store returns Closed", func(k *storeKit) {
		k.putClient(client("acme"))
		k.closed(k.clientCalls(client("acme")))
	}},
	{"a reopened store has its clients", func(k *storeKit) {
		k.Need(k.Reopen != nil, "Reopen")
		k.putClient(client("acme"))
		k.Store = k.Reopen()
		k.Same(k.client("acme"), client("acme"), "the client after reopening")
	}},
}

func client(id string) ports.Client {
	hash := func(text string) [32]byte { return sha256.Sum256([]byte(id + text)) }
	return ports.Client{
		ID: id,
		Secrets: []ports.ClientSecret{
			{SHA256: hash("old"), NotAfter: kit.Epoch.Add(time.Hour + time.Millisecond)},
			{SHA256: hash("current")},
			{SHA256: hash("next"), NotBefore: kit.Epoch.Add(-time.Millisecond), NotAfter: time.Date(2500, 1, 1, 0, 0, 0, 0, time.UTC)},
		},
		Merchants:     []string{"merchant-z", "merchant-a", "Merchant-a ", "m\x00\xff,\"'", ""},
		Disabled:      true,
		RevokedBefore: kit.Epoch.Add(time.Millisecond),
	}
}

func (k *storeKit) putClient(c ports.Client) {
	k.OK(k.Clients.PutClient(k.Context(), c, anyAct), "PutClient")
}

func (k *storeKit) client(id string) ports.Client {
	return kit.Got(k.Clients.Client(k.Context(), id)).OK(k, "Client")
}

func (k *storeKit) clientCalls(c ports.Client) map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"PutClient": func(ctx context.Context) error { return k.Clients.PutClient(ctx, c, anyAct) },
		"Client":    func(ctx context.Context) error { return errOf(k.Clients.Client(ctx, c.ID)) },
	}
}

// TokenStore checks a ports.TokenStore.
func TokenStore(t *testing.T, h Harness) {
	t.Helper()
	runStore(t, h, tokenChecks, "Store.Tokens is nil", func(s Store) bool { return s.Tokens != nil })
}

var tokenChecks = []storeCheck{
	{"an unknown token is not found", func(k *storeKit) {
		k.noToken(token("a"))
		k.putToken(token("a"))
		k.noToken(token("b"))
		k.noToken(ports.Token{})
	}},
	{"a token is returned as it was put", func(k *storeKit) {
		// Some expired long ago or live for centuries: the store does not judge
		// whether a token is valid.
		for i, expires := range []time.Time{
			kit.Epoch.Add(time.Hour + time.Millisecond), kit.Epoch, time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2500, 1, 1, 0, 0, 0, int(time.Millisecond), time.UTC),
		} {
			k.Case("expires "+expires.Format(time.RFC3339), func() {
				want := token(string(rune('a' + i)))
				want.ClientID, want.ExpiresAt = kit.Distinct[i+5], expires
				k.putToken(want)
				k.hasToken(want)
			})
		}
	}},
	{"a second token of a hash is a conflict and the first one stays", func(k *storeKit) {
		first := token("a")
		k.putToken(first)
		second := first
		second.ClientID, second.ExpiresAt = "client-2", kit.Epoch.Add(2*time.Hour)
		k.Code(k.Tokens.PutToken(k.Context(), second, 10), errcodes.Conflict, "PutToken of an existing hash")
		k.hasToken(first)
	}},
	{"of many concurrent tokens of one hash one is stored", func(k *storeKit) {
		k.winner(kit.Race(kit.Racers, func(int) error { return k.Tokens.PutToken(k.Context(), token("a"), 10) }))
	}},
	{"of a client's tokens the newest stay, with the one just put", tokensKept},
	{"the number of tokens to keep is 1 to 10,000", func(k *storeKit) {
		for keep, want := range map[int]errcodes.Code{-1: errcodes.InvalidRequest, 0: errcodes.InvalidRequest, ports.MaxPage: "", ports.MaxPage + 1: errcodes.InvalidRequest} {
			k.Case(strconv.Itoa(keep), func() {
				v := token(strconv.Itoa(keep))
				k.Code(k.Tokens.PutToken(k.Context(), v, keep), want, "PutToken")
				if want != "" {
					k.noToken(v)
				}
			})
		}
	}},
	{"concurrent calls keep as many tokens of a client as one call", func(k *storeKit) {
		// Calls that overlap are rare, and those after them remove what they left.
		for round := range 2 * kit.Racers {
			var all []ports.Token
			for i := range 4 {
				v := token(fmt.Sprint(round, " ", i))
				v.ClientID = fmt.Sprint("client-", round)
				all = append(all, v)
			}
			for _, err := range kit.Race(len(all), func(i int) error { return k.Tokens.PutToken(k.Context(), all[i], 2) }) {
				k.OK(err, "PutToken")
			}
			kept := 0
			for _, v := range all {
				if errOf(k.Tokens.Token(k.Context(), v.SHA256)) == nil {
					kept++
				}
			}
			k.Same(kept, 2, "the number of tokens that remain")
		}
	}},
	{"hashes that differ in one byte are different tokens", hashesApart},
	{"a revoked token is not found", func(k *storeKit) {
		a, b := token("a"), token("b")
		k.putToken(a)
		k.putToken(b)
		for range 2 { // the second time it is unknown
			k.OK(k.Tokens.Revoke(k.Context(), a.SHA256, anyAct), "Revoke")
			k.noToken(a)
		}
		k.hasToken(b)
		tokenPurges.purges(k, kit.Epoch.AddDate(1, 0, 0), 10, 1)
		k.noToken(a)
	}},
	{"RevokeAll removes a client's tokens and returns their number", func(k *storeKit) {
		other := token("other")
		other.ClientID = "client-10"
		k.putToken(other)
		for range 2 { // the second time there are none
			k.putToken(token("a"))
			k.putToken(token("b"))
			for _, want := range []int{2, 0} {
				k.Same(kit.Got(k.Tokens.RevokeAll(k.Context(), "client-1", anyAct)).OK(k, "RevokeAll"), want, "the number of revoked tokens")
				k.noToken(token("a"))
				k.noToken(token("b"))
			}
		}
		k.hasToken(other)
	}},
	{"a purge removes what expired by the time, and nothing else", tokenPurges.byInstant},
	{"a purge removes at most n and returns how many", tokenPurges.bounded},
	{"a done context returns its code and changes nothing", func(k *storeKit) {
		have, fresh := token("have"), token("fresh")
		k.putToken(have)
		k.doneContexts(k.tokenCalls(have, fresh))
		k.hasToken(have)
		k.noToken(fresh)
	}},
	{"a closed store returns Closed", func(k *storeKit) {
		have := token("have")
		k.putToken(have)
		k.closed(k.tokenCalls(have, token("fresh")))
	}},
	{"a reopened store has its tokens", func(k *storeKit) {
		k.Need(k.Reopen != nil, "Reopen")
		have, revoked := token("have"), token("revoked")
		k.putToken(have)
		k.putToken(revoked)
		k.OK(k.Tokens.Revoke(k.Context(), revoked.SHA256, anyAct), "Revoke")
		k.Store = k.Reopen()
		k.hasToken(have)
		k.noToken(revoked)
	}},
}

func token(text string) ports.Token {
	return ports.Token{
		SHA256: sha256.Sum256([]byte(text)), ClientID: "client-1", SecretSHA256: sha256.Sum256([]byte("secret of " + text)),
		IssuedAt: kit.Epoch, ExpiresAt: kit.Epoch.Add(time.Hour),
	}
}

func (k *storeKit) putToken(v ports.Token) {
	k.OK(k.Tokens.PutToken(k.Context(), v, ports.MaxPage), "PutToken")
}

// tokensKept puts tokens of two clients and then one more, each time with another
// number of tokens to keep.
func tokensKept(k *storeKit) {
	// A token that was issued later expires earlier, as with a lifetime that was shortened.
	at := func(client string, hash byte, minutes int) ports.Token {
		v, after := token(""), time.Duration(minutes)*time.Minute
		v.SHA256, v.ClientID = sha256.Sum256([]byte(client)), client
		v.IssuedAt, v.ExpiresAt = kit.Epoch.Add(after), kit.Epoch.Add(time.Hour-after)
		v.SHA256[0] = hash
		return v
	}
	for keep := 1; keep <= 6; keep++ {
		for name, minutes := range kit.ByName(map[string]int{"the oldest": -1, "the newest": 9}) {
			k.Case(fmt.Sprintf("%d with %s", keep, name), func() {
				mine := fmt.Sprint("client-", keep, " ", name)
				// In the order in which they go. Two are of equal age, their order is that of the hashes.
				old := []ports.Token{at(mine, 9, 0), at(mine, 0x7f, 1), at(mine, 0x80, 1), at(mine, 1, 2)}
				theirs := []ports.Token{at(mine+" ", 2, -5), at(mine+" ", 3, 1)}
				for _, i := range []int{2, 0, 3, 1} {
					k.putToken(old[i])
				}
				for _, v := range theirs {
					k.putToken(v)
				}
				last := at(mine, 4, minutes)
				k.OK(k.Tokens.PutToken(k.Context(), last, keep), "PutToken")
				k.hasToken(last)
				for i, v := range old {
					if len(old)-i < keep {
						k.hasToken(v)
					} else {
						k.noToken(v)
					}
				}
				for _, v := range theirs {
					k.hasToken(v)
				}
			})
		}
	}
}

func (k *storeKit) hasToken(want ports.Token) {
	k.Same(kit.Got(k.Tokens.Token(k.Context(), want.SHA256)).OK(k, "Token"), want, "the token")
}

func (k *storeKit) noToken(v ports.Token) {
	k.Code(errOf(k.Tokens.Token(k.Context(), v.SHA256)), errcodes.NotFound, "Token of an unknown hash")
}

var tokenPurges = purging[ports.Token]{
	save: func(k *storeKit, id string, at time.Time) ports.Token {
		v := token(id)
		v.ExpiresAt = at
		k.putToken(v)
		return v
	},
	purge: func(ctx context.Context, s Store, before time.Time, n int) (int, error) {
		return s.Tokens.PurgeTokens(ctx, before, n)
	},
	read: func(k *storeKit, v ports.Token) error { return errOf(k.Tokens.Token(k.Context(), v.SHA256)) },
	has:  func(k *storeKit, v ports.Token, _ string) { k.hasToken(v) },
}

func hashesApart(k *storeKit) {
	var all []ports.Token
	for i := range 3 {
		for _, b := range []byte{0, 'a', 'A', 0xff} {
			v := token("a")
			v.SHA256[[]int{0, 15, 31}[i]] = b
			v.ClientID = string([]byte{'a' + byte(i), b})
			k.putToken(v)
			all = append(all, v)
		}
	}
	for _, v := range all {
		k.hasToken(v)
	}
}

func (k *storeKit) tokenCalls(have, fresh ports.Token) map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"PutToken":    func(ctx context.Context) error { return k.Tokens.PutToken(ctx, fresh, 10) },
		"Token":       func(ctx context.Context) error { return errOf(k.Tokens.Token(ctx, have.SHA256)) },
		"Revoke":      func(ctx context.Context) error { return k.Tokens.Revoke(ctx, have.SHA256, anyAct) },
		"RevokeAll":   func(ctx context.Context) error { return errOf(k.Tokens.RevokeAll(ctx, have.ClientID, anyAct)) },
		"PurgeTokens": func(ctx context.Context) error { return errOf(k.Tokens.PurgeTokens(ctx, have.ExpiresAt, 10)) },
	}
}
