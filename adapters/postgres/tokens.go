package postgres

import (
	"context"
	"time"

	"github.com/corridor-go/corridor/ports"
)

type tokens struct{ *Store }

const selectToken = `SELECT client_id, issued_at, expires_at FROM corridor.tokens WHERE sha256 = $1`

var (
	insertToken = counted(`INSERT INTO corridor.tokens (sha256, client_id, issued_at, expires_at) VALUES ($1, $2, $3, $4)`)
	deleteToken = audited(`DELETE FROM corridor.tokens WHERE sha256 = $1 RETURNING client_id`, 1, `client_id`, `?::bytea`)

	// purgeTokens skips what another purge has locked, so two purges remove different
	// rows.
	purgeTokens = counted(`DELETE FROM corridor.tokens WHERE sha256 = ANY (ARRAY(
		SELECT sha256 FROM corridor.tokens WHERE expires_at <= $1
		ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED))`)
)

func (t tokens) PutToken(ctx context.Context, token ports.Token) error {
	_, err := t.count(ctx, insertToken, token.SHA256[:], []byte(token.ClientID), millis(token.IssuedAt), millis(token.ExpiresAt))
	return err
}

func (t tokens) Token(ctx context.Context, sha256 [32]byte) (ports.Token, error) {
	fields := func(token *ports.Token) []any {
		token.SHA256 = sha256
		return []any{byteString{&token.ClientID}, instant{&token.IssuedAt}, instant{&token.ExpiresAt}}
	}
	return one(ctx, t.Store, "No such token", fields, selectToken, sha256[:])
}

func (t tokens) Revoke(ctx context.Context, sha256 [32]byte, audit ports.AuditRow) error {
	if err := audit.Check(); err != nil {
		return err
	}
	args := appendAudit([]any{sha256[:]}, &audit)[:1+auditParams]
	_, err := t.count(ctx, deleteToken, append(args, []byte(audit.Object))...)
	return err
}

func (t tokens) PurgeTokens(ctx context.Context, before time.Time, n int) (int, error) {
	return t.purge(ctx, purgeTokens, before, n)
}
