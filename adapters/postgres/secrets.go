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

// Secret adds fresh unless there is a secret of that name, by whomever. They are
// never removed: what is there once its adding has ended is the one for all,
// however that ended.
func (s secrets) Secret(ctx context.Context, name string, fresh []byte) ([]byte, error) {
	if err := ports.CheckSecret(name, fresh); err != nil {
		return nil, err
	}
	secret, err := s.get(ctx, name)
	if !errors.Is(err, pgx.ErrNoRows) {
		return secret, err
	}
	_, adding := s.count(ctx, addSecret, []byte(name), fresh)
	if adding != nil && errcodes.Of(adding) != errcodes.OutcomeUnknown {
		return nil, adding
	}
	secret, err = s.get(ctx, name)
	if errors.Is(err, pgx.ErrNoRows) && adding != nil {
		err = adding
	}
	return secret, err
}

func (s secrets) get(ctx context.Context, name string) (secret []byte, err error) {
	err = s.row(ctx, selectSecret, []any{[]byte(name)}, &secret)
	return secret, err
}
