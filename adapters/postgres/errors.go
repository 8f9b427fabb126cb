package postgres

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/corridor-go/corridor/errcodes"
)

// SQLSTATEs that the store handles individually (PostgreSQL, appendix A).
const (
	uniqueViolation      = "23505"
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	duplicateSchema      = "42P06"
	divisionByZero       = "22012"
)

// unusable maps states that a retry cannot help to messages for the operator.
var unusable = map[string]string{
	"28000": "The database rejects this role",
	"28P01": "The database rejects the role's password",
	"3D000": "The database does not exist",
	"42501": "The role lacks a right on the database or its schema corridor",
	"42P01": "The database does not have corridor's tables; migrate it",
	"42703": "The database's tables are of another version; migrate it",
}

// classCodes maps the first two characters of a SQLSTATE to the code that callers
// get. All others become errcodes.Internal.
var classCodes = map[string]errcodes.Code{
	"22": errcodes.InvalidRequest,     // a value that no column accepts, such as NUL in a text
	"08": errcodes.StorageUnavailable, // connection
	"23": errcodes.CorruptRecord,      // a constraint that no valid record violates
	"25": errcodes.StorageUnavailable, // read-only: a standby
	"40": errcodes.StorageUnavailable, // rolled back because of another transaction
	"53": errcodes.StorageUnavailable, // out of disk, memory or connections
	"54": errcodes.InvalidRequest,     // a value too large for an index
	"55": errcodes.StorageUnavailable, // a lock is not available
	"57": errcodes.StorageUnavailable, // shutting down, starting, or a server-side time limit
	"58": errcodes.StorageUnavailable, // the server's own I/O
	"XX": errcodes.CorruptRecord,      // the server's data
}

// stateHints explains in logs why a server cannot run a statement now.
var stateHints = map[string]string{
	"25006": " (read-only)",
	"53100": " (its disk is full)",
	"53300": " (no connection left)",
	"57P01": " (shutting down)",
	"57P02": " (recovering)",
	"57P03": " (starting or shutting down)",
}

var errClosed = errcodes.New(errcodes.Closed, "The store is closed")

// retryAfter is the Retry-After of errors about an exhausted pool or a busy queue.
const retryAfter = time.Second

func sqlState(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// coded returns err with a code; an error that has one keeps it. The server's text,
// whose details name rows, can only be reached by errors.As.
func coded(err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*errcodes.Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return codedState(e)
	}
	if isUnreadable(err) {
		return errcodes.Wrap(errcodes.CorruptRecord, "", described{"a column contains an invalid value", err})
	}
	_, connecting := errors.AsType[*pgconn.ConnectError](err) // which may wrap a timeout of the pool
	if code := errcodes.Of(err); !connecting && code != errcodes.Internal {
		return err // from the context
	}
	// Everything else comes from the network: no connection, or a broken one.
	return errcodes.Wrap(errcodes.StorageUnavailable, "", redacted{err})
}

func codedState(e *pgconn.PgError) error {
	if e.Code == uniqueViolation {
		return errcodes.Wrap(errcodes.Conflict, "A record with this id already exists", redacted{e})
	}
	if message, ok := unusable[e.Code]; ok {
		return errcodes.Wrap(errcodes.Configuration, message, redacted{e})
	}
	class := e.Code[:min(2, len(e.Code))]
	return errcodes.Wrap(cmp.Or(classCodes[class], errcodes.Internal), "", redacted{e})
}

func misconfigured(message string, cause error) error {
	return errcodes.Wrap(errcodes.Configuration, message, cause)
}

// openingError returns an error of opening with its code: errcodes.Configuration if
// a retry cannot help.
func openingError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if message, ok := unusable[sqlState(err)]; ok {
		return misconfigured(message, redacted{err})
	}
	err = coded(err)
	switch errcodes.Of(err) {
	case errcodes.Internal:
		return misconfigured("The database's tables cannot be brought up to date", err)
	case errcodes.StorageUnavailable:
		return errcodes.Wrap(errcodes.StorageUnavailable, "The database is not available", redacted{err})
	default:
		return err
	}
}

func outcomeUnknown(err error) error {
	return errcodes.Wrap(errcodes.OutcomeUnknown, "", redacted{err})
}

// redacted wraps an error for errors.Is and errors.As. It prints only the SQLSTATE
// and the constraint, which cannot contain a row's values, an address or a password.
type redacted struct{ cause error }

func (q redacted) Unwrap() error { return q.cause }

func (q redacted) Error() string {
	e, ok := errors.AsType[*pgconn.PgError](q.cause)
	switch {
	case !ok:
		return "postgres: no answer from the server"
	case e.ConstraintName != "":
		return "postgres: SQLSTATE " + e.Code + ", constraint " + e.ConstraintName
	default:
		return "postgres: SQLSTATE " + e.Code + stateHints[e.Code]
	}
}

// described wraps an error for errors.Is and errors.As, and prints about instead.
type described struct {
	about string
	cause error
}

func (s described) Unwrap() error { return s.cause }

func (s described) Error() string { return "postgres: " + s.about }

// localFault is the cause of an error that the server did not raise, on a connection
// that still works.
type localFault struct {
	code  errcodes.Code
	about string
}

var (
	unencodable = localFault{errcodes.InvalidRequest, "a value cannot be encoded and was not sent"}
	hookFailed  = localFault{errcodes.Internal, "the hook failed"}
)

// coded returns err with the fault's code if the fault caused it. Network errors close
// the connection, and errors after ctx's deadline are timeouts: coded returns both
// unchanged.
func (f localFault) coded(ctx context.Context, conn *pgx.Conn, err error) error {
	if err == nil || ctx.Err() != nil || conn.IsClosed() || isDefinite(err) {
		return err
	}
	return errcodes.Wrap(f.code, "", described{f.about, err})
}

// isRolledBack reports whether the server rolled a statement back because of another.
func isRolledBack(err error) bool {
	state := sqlState(err)
	return state == serializationFailure || state == deadlockDetected
}

// isUndone reports whether a statement was rolled back or failed deliberately: a
// statement that sees that another one has overtaken it divides by zero.
func isUndone(err error) bool { return isRolledBack(err) || sqlState(err) == divisionByZero }

// isDefinite reports whether the outcome of a statement that failed with err is known.
func isDefinite(err error) bool {
	_, ours := errors.AsType[*errcodes.Error](err)
	return ours || isRejected(err) || isNotSent(err) || isUnreadable(err)
}

// isUnreadable reports whether a returned row does not fit its columns' types. The
// statement has run; if it claimed the row, the claim expires.
func isUnreadable(err error) bool {
	_, ok := errors.AsType[pgx.ScanArgError](err)
	return ok
}

// isRejected reports whether the server certainly rejected the statement. An ERROR is
// raised before the commit and rolls back; a FATAL error may come after the commit.
func isRejected(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.SeverityUnlocalized == "ERROR" || errors.Is(err, pgx.ErrTxCommitRollback)
}

// isNotSent reports whether a connection of the pool was dead before anything was
// sent on it. pgx calls a closed connection safe to retry even if it closed while
// waiting for the answer to a COMMIT, so that is excluded. Errors of acquiring a
// connection already have a code.
func isNotSent(err error) bool {
	_, ours := errors.AsType[*errcodes.Error](err)
	return !ours && pgconn.SafeToRetry(err) && !errors.Is(err, pgconn.ErrConnClosed) && !pgconn.Timeout(err)
}

// isBroken reports whether the connection is lost, so that another one may work.
func isBroken(err error) bool { return err != nil && (isNotSent(err) || !isDefinite(err)) }
