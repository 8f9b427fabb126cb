package httpcall

import (
	"cmp"
	"time"

	"github.com/corridor-go/corridor/internal/wiring"
	"github.com/corridor-go/corridor/ports"
)

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
	f := *cmp.Or(c, &TokensConfig{})
	if f.Read == nil {
		f.Read = ReadGrant
	}
	f.Clock = cmp.Or(f.Clock, ports.SystemClock())
	f.Margin = cmp.Or(f.Margin, DefaultTokenMargin)
	f.Timeout = cmp.Or(f.Timeout, DefaultLoginTimeout)
	return f, cmp.Or(
		wiring.Within("Margin", f.Margin, 0, MaxTokenMargin),
		wiring.Within("Timeout", f.Timeout, 0, MaxLoginTimeout),
	)
}

// usable is how long of its life a token is used.
func (c *TokensConfig) usable(life time.Duration) time.Duration {
	life = min(max(life, 0), MaxTokenLife)
	return max(life-c.Margin, life/2)
}
