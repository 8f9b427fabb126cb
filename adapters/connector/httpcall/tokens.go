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

// Login sends one request for an access token, mostly by [Caller.Do].
type Login func(ctx context.Context) (Reply, error)

// Tokens keeps one access token for all lookups of a connector. It is safe for
// concurrent use, and no print of it shows the token.
type Tokens struct {
	login  Login
	cfg    TokensConfig
	flight singleflight.Group

	mu      sync.Mutex
	current token
}

// token is good from since until until; the zero token is good never. Its value
// is a func, so that no print shows it.
type token struct {
	value        func() string
	since, until time.Time
}

// access is a token for one request, or the login's reply where it gave none.
type access struct {
	token  string
	served bool // earlier lookups had it, too
	reply  Reply
}

// NewTokens returns a source of tokens that login gives. It sends nothing yet. No
// login, and a bad value in cfg, are [errcodes.Configuration].
func NewTokens(login Login, cfg *TokensConfig) (*Tokens, error) {
	c, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	if login == nil {
		return nil, errcodes.New(errcodes.Configuration, "a login is required")
	}
	return &Tokens{login: login, cfg: c}, nil
}

// String says what it is.
func (t *Tokens) String() string { return "access tokens" }

// GoString is String: %#v would read the fields while others write them.
func (t *Tokens) GoString() string { return t.String() }

// Do returns the reply of ask, which sends one request with the token
// given. If the provider rejects a token that served earlier lookups (401), Do
// gets a new one and asks again, once: the only case in which it asks twice. A
// login that is throttled (429) is the reply of Do, without asking.
//
// One login serves all who wait for it. Each waits as long as its ctx allows; the
// login goes on for the others, up to [TokensConfig.Timeout].
//
// The errors are those of ask and of the login, and:
//
//   - the context's own, when it has ended;
//   - [errcodes.Configuration]: the login answers a 4xx, since it is about
//     credentials and nothing else; or a new token is refused;
//   - [errcodes.DeadlineExceeded]: the login took longer than its Timeout;
//   - [errcodes.Unavailable]: the login answers a 5xx;
//   - [errcodes.MalformedAnswer]: the login's answer has no token that can travel
//     in a header, or the login panics.
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

// try asks with one token, and forgets it if it is refused.
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

// get returns the token in use, or a new one. The login does not end with the one
// who came first, since others wait for it.
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
		if errors.Is(result.Err, context.DeadlineExceeded) { // the login's own, not the caller's
			return access{}, errcodes.New(errcodes.DeadlineExceeded, "the provider gave no token in time")
		}
		return got, result.Err
	}
}

// kept returns the token in use. A clock that went back makes it bad.
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

// renew logs in. Whoever was late for the login before finds what that one kept.
// It runs in a goroutine of its own, where a panic, which may quote a secret, would
// end the process.
func (t *Tokens) renew(ctx context.Context) (got access, err error) {
	defer func() {
		if v := recover(); v != nil {
			got, err = access{}, errcodes.Panicked(errcodes.MalformedAnswer, v)
		}
	}()
	if value, ok := t.kept(); ok {
		return access{token: value, served: true}, nil
	}
	since := t.cfg.Clock.Now() // its life began no earlier
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

// read takes the token out of a login's reply that is not a 429.
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
	MaxTokenLife        = 24 * time.Hour // what is believed of a longer one
)

// Grant is what a login gave.
type Grant struct {
	Token string // without a scheme such as Bearer
	// Life is how long the token is good from when it was asked for, at most
	// [MaxTokenLife]; 0 or less: it serves those who wait for it, and no others.
	Life time.Duration
}

// ReadGrant reads a login's answer of the usual shape: access_token, and
// expires_in in seconds (RFC 6749, 5.1). What is not JSON of that shape is
// [errcodes.MalformedAnswer].
func ReadGrant(reply Reply) (Grant, error) {
	var body struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int64  `json:"expires_in"`
	}
	err := reply.Decode(&body)
	return Grant{Token: body.AccessToken, Life: Seconds(body.ExpiresIn)}, err
}

// Seconds is n seconds as a token's life, from 0 to [MaxTokenLife] whatever n is.
func Seconds(n int64) time.Duration {
	return time.Duration(min(max(n, 0), int64(MaxTokenLife/time.Second))) * time.Second
}

// TokensConfig tunes [Tokens]. The zero value, and nil, mean the defaults.
type TokensConfig struct {
	// Read takes the token out of a login's reply of status 2xx; nil:
	// [ReadGrant]. A token that cannot travel in a header is refused whatever
	// Read says.
	Read func(Reply) (Grant, error)

	// Clock tells when a token ends; nil: [ports.SystemClock].
	Clock ports.Clock

	// Margin is kept between the last use of a token and its end, up to
	// [MaxTokenMargin]; of short lives, the half. 0: [DefaultTokenMargin].
	Margin time.Duration

	// Timeout bounds one login by the machine's clock, up to
	// [MaxLoginTimeout]; 0: [DefaultLoginTimeout].
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

// usable is how long of its life a token is used.
func (c *TokensConfig) usable(life time.Duration) time.Duration {
	life = min(max(life, 0), MaxTokenLife)
	return max(life-c.Margin, life/2)
}
