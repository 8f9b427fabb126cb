package river

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/corridor-go/corridor/errcodes"
)

// unusable maps SQLSTATEs that a retry cannot help (PostgreSQL, appendix A) to
// messages for the operator.
var unusable = map[string]string{
	"28000": "The database rejects this role",
	"28P01": "The database rejects the role's password",
	"3D000": "The database does not exist",
	"3F000": "The database does not have the schema corridor; migrate it",
	"42501": "The role lacks a right on the database or its schema corridor",
	"42P01": "The database does not have the queue's tables; migrate it",
	"42703": "The queue's tables are of another version; migrate it",
}

var errStopped = errcodes.New(errcodes.Closed, "The queue is stopped")

// coded returns err with a code. The server's text, which may contain addresses and
// rows, can only be reached by errors.As.
func coded(err error) error {
	if err == nil {
		return nil
	}
	_, connecting := errors.AsType[*pgconn.ConnectError](err) // which may wrap a timeout of the pool
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

// openingError returns coded(err), or ctx's error if ctx is done.
func openingError(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return errcodes.Coded(ctx.Err())
	}
	return coded(err)
}

// redacted wraps an error and prints only its SQLSTATE.
type redacted struct{ cause error }

func (q redacted) Unwrap() error { return q.cause }

func (q redacted) Error() string {
	if e, ok := errors.AsType[*pgconn.PgError](q.cause); ok {
		return "river: SQLSTATE " + e.Code
	}
	return "river: no answer from the server"
}
