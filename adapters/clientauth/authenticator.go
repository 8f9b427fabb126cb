package clientauth

import (
	"context"
	"encoding/hex"
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

// Authenticator issues and checks access tokens. It is safe for concurrent use.
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

// Issue returns a new access token for a client's credentials, and how long it is valid
// (SPEC 4.1). It returns [errcodes.TokenInvalidCredentials] if the credentials are
// wrong for any reason, [errcodes.Unavailable] if a store fails, and
// [errcodes.Internal] if the random source fails or repeats itself.
func (a *Authenticator) Issue(ctx context.Context, clientID, clientSecret string) (token string, expiresIn time.Duration, err error) {
	client, err := a.ports.Clients.Client(ctx, clientID)
	known := err == nil
	if !known && errcodes.Of(err) != errcodes.NotFound {
		return "", 0, unavailable("read a client", err)
	}
	now := a.now()
	right := matches(&client, clientSecret, now)
	if !right || !known || client.Disabled {
		return "", 0, errcodes.New(errcodes.TokenInvalidCredentials, "")
	}
	return a.issue(ctx, client.ID, now)
}

func (a *Authenticator) issue(ctx context.Context, clientID string, now time.Time) (string, time.Duration, error) {
	token, err := newToken(a.cfg.Random)
	if err != nil {
		return "", 0, err
	}
	hash, _ := hashToken(token)
	lifetime := a.cfg.TokenLifetime.Truncate(time.Millisecond)
	err = a.ports.Tokens.PutToken(ctx, ports.Token{
		SHA256: hash, ClientID: clientID, IssuedAt: now, ExpiresAt: now.Add(lifetime),
	}, ports.MaxPage)
	switch {
	case errcodes.Of(err) == errcodes.Conflict:
		return "", 0, errcodes.Wrap(errcodes.Internal, "", fmt.Errorf("the random source repeated a token: %w", err))
	case err != nil:
		return "", 0, unavailable("store a token", err)
	}
	return token, lifetime, nil
}

// Authenticate returns the client that token was issued to, without its secrets. It
// returns [errcodes.Unauthorized] if the token is malformed, unknown, revoked or
// expired (it is valid while now < ExpiresAt), or if its client was removed or
// disabled, and [errcodes.Unavailable] if a store fails. Callers share the slices of
// the result and must not change them.
func (a *Authenticator) Authenticate(ctx context.Context, token string) (ports.Client, error) {
	hash, ok := hashToken(token)
	if !ok {
		return ports.Client{}, unauthorized()
	}
	now := a.now()
	e, mark, ok := a.cache.get(hash, now)
	if !ok {
		var err error
		if e, err = a.read(ctx, hash, now); err != nil {
			return ports.Client{}, err
		}
		a.cache.put(hash, e, mark)
	}
	if !now.Before(e.expiresAt) {
		return ports.Client{}, unauthorized()
	}
	return e.client, nil
}

// read reads the token and its client from the stores. The client is enabled.
func (a *Authenticator) read(ctx context.Context, hash [32]byte, now time.Time) (entry, error) {
	token, err := a.ports.Tokens.Token(ctx, hash)
	if err != nil {
		return entry{}, unauthorizedOr("read a token", err)
	}
	client, err := a.ports.Clients.Client(ctx, token.ClientID)
	if err != nil {
		return entry{}, unauthorizedOr("read a client", err)
	}
	if client.Disabled {
		return entry{}, unauthorized()
	}
	client.Secrets = nil
	return entry{client: client, expiresAt: token.ExpiresAt, readAt: now}, nil
}

// Revoke revokes a token: this process rejects it from now on, others within their
// CacheFor. Revoking text that cannot be a token is not an error. If the store fails,
// Revoke returns [errcodes.Unavailable], and the token may still be valid.
func (a *Authenticator) Revoke(ctx context.Context, token string) error {
	hash, ok := hashToken(token)
	if !ok {
		return nil
	}
	err := a.ports.Tokens.Revoke(ctx, hash, ports.AuditRow{
		At: a.now(), Actor: ports.ActorOf(ctx), Act: ports.ActTokenRevoked, Object: hex.EncodeToString(hash[:]),
	})
	a.cache.drop(hash)
	if err != nil {
		return unavailable("revoke a token", err)
	}
	return nil
}

// Run ticks at once and then every Config.Every. It returns ctx's error when ctx is
// done, and nil after Stop. Without Run or Tick, expired tokens stay in the store; they
// are rejected all the same.
func (a *Authenticator) Run(ctx context.Context) error { return a.loops.Run(ctx, a.Tick) }

// Tick removes up to 10,000 tokens that have expired by now from the store. It returns
// [errcodes.Unavailable] if the store fails.
func (a *Authenticator) Tick(ctx context.Context, now time.Time) error {
	_, err := a.ports.Tokens.PurgeTokens(ctx, now.UTC(), ports.MaxPage)
	if err != nil {
		err = unavailable("purge tokens", err)
	}
	return a.loops.Report(ctx, err)
}

// Stop ends Run and waits for its tick, at most until ctx is done; then it returns
// ctx's error. It may be called more than once. The other methods work after it.
func (a *Authenticator) Stop(ctx context.Context) error { return a.loops.Stop(ctx) }

// now returns the time in the milliseconds that stores keep.
func (a *Authenticator) now() time.Time { return ports.Millis(a.cfg.Clock.Now()) }

func unauthorized() error { return errcodes.New(errcodes.Unauthorized, "") }

func unauthorizedOr(doing string, err error) error {
	if errcodes.Of(err) == errcodes.NotFound {
		return unauthorized()
	}
	return unavailable(doing, err)
}

func unavailable(doing string, err error) error {
	return errcodes.Wrap(errcodes.Unavailable, "Authentication service unavailable", fmt.Errorf("%s: %w", doing, err))
}
