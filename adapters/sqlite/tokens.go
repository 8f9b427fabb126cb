package sqlite

import (
	"context"
	"time"

	"github.com/corridor-go/corridor/ports"
)

type tokens struct{ *Store }

const (
	selectToken = `SELECT client_id, issued_at, expires_at FROM tokens WHERE sha256 = ?`
	insertToken = `INSERT INTO tokens (sha256, client_id, issued_at, expires_at) VALUES (?, ?, ?, ?)`
	deleteToken = `DELETE FROM tokens WHERE sha256 = ?`
	purgeTokens = `DELETE FROM tokens WHERE sha256 IN (
		SELECT sha256 FROM tokens WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`
)

func (t tokens) PutToken(ctx context.Context, token ports.Token) error {
	return t.update(ctx, func(ctx context.Context, s *session) error {
		_, err := s.exec(ctx, insertToken, token.SHA256[:], blob(token.ClientID),
			token.IssuedAt.UnixMilli(), token.ExpiresAt.UnixMilli())
		return err
	}, nil)
}

func (t tokens) Token(ctx context.Context, sha256 [32]byte) (ports.Token, error) {
	fields := func(token *ports.Token) []any {
		token.SHA256 = sha256
		return []any{&token.ClientID, instant{&token.IssuedAt}, instant{&token.ExpiresAt}}
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

func (t tokens) PurgeTokens(ctx context.Context, before time.Time, n int) (int, error) {
	return t.purge(ctx, before, n, purgeTokens)
}
