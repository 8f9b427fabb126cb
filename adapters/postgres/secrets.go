package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

type secrets struct{ *Store }

const (
	selectSecret = `SELECT secret FROM corridor.secrets WHERE name = $1`
)

var addSecret = counted(`INSERT INTO corridor.secrets (name, secret) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`)

// Secret stores fresh unless a secret of that name exists. Secrets are never removed,
// so if the outcome of the insert is unknown, Secret reads the secret back and returns
// what is stored.
func (s secrets) Secret(ctx context.Context, name string, fresh []byte) ([]byte, error) {
	if err := ports.CheckSecret(name, fresh); err != nil {
		return nil, err
	}
	secret, err := s.get(ctx, name)
	if !errors.Is(err, pgx.ErrNoRows) {
		return secret, err
	}
	_, insertErr := s.count(ctx, addSecret, []byte(name), fresh)
	if insertErr != nil && errcodes.Of(insertErr) != errcodes.OutcomeUnknown {
		return nil, insertErr
	}
	secret, err = s.get(ctx, name)
	if errors.Is(err, pgx.ErrNoRows) && insertErr != nil {
		err = insertErr
	}
	return secret, err
}

func (s secrets) get(ctx context.Context, name string) (secret []byte, err error) {
	err = s.row(ctx, selectSecret, []any{[]byte(name)}, &secret)
	return secret, err
}
