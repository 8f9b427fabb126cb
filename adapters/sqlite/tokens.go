package sqlite

import (
	"context"
	"time"

	"github.com/corridor-go/corridor/ports"
)

type tokens struct{ *Store }

const (
	selectToken = `SELECT client_id, secret_sha256, issued_at, expires_at FROM tokens WHERE sha256 = ?`
	insertToken = `INSERT INTO tokens (sha256, client_id, secret_sha256, issued_at, expires_at) VALUES (?, ?, ?, ?, ?)`
	evictTokens = `DELETE FROM tokens WHERE sha256 IN (
		SELECT sha256 FROM tokens WHERE client_id = ? AND sha256 <> ?
		ORDER BY issued_at DESC, sha256 DESC LIMIT -1 OFFSET ?)`
	deleteToken  = `DELETE FROM tokens WHERE sha256 = ?`
	deleteTokens = `DELETE FROM tokens WHERE client_id = ?`
	purgeTokens  = `DELETE FROM tokens WHERE sha256 IN (
		SELECT sha256 FROM tokens WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`
)

func (t tokens) PutToken(ctx context.Context, token ports.Token, keep int) error {
	if err := ports.CheckLimit(keep, ports.MaxPage); err != nil {
		return err
	}
	return t.update(ctx, func(ctx context.Context, s *session) error {
		_, err := s.exec(ctx, insertToken, token.SHA256[:], blob(token.ClientID), token.SecretSHA256[:],
			token.IssuedAt.UnixMilli(), token.ExpiresAt.UnixMilli())
		if err != nil {
			return err
		}
		_, err = s.exec(ctx, evictTokens, blob(token.ClientID), token.SHA256[:], keep-1)
		return err
	}, nil)
}

func (t tokens) Token(ctx context.Context, sha256 [32]byte) (ports.Token, error) {
	fields := func(token *ports.Token) []any {
		token.SHA256 = sha256
		return []any{&token.ClientID, digest{&token.SecretSHA256}, instant{&token.IssuedAt}, instant{&token.ExpiresAt}}
	}
	return one(ctx, t.Store, "No such token", fields, selectToken, sha256[:])
}

func (t tokens) Revoke(ctx context.Context, sha256 [32]byte, audit ports.AuditRow) error {
	if err := audit.Check(); err != nil {
		return err
	}
	return t.update(ctx, func(ctx context.Context, s *session) error {
		if _, err := s.exec(ctx, auditToken, append(auditArgs(&audit), blob(audit.Object), sha256[:])...); err != nil {
			return err
		}
		_, err := s.exec(ctx, deleteToken, sha256[:])
		return err
	}, nil)
}

func (t tokens) RevokeAll(ctx context.Context, clientID string, audit ports.AuditRow) (int, error) {
	if err := audit.Check(); err != nil {
		return 0, err
	}
	audit.Owner = clientID
	var revoked int64
	err := t.update(ctx, func(ctx context.Context, s *session) (err error) {
		if revoked, err = s.exec(ctx, deleteTokens, blob(clientID)); err != nil {
			return err
		}
		return addAudit(ctx, s, &audit)
	}, nil)
	if err != nil {
		return 0, err
	}
	return int(revoked), nil
}

func (t tokens) PurgeTokens(ctx context.Context, before time.Time, n int) (int, error) {
	return t.purge(ctx, before, n, purgeTokens)
}
