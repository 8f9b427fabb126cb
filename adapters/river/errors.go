package river

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/corridor-go/corridor/errcodes"
)

// unusable are the SQLSTATEs that no retry cures (PostgreSQL, appendix A).
var unusable = map[string]string{
	"28000": "The database refuses this role",
	"28P01": "The database refuses the role's password",
	"3D000": "The database does not exist",
	"3F000": "The database does not have the schema corridor; migrate it",
	"42501": "The role lacks a right on the database or its schema corridor",
	"42P01": "The database does not have the queue's tables; migrate it",
	"42703": "The queue's tables are of another version; migrate it",
}

var (
	errStopped    = errcodes.New(errcodes.Closed, "The queue is stopped")
	errStaleClaim = errcodes.New(errcodes.Conflict, "The claim is no longer the latest")
)

// coded gives err its code. The server's text is kept for errors.As alone: it may
// hold addresses and rows.
func coded(err error) error {
	if err == nil {
		return nil
	}
	_, connecting := errors.AsType[*pgconn.ConnectError](err) // even by a time limit of its own
	if code := errcodes.Of(err); !connecting && code != errcodes.Internal {
		return err
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		if message, ok := unusable[e.Code]; ok {
			return errcodes.Wrap(errcodes.Configuration, message, redacted{err})
		}
	}
	return errcodes.Wrap(errcodes.StorageUnavailable, "", redacted{err})
}

// openingError is coded, but if ctx is done it returns the context's error.
func openingError(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return errcodes.Coded(ctx.Err())
	}
	return coded(err)
}

// redacted prints of an error no more than its SQLSTATE.
type redacted struct{ cause error }

func (q redacted) Unwrap() error { return q.cause }

func (q redacted) Error() string {
	if e, ok := errors.AsType[*pgconn.PgError](q.cause); ok {
		return "river: SQLSTATE " + e.Code
	}
	return "river: no answer from the server"
}
