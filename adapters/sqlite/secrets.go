package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/corridor-go/corridor/ports"
)

type secrets struct{ *Store }

const (
	selectSecret = `SELECT secret FROM secrets WHERE name = ?`
	addSecret    = `INSERT INTO secrets (name, secret) VALUES (?, ?) ON CONFLICT (name) DO NOTHING`
	hasSecret    = `SELECT count(*) FROM secrets WHERE name = ?`
)

func (s secrets) Secret(ctx context.Context, name string, fresh []byte) ([]byte, error) {
	if err := ports.CheckSecret(name, fresh); err != nil {
		return nil, err
	}
	secret, err := s.get(ctx, name)
	if !errors.Is(err, sql.ErrNoRows) {
		return secret, err
	}
	if err := s.add(ctx, name, fresh); err != nil {
		return nil, err
	}
	return s.get(ctx, name)
}

func (s secrets) get(ctx context.Context, name string) (secret []byte, err error) {
	err = s.scan(ctx, selectSecret, []any{blob(name)}, &secret)
	return secret, err
}

// add stores fresh unless a secret of that name exists. Secrets are never removed.
func (s secrets) add(ctx context.Context, name string, fresh []byte) error {
	return s.update(ctx, func(ctx context.Context, s *session) error {
		_, err := s.exec(ctx, addSecret, blob(name), fresh)
		return err
	}, func(ctx context.Context, s *session) (outcome, error) {
		return presence(ctx, s, discarded, hasSecret, blob(name))
	})
}
