package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/corridor-go/corridor/ports"
)

type tokens struct{ *Store }

const (
	selectToken = `SELECT client_id, secret_sha256, issued_at, expires_at FROM corridor.tokens WHERE sha256 = $1`

	// lockTokens lets one transaction at a time add tokens of a client. The two keys
	// set it apart from advisory locks with one, such as those of migrations.
	lockTokens = `SELECT pg_advisory_xact_lock(hashtext('corridor.tokens'), hashtext(encode($1, 'hex')))::text`

	// putToken inserts a token. evicted does not see it: all parts of a statement see
	// the tables as they were before.
	putToken = `WITH added AS (INSERT INTO corridor.tokens (sha256, client_id, secret_sha256, issued_at, expires_at)
			VALUES ($1, $2, $3, $4, $5)),
		evicted AS (DELETE FROM corridor.tokens WHERE sha256 = ANY (ARRAY(
			SELECT sha256 FROM corridor.tokens WHERE client_id = $2
			ORDER BY issued_at DESC, sha256 DESC OFFSET $6)) RETURNING 1)
		SELECT count(*) FROM evicted`
)

var (
	deleteToken = audited(`DELETE FROM corridor.tokens WHERE sha256 = $1 RETURNING client_id`, 1, `client_id`, `?::bytea`)

	deleteTokens = `WITH changed AS (DELETE FROM corridor.tokens WHERE client_id = $1 RETURNING 1), audit` +
		numberParams(insertAudit+auditValues+`?::bytea, ?::bytea`, 1) + `) SELECT count(*) FROM changed`

	// purgeTokens skips what another purge has locked, so two purges remove different
	// rows.
	purgeTokens = counted(`DELETE FROM corridor.tokens WHERE sha256 = ANY (ARRAY(
		SELECT sha256 FROM corridor.tokens WHERE expires_at <= $1
		ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED))`)
)

func (t tokens) PutToken(ctx context.Context, token ports.Token, keep int) error {
	if err := ports.CheckLimit(keep, ports.MaxPage); err != nil {
		return err
	}
	args := []any{
		token.SHA256[:], []byte(token.ClientID), token.SecretSHA256[:], millis(token.IssuedAt), millis(token.ExpiresAt), keep - 1,
	}
	// Above READ COMMITTED, putToken would see the tables as they were before the
	// transaction waited for the lock.
	return t.transact(ctx, pgx.ReadCommitted, func(ctx context.Context, tx pgx.Tx) error {
		var (
			locked  string
			evicted int
		)
		err := tx.QueryRow(ctx, lockTokens, []byte(token.ClientID)).Scan(&locked)
		if err == nil {
			err = tx.QueryRow(ctx, putToken, args...).Scan(&evicted)
		}
		return unencodable.coded(ctx, tx.Conn(), err)
	})
}

func (t tokens) Token(ctx context.Context, sha256 [32]byte) (ports.Token, error) {
	fields := func(token *ports.Token) []any {
		token.SHA256 = sha256
		return []any{byteString{&token.ClientID}, digest{&token.SecretSHA256}, instant{&token.IssuedAt}, instant{&token.ExpiresAt}}
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

func (t tokens) RevokeAll(ctx context.Context, clientID string, audit ports.AuditRow) (int, error) {
	if err := audit.Check(); err != nil {
		return 0, err
	}
	audit.Owner = clientID
	return t.count(ctx, deleteTokens, appendAudit([]any{[]byte(clientID)}, &audit)...)
}

func (t tokens) PurgeTokens(ctx context.Context, before time.Time, n int) (int, error) {
	return t.purge(ctx, purgeTokens, before, n)
}
