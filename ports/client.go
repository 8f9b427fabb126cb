package ports

import (
	"context"
	"strings"
	"time"
)

// Client is a machine that may ask for tokens.
type Client struct {
	ID        string
	Secrets   []ClientSecret // at most 3, overlapping during rotation
	Merchants []string       // the merchants it may name; empty: any
	Disabled  bool
}

// MayName reports whether the client may act for the merchant. Letter case does
// not count: merchant ids are UUIDs (SPEC 2.7).
func (c *Client) MayName(merchant string) bool {
	for _, m := range c.Merchants {
		if strings.EqualFold(m, merchant) {
			return true
		}
	}
	return len(c.Merchants) == 0
}

// ClientSecret is one secret of a client, known only by its hash.
type ClientSecret struct {
	SHA256    [32]byte  // of the secret's bytes; the secret has at least 128 bits of chance
	NotBefore time.Time // zero: from ever
	NotAfter  time.Time // invalid from this instant on; zero: for ever
}

// ClientStore keeps clients.
type ClientStore interface {
	// Client returns the client of id; an unknown one is errcodes.NotFound. A
	// disabled client is returned like any other.
	Client(ctx context.Context, id string) (Client, error)
	// PutClient stores c under its ID, in place of what was there, and the audit
	// row with it. What [AuditRow.Check] finds is its error.
	PutClient(ctx context.Context, c Client, audit AuditRow) error
}

// Token is an issued access token, known only by its hash.
type Token struct {
	SHA256    [32]byte // of the whole token text
	ClientID  string
	IssuedAt  time.Time
	ExpiresAt time.Time // invalid from this instant on
}

// TokenStore keeps issued tokens.
type TokenStore interface {
	// PutToken stores a new token. A hash that is there is errcodes.Conflict.
	PutToken(ctx context.Context, t Token) error
	// Token gives the token of the hash; an unknown or revoked one is
	// errcodes.NotFound. An expired one is returned like any other.
	Token(ctx context.Context, sha256 [32]byte) (Token, error)
	// Revoke removes a token, and stores the audit row with that, with the token's
	// ClientID as Owner. An unknown token is no error, and leaves no row. When
	// Revoke returns nil the token is gone. What [AuditRow.Check] finds is its error.
	Revoke(ctx context.Context, sha256 [32]byte, audit AuditRow) error
	// PurgeTokens removes up to n tokens (1 to [MaxPage]) with ExpiresAt at or
	// before the instant, and tells how many.
	PurgeTokens(ctx context.Context, before time.Time, n int) (int, error)
}
