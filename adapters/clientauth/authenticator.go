package clientauth

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/background"
	"github.com/corridor-go/corridor/internal/wiring"
	"github.com/corridor-go/corridor/ports"
)

// Clients looks up clients. Every [ports.ClientStore] is one.
type Clients interface {
	// Client returns the client with the id, also if it is disabled. It returns
	// [errcodes.NotFound] if the id is unknown.
	Client(ctx context.Context, id string) (ports.Client, error)
}

// Authenticator issues and checks access tokens. It is safe for concurrent use. If a
// store fails because ctx is done, a method returns [errcodes.Canceled] or
// [errcodes.DeadlineExceeded]; if it fails for another reason, [errcodes.Unavailable].
type Authenticator struct {
	ports Ports
	cfg   Config
	cache *cache
	loops *background.Loops
}

// Ports are what an [Authenticator] calls; all are required.
type Ports struct {
	Clients Clients
	Tokens  ports.TokenStore
}

// New returns an Authenticator on p. It returns [errcodes.Configuration] if a port is
// missing or a value in cfg is invalid.
func New(p Ports, cfg *Config) (*Authenticator, error) {
	if err := wiring.Check(p); err != nil {
		return nil, err
	}
	c, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Authenticator{
		ports: p, cfg: c, cache: newCache(c.CacheEntries, c.CacheFor), loops: background.New(background.Config{
			Clock: c.Clock, Every: c.Every, Logger: c.Logger, Work: "tokens", Failed: c.Hooks.Background,
		}),
	}, nil
}

// Verify returns the client of the credentials, without its secrets. It returns
// [errcodes.TokenInvalidCredentials] if the credentials are wrong for any reason, or the
// client's RevokedBefore is more than five seconds after now, and [errcodes.Unavailable]
// if the store fails.
func (a *Authenticator) Verify(ctx context.Context, clientID, clientSecret string) (ports.Client, error) {
	client, _, err := a.verify(ctx, clientID, clientSecret)
	client.Secrets = nil
	return client, err
}

// verify returns the client with its secrets, and the time at which the credentials
// were valid.
func (a *Authenticator) verify(ctx context.Context, clientID, clientSecret string) (ports.Client, time.Time, error) {
	client, err := a.ports.Clients.Client(ctx, clientID)
	known := err == nil
	if !known && errcodes.Of(err) != errcodes.NotFound {
		return ports.Client{}, time.Time{}, unavailable(ctx, "read a client", err)
	}
	now := ports.Millis(a.cfg.Clock.Now())
	right := matches(&client, clientSecret, now)
	locked := ports.Millis(client.RevokedBefore).After(now.Add(maxSkew))
	if !right || !known || client.Disabled || locked {
		return ports.Client{}, time.Time{}, errcodes.New(errcodes.TokenInvalidCredentials, "")
	}
	return client, now, nil
}

// maxSkew is how much the clock of who sets RevokedBefore to now may be ahead.
const maxSkew = 5 * time.Second

// Issue returns a new access token for a client's credentials, and how long it is valid
// (SPEC 4.1): Config.TokenLifetime, but at most until the secret's NotAfter. If the
// client then has more than [MaxTokens] tokens, the oldest end. Issue
// returns the errors of [Authenticator.Verify], and [errcodes.Internal] if the random
// source fails or repeats itself.
func (a *Authenticator) Issue(ctx context.Context, clientID, clientSecret string) (token string, expiresIn time.Duration, err error) {
	client, now, err := a.verify(ctx, clientID, clientSecret)
	if err != nil {
		return "", 0, err
	}
	t := ports.Token{
		ClientID: client.ID, SecretSHA256: HashSecret(clientSecret), IssuedAt: now, ExpiresAt: now.Add(a.cfg.TokenLifetime.Truncate(time.Millisecond)),
	}
	secret, _ := openSecret(&client, t.SecretSHA256, now)
	if end := ports.Millis(secret.NotAfter); !end.IsZero() && end.Before(t.ExpiresAt) {
		t.ExpiresAt = end
	}
	if from := ports.Millis(client.RevokedBefore); from.After(now) {
		t.IssuedAt = from // at most maxSkew later; otherwise the new token would be invalid
	}
	if token, err = a.put(ctx, t); err != nil {
		return "", 0, err
	}
	return token, t.ExpiresAt.Sub(now), nil
}

// put stores t under the hash of a new token and returns the token.
func (a *Authenticator) put(ctx context.Context, t ports.Token) (string, error) {
	token, err := newToken(a.cfg.Random)
	if err != nil {
		return "", err
	}
	t.SHA256, _ = hashToken(token)
	err = a.ports.Tokens.PutToken(ctx, t, MaxTokens)
	switch {
	case errcodes.Of(err) == errcodes.Conflict:
		return "", errcodes.Wrap(errcodes.Internal, "", fmt.Errorf("the random source repeated a token: %w", err))
	case err != nil:
		return "", unavailable(ctx, "store a token", err)
	}
	return token, nil
}

// Authenticate returns the client that token was issued to, without its secrets. It
// returns [errcodes.Unauthorized] unless all of this holds (I14): the token was issued
// and not revoked, now is before its ExpiresAt, its client exists and is enabled, it was
// not issued before the client's RevokedBefore, and the client still has the secret that
// bought it, with NotBefore ≤ now < NotAfter. It returns [errcodes.Unavailable] if a
// store fails. Callers share the slices of the result and must not change them.
func (a *Authenticator) Authenticate(ctx context.Context, token string) (ports.Client, error) {
	hash, ok := hashToken(token)
	if !ok {
		return ports.Client{}, unauthorized()
	}
	now := a.cfg.Clock.Now()
	e, mark, ok := a.cache.get(hash, now)
	if !ok {
		var err error
		if e, err = a.read(ctx, hash, now); err != nil {
			return ports.Client{}, err
		}
		a.cache.put(hash, e, mark)
	}
	return e.client, nil
}

// read reads the token and its client from the stores, and checks both.
func (a *Authenticator) read(ctx context.Context, hash [32]byte, now time.Time) (entry, error) {
	token, err := a.ports.Tokens.Token(ctx, hash)
	if err != nil {
		return entry{}, unauthorizedOr(ctx, "read a token", err)
	}
	client, err := a.enabledClient(ctx, token.ClientID)
	if err != nil {
		return entry{}, err
	}
	wall := ports.Millis(now)
	secret, ok := openSecret(&client, token.SecretSHA256, wall)
	if !ok || !wall.Before(token.ExpiresAt) || token.IssuedAt.Before(ports.Millis(client.RevokedBefore)) {
		return entry{}, unauthorized()
	}
	until := token.ExpiresAt
	if !secret.NotAfter.IsZero() && secret.NotAfter.Before(until) {
		until = secret.NotAfter
	}
	client.Secrets = nil
	return entry{client: client, until: until, readAt: now}, nil
}

// Active returns nil if the client exists and is enabled, and what was made for it at
// since, such as a link, is still valid: since is not before the client's RevokedBefore,
// or RevokedBefore is after now. Otherwise it returns [errcodes.Unauthorized], and
// [errcodes.Unavailable] if the store fails.
func (a *Authenticator) Active(ctx context.Context, clientID string, since time.Time) error {
	client, err := a.enabledClient(ctx, clientID)
	if err != nil {
		return err
	}
	before := ports.Millis(client.RevokedBefore)
	if since.Before(before) && !before.After(a.cfg.Clock.Now()) {
		return unauthorized()
	}
	return nil
}

func (a *Authenticator) enabledClient(ctx context.Context, id string) (ports.Client, error) {
	client, err := a.ports.Clients.Client(ctx, id)
	if err != nil {
		return ports.Client{}, unauthorizedOr(ctx, "read a client", err)
	}
	if client.Disabled {
		return ports.Client{}, unauthorized()
	}
	return client, nil
}

// Revoke revokes a token of the client: this process rejects it from now on, others
// within their CacheFor. If the token is unknown or another client's, or the text cannot
// be a token, Revoke returns nil and does nothing. If the store fails, Revoke returns
// [errcodes.Unavailable], and the token may still be valid.
func (a *Authenticator) Revoke(ctx context.Context, clientID, token string) error {
	hash, ok := hashToken(token)
	if !ok {
		return nil
	}
	t, err := a.ports.Tokens.Token(ctx, hash)
	switch {
	case errcodes.Of(err) == errcodes.NotFound || err == nil && t.ClientID != clientID:
		return nil
	case err != nil:
		return unavailable(ctx, "read a token", err)
	}
	err = a.ports.Tokens.Revoke(ctx, hash, ports.AuditRow{
		At: ports.Millis(a.cfg.Clock.Now()), Actor: ports.ActorOf(ctx), Act: ports.ActTokenRevoked, Object: hex.EncodeToString(hash[:]),
	})
	a.cache.drop(hash)
	if err != nil {
		return unavailable(ctx, "revoke a token", err)
	}
	return nil
}

// Run ticks at once and then every Config.Every. It returns ctx's error when ctx is
// done, and nil after Stop. Without Run or Tick, expired tokens stay in the store; they
// are rejected all the same.
func (a *Authenticator) Run(ctx context.Context) error { return a.loops.Run(ctx, a.Tick) }

// Tick removes all tokens that have expired by now from the store, unless ctx ends
// first. It returns [errcodes.Unavailable] if the store fails.
func (a *Authenticator) Tick(ctx context.Context, now time.Time) error {
	for {
		purged, err := a.ports.Tokens.PurgeTokens(ctx, now.UTC(), ports.MaxPage)
		if err != nil {
			return a.loops.Report(ctx, unavailable(ctx, "purge tokens", err))
		}
		if purged < ports.MaxPage {
			return nil
		}
	}
}

// Stop ends Run and waits for its tick, at most until ctx is done; then it returns
// ctx's error. It may be called more than once. The other methods work after it.
func (a *Authenticator) Stop(ctx context.Context) error { return a.loops.Stop(ctx) }

func unauthorized() error { return errcodes.New(errcodes.Unauthorized, "") }

func unauthorizedOr(ctx context.Context, doing string, err error) error {
	if errcodes.Of(err) == errcodes.NotFound {
		return unauthorized()
	}
	return unavailable(ctx, doing, err)
}

// unavailable returns the error of ctx if a store failed because of it: the store may
// still be available.
func unavailable(ctx context.Context, doing string, err error) error {
	if done := ctx.Err(); done != nil && (errors.Is(err, done) || errcodes.Of(err) == errcodes.Of(done)) {
		return errcodes.Coded(done)
	}
	return errcodes.Wrap(errcodes.Unavailable, "Authentication service unavailable", fmt.Errorf("%s: %w", doing, err))
}
