package ports

import (
	"context"
	"slices"
	"strings"
	"time"
)

// Client is a program that may request tokens.
type Client struct {
	ID        string
	Secrets   []ClientSecret // at most 3; several are valid at once during rotation
	Merchants []string       // the merchants that it may name; [AnyMerchant] means any
	Disabled  bool

	// RevokedBefore ends all tokens issued, and all links made, before this instant;
	// zero: none. In the future, it locks the client until then: its tokens have ended
	// and it cannot get new ones, but its links work until then.
	RevokedBefore time.Time
}

// AnyMerchant in the list of a client's merchants allows it to name any.
const AnyMerchant = "*"

// MayName reports whether the client may act for the merchant. Merchant ids are
// UUIDs (SPEC 2.7), so that case is ignored.
func (c *Client) MayName(merchant string) bool {
	return slices.ContainsFunc(c.Merchants, func(m string) bool { return m == AnyMerchant || strings.EqualFold(m, merchant) })
}

// ClientSecret is the hash of a client's secret.
type ClientSecret struct {
	SHA256    [32]byte  // of the secret's bytes; the secret has at least 128 random bits
	NotBefore time.Time // valid from this instant on; zero means no lower bound
	NotAfter  time.Time // invalid from this instant on; zero means no upper bound
}

// ClientStore stores clients.
type ClientStore interface {
	// Client returns the client with the id, also a disabled one. It returns
	// [errcodes.NotFound] if the id is unknown.
	Client(ctx context.Context, id string) (Client, error)
	// PutClient stores c under its ID, replacing an earlier version, together with
	// the audit row. It returns the errors of [AuditRow.Check].
	PutClient(ctx context.Context, c Client, audit AuditRow) error
}

// Token is an issued access token, without its text.
type Token struct {
	SHA256       [32]byte // of the whole token text
	ClientID     string
	SecretSHA256 [32]byte // of the secret that bought it, a ClientSecret's SHA256
	IssuedAt     time.Time
	ExpiresAt    time.Time // invalid from this instant on
}

// TokenStore stores issued tokens.
type TokenStore interface {
	// PutToken stores a new token. In the same transaction it removes other tokens of
	// the client, so that at most keep (1 to [MaxPage]) of the client remain, also under
	// concurrent calls. The oldest by IssuedAt are removed, of equal age those with the
	// smaller hash; the new token always remains. PutToken returns
	// [errcodes.Conflict] if the hash is already stored, and [errcodes.InvalidRequest]
	// if keep is out of range.
	PutToken(ctx context.Context, t Token, keep int) error
	// Token returns the token with the hash, also an expired one. It returns
	// [errcodes.NotFound] if the token is unknown or was revoked.
	Token(ctx context.Context, sha256 [32]byte) (Token, error)
	// Revoke removes a token and stores the audit row with the token's ClientID as
	// Owner. For an unknown token it returns nil and stores no row: after nil the
	// token is not stored. It returns the errors of [AuditRow.Check].
	Revoke(ctx context.Context, sha256 [32]byte, audit AuditRow) error
	// RevokeAll removes all tokens of a client and returns their number. It stores the
	// audit row, with the client's id as Owner, also if there were no tokens. It returns
	// the errors of [AuditRow.Check].
	RevokeAll(ctx context.Context, clientID string, audit AuditRow) (int, error)
	// PurgeTokens removes up to n tokens (1 to [MaxPage]) with ExpiresAt at or
	// before the instant, and returns their number.
	PurgeTokens(ctx context.Context, before time.Time, n int) (int, error)
}
