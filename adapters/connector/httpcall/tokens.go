package httpcall

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/wiring"
	"github.com/corridor-go/corridor/ports"
)

// Login sends one request for an access token, usually with [Caller.Do].
type Login func(ctx context.Context) (Reply, error)

// Tokens caches one access token for all lookups of a connector. It is safe for
// concurrent use, and printing it does not show the token.
type Tokens struct {
	login  Login
	cfg    TokensConfig
	flight singleflight.Group

	mu      sync.Mutex
	current token
}

// token is valid from since until before until; the zero token never is. Its value is a
// func, so that printing it does not show it.
type token struct {
	value        func() string
	since, until time.Time
}

// access is a token for one request, or the reply of a login that returned no token.
type access struct {
	token  string
	served bool // earlier lookups used it, too
	reply  Reply
}

// NewTokens returns the tokens of a login. It sends nothing yet. A nil login or an
// invalid value in cfg is [errcodes.Configuration].
func NewTokens(login Login, cfg *TokensConfig) (*Tokens, error) {
	c, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	if login == nil {
		return nil, errcodes.New(errcodes.Configuration, "login is required")
	}
	return &Tokens{login: login, cfg: c}, nil
}

// String returns "access tokens".
func (t *Tokens) String() string { return "access tokens" }

// GoString is String: %#v would read the fields while others write them.
func (t *Tokens) GoString() string { return t.String() }

// Do calls ask, which sends one request with the token, and returns its reply. If the
// provider rejects a token that earlier lookups used (401), Do gets a new one and calls
// ask again; it never calls ask a third time. If the login is throttled (429), Do
// returns the login's reply without calling ask.
//
// Concurrent callers share one login. Each waits until its ctx is done; the login
// continues for the others, up to [TokensConfig.Timeout].
//
// The errors are those of ask and of the login, and:
//
//   - ctx's own error, if ctx is done;
//   - [errcodes.Configuration]: the login answers a 4xx, which can only be about the
//     credentials, or a new token is rejected;
//   - [errcodes.DeadlineExceeded]: the login took longer than its Timeout;
//   - [errcodes.Unavailable]: the login answers a 5xx;
//   - [errcodes.MalformedAnswer]: the login returns no token, or one that cannot be
//     sent in a header, or panics.
func (t *Tokens) Do(ctx context.Context, ask func(token string) (Reply, error)) (Reply, error) {
	reply, served, err := t.try(ctx, ask)
	if err == nil && reply.Status == http.StatusUnauthorized && served {
		reply, _, err = t.try(ctx, ask)
	}
	switch {
	case err != nil:
		return Reply{}, err
	case reply.Status == http.StatusUnauthorized:
		return Reply{}, Refused()
	default:
		return reply, nil
	}
}

// try calls ask with one token, and forgets the token if it is rejected.
func (t *Tokens) try(ctx context.Context, ask func(token string) (Reply, error)) (reply Reply, served bool, err error) {
	got, err := t.get(ctx)
	if err != nil || got.token == "" {
		return got.reply, false, err
	}
	reply, err = ask(got.token)
	if err == nil && reply.Status == http.StatusUnauthorized {
		t.drop(got.token)
	}
	return reply, got.served, err
}

// get returns the current token, or a new one. The login does not end with the ctx of
// the caller that started it, since others wait for it.
func (t *Tokens) get(ctx context.Context) (access, error) {
	if err := ctx.Err(); err != nil {
		return access{}, err
	}
	if value, ok := t.kept(); ok {
		return access{token: value, served: true}, nil
	}
	flown := t.flight.DoChan("", func() (any, error) {
		own, cancel := context.WithTimeout(context.WithoutCancel(ctx), t.cfg.Timeout)
		defer cancel()
		return t.renew(own)
	})
	select {
	case <-ctx.Done():
		return access{}, ctx.Err()
	case result := <-flown:
		got, _ := result.Val.(access)
		if errors.Is(result.Err, context.DeadlineExceeded) { // the login's context, not the caller's
			return access{}, errcodes.New(errcodes.DeadlineExceeded, "the provider did not answer the login in time")
		}
		return got, result.Err
	}
}

// kept returns the current token. After the clock was set back it returns none.
func (t *Tokens) kept() (string, bool) {
	now := t.cfg.Clock.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	if now.Before(t.current.since) || !now.Before(t.current.until) {
		return "", false
	}
	return t.current.value(), true
}

// drop forgets a token, unless it was replaced meanwhile.
func (t *Tokens) drop(value string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current.value != nil && t.current.value() == value {
		t.current = token{}
	}
}

// renew logs in, unless another login has just stored a token. It runs in a goroutine
// of singleflight, where a panic, which may quote a secret, would end the process.
func (t *Tokens) renew(ctx context.Context) (got access, err error) {
	defer func() {
		if v := recover(); v != nil {
			got, err = access{}, errcodes.Panicked(errcodes.MalformedAnswer, v)
		}
	}()
	if value, ok := t.kept(); ok {
		return access{token: value, served: true}, nil
	}
	since := t.cfg.Clock.Now() // the token is valid no earlier
	reply, err := t.login(ctx)
	if err != nil || reply.Throttled() {
		return access{reply: reply}, err
	}
	grant, err := t.read(reply)
	if err != nil {
		return access{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.current = token{value: func() string { return grant.Token }, since: since, until: since.Add(t.cfg.usable(grant.Life))}
	return access{token: grant.Token}, nil
}

// read returns the token in a login's reply that is not a 429.
func (t *Tokens) read(reply Reply) (Grant, error) {
	switch {
	case reply.Status >= http.StatusBadRequest && reply.Status < http.StatusInternalServerError:
		return Grant{}, Refused()
	case reply.Status >= http.StatusInternalServerError:
		return Grant{}, reply.Unread()
	}
	grant, err := t.cfg.Read(reply)
	if err == nil && Secret("", grant.Token) != nil {
		err = reply.Unread()
	}
	return grant, err
}

// Defaults and bounds of [TokensConfig], and of [Grant].
const (
	DefaultTokenMargin  = time.Minute
	MaxTokenMargin      = time.Hour
	DefaultLoginTimeout = 10 * time.Second
	MaxLoginTimeout     = time.Minute
	MaxTokenLife        = 24 * time.Hour // longer lives are cut to it
)

// Grant is the result of a login.
type Grant struct {
	Token string // without a scheme such as Bearer
	// Life is how long the token is valid from the request for it, at most
	// [MaxTokenLife]; 0 or less: only the callers that wait for this login use it.
	Life time.Duration
}

// ReadGrant parses a login's answer of the usual shape: access_token, and expires_in in
// seconds (RFC 6749, 5.1). Anything else is [errcodes.MalformedAnswer].
func ReadGrant(reply Reply) (Grant, error) {
	var body struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int64  `json:"expires_in"`
	}
	err := reply.Decode(&body)
	return Grant{Token: body.AccessToken, Life: Seconds(body.ExpiresIn)}, err
}

// Seconds returns n seconds as a token's life, limited to 0 to [MaxTokenLife].
func Seconds(n int64) time.Duration {
	return time.Duration(min(max(n, 0), int64(MaxTokenLife/time.Second))) * time.Second
}

// TokensConfig tunes [Tokens]. The zero value, and nil, mean the defaults.
type TokensConfig struct {
	// Read returns the token in a login's reply with status 2xx; nil: [ReadGrant]. A
	// token that cannot be sent in a header is rejected in any case.
	Read func(Reply) (Grant, error)

	// Clock decides whether a token has expired; nil: [ports.SystemClock].
	Clock ports.Clock

	// Margin is the time before its end at which a token is no longer used, up to
	// [MaxTokenMargin], but at most half of its life. 0: [DefaultTokenMargin].
	Margin time.Duration

	// Timeout bounds one login by the machine's clock, up to [MaxLoginTimeout]; 0:
	// [DefaultLoginTimeout].
	Timeout time.Duration
}

func (c *TokensConfig) withDefaults() (TokensConfig, error) {
	f, err := wiring.Defaults(c, TokensConfig{
		Read: ReadGrant, Clock: ports.SystemClock(), Margin: DefaultTokenMargin, Timeout: DefaultLoginTimeout,
	})
	return f, cmp.Or(
		err,
		errcodes.Within("Margin", f.Margin, 0, MaxTokenMargin),
		errcodes.Within("Timeout", f.Timeout, 0, MaxLoginTimeout),
	)
}

// usable returns how long a token with the life is used.
func (c *TokensConfig) usable(life time.Duration) time.Duration {
	life = min(max(life, 0), MaxTokenLife)
	return max(life-c.Margin, life/2)
}
