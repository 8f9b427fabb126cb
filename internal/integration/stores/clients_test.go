package stores_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

func (w *worlds) clientActions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"client put": w.putClient, "client get": w.getClient, "token issue": w.issueToken, "token use": w.useToken,
		"token put": w.putToken, "token purge": w.purgeTokens, "revoke all": w.revokeAll, "secret": w.shareSecret,
	}
}

func (*worlds) clientID(t *rapid.T) string {
	return rapid.SampledFrom([]string{"shop", "Shop", "desk"}).Draw(t, "client")
}

func (w *worlds) putClient(t *rapid.T) {
	c := ports.Client{ID: w.clientID(t), Disabled: rapid.IntRange(0, 4).Draw(t, "disabled") == 0}
	if rapid.IntRange(0, 4).Draw(t, "revoked") == 0 {
		c.RevokedBefore = w.clock.Now()
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "secrets") {
		c.Secrets = append(c.Secrets, ports.ClientSecret{
			SHA256: clientauth.HashSecret(fmt.Sprintf("secret-%d", i)), NotBefore: w.clock.Now().Add(-time.Hour),
			NotAfter: w.clock.Now().Add(time.Duration(i) * time.Hour),
		})
	}
	c.Merchants = rapid.SampledFrom([][]string{nil, {someMerchant}, {someMerchant, "m\x00"}}).Draw(t, "merchants")
	_ = agree(t, w, func(ctx context.Context, w *world) error { return w.Clients().PutClient(ctx, c, storemodel.AuditRow) })
}

func (w *worlds) getClient(t *rapid.T) {
	id := w.clientID(t)
	_, _ = same(t, w, func(ctx context.Context, w *world) (ports.Client, error) { return w.Clients().Client(ctx, id) })
}

func (w *worlds) issueToken(t *rapid.T) {
	id, secret := w.clientID(t), fmt.Sprintf("secret-%d", rapid.IntRange(0, 3).Draw(t, "secret"))
	type answer struct {
		Token   string
		Expires time.Duration
	}
	got, err := same(t, w, func(ctx context.Context, w *world) (a answer, err error) {
		a.Token, a.Expires, err = w.logins.Issue(ctx, id, secret)
		return a, err
	})
	if err == nil {
		w.tokens = append(w.tokens, got.Token)
	}
}

func (w *worlds) useToken(t *rapid.T) {
	token, revoke, id := draw(t, w.tokens, "token"), rapid.IntRange(0, 3).Draw(t, "revoke") == 0, w.clientID(t)
	_, _ = same(t, w, func(ctx context.Context, w *world) (ports.Client, error) {
		if revoke {
			return ports.Client{}, w.logins.Revoke(ctx, id, token)
		}
		return w.logins.Authenticate(ctx, token)
	})
}

func (w *worlds) putToken(t *rapid.T) {
	now := w.clock.Now()
	tok := ports.Token{
		SHA256: sha256.Sum256([]byte{byte(rapid.IntRange(0, 6).Draw(t, "token"))}), ClientID: w.clientID(t), SecretSHA256: clientauth.HashSecret("secret-0"),
		IssuedAt:  now.Add(time.Duration(rapid.IntRange(-1, 1).Draw(t, "issued")) * time.Millisecond),
		ExpiresAt: now.Add(time.Duration(rapid.IntRange(0, 2).Draw(t, "hours")) * time.Hour),
	}
	how, keep := rapid.IntRange(0, 4).Draw(t, "how"), rapid.SampledFrom([]int{0, 1, 2, 3, 10_000, 10_001}).Draw(t, "keep")
	_, _ = same(t, w, func(ctx context.Context, w *world) (ports.Token, error) {
		switch how {
		case 0:
			return ports.Token{}, w.Tokens().Revoke(ctx, tok.SHA256, storemodel.AuditRow)
		case 1:
			return w.Tokens().Token(ctx, tok.SHA256)
		default:
			return ports.Token{}, w.Tokens().PutToken(ctx, tok, keep)
		}
	})
}

func (w *worlds) revokeAll(t *rapid.T) {
	id := w.clientID(t)
	_, _ = same(t, w, func(ctx context.Context, w *world) (int, error) {
		return w.Tokens().RevokeAll(ctx, id, storemodel.AuditRow)
	})
}

func (w *worlds) purgeTokens(t *rapid.T) {
	now, n := w.clock.Now(), rapid.SampledFrom([]int{0, 10_000, 10_001}).Draw(t, "n")
	_, _ = same(t, w, func(ctx context.Context, w *world) (int, error) { return 0, w.logins.Tick(ctx, now) })
	_, _ = same(t, w, func(ctx context.Context, w *world) (int, error) { return w.Tokens().PurgeTokens(ctx, now, n) })
}

func (w *worlds) shareSecret(t *rapid.T) {
	name := rapid.SampledFrom([]string{"", "links", "Links"}).Draw(t, "name")
	fresh := []byte(fmt.Sprintf("%032d", rapid.IntRange(0, 9).Draw(t, "fresh")))[:rapid.SampledFrom([]int{15, 16, 32}).Draw(t, "length")]
	_, _ = same(t, w, func(ctx context.Context, w *world) ([]byte, error) { return w.Secrets().Secret(ctx, name, fresh) })
}
