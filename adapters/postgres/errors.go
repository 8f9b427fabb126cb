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

// SQLSTATEs that are treated one by one (PostgreSQL, appendix A).
const (
	uniqueViolation      = "23505"
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	duplicateSchema      = "42P06"
	divisionByZero       = "22012"
)

// unusable are the states that no retry cures, with what to tell the operator.
var unusable = map[string]string{
	"28000": "The database refuses this role",
	"28P01": "The database refuses the role's password",
	"3D000": "The database does not exist",
	"42501": "The role lacks a right on the database or its schema corridor",
	"42P01": "The database does not have corridor's tables; migrate it",
	"42703": "The database's tables are of another version; migrate it",
}

// classCodes says what the first two characters of a SQLSTATE mean to a caller.
// What is missing is errcodes.Internal.
var classCodes = map[string]errcodes.Code{
	"22": errcodes.InvalidRequest,     // a value that no column takes, such as NUL in a text
	"08": errcodes.StorageUnavailable, // connection
	"23": errcodes.CorruptRecord,      // a constraint that no sound record breaks
	"25": errcodes.StorageUnavailable, // read-only: a standby
	"40": errcodes.StorageUnavailable, // rolled back for another's sake
	"53": errcodes.StorageUnavailable, // out of disk, memory or connections
	"54": errcodes.InvalidRequest,     // a value too large for an index
	"55": errcodes.StorageUnavailable, // a lock that is not to be had
	"57": errcodes.StorageUnavailable, // shutting down, starting, or a server-side time limit
	"58": errcodes.StorageUnavailable, // the server's own I/O
	"XX": errcodes.CorruptRecord,      // the server's data
}

// stateHints says in words why a server cannot take a statement now, for logs.
var stateHints = map[string]string{
	"25006": " (read-only)",
	"53100": " (its disk is full)",
	"53300": " (no connection left)",
	"57P01": " (shutting down)",
	"57P02": " (recovering)",
	"57P03": " (starting or shutting down)",
}

var errClosed = errcodes.New(errcodes.Closed, "The store is closed")

// retryAfter is what a caller is told to wait when the pool is exhausted.
const retryAfter = time.Second

func sqlState(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// coded gives err its code; one that has a code keeps it. The server's text is
// kept for errors.As alone: its details name rows.
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
		return errcodes.Wrap(errcodes.CorruptRecord, "", described{"a column holds what is none of its values", err})
	}
	_, connecting := errors.AsType[*pgconn.ConnectError](err) // even by a time limit of its own
	if code := errcodes.Of(err); !connecting && code != errcodes.Internal {
		return err // the context's own
	}
	// Everything else is the network's: no connection, or a broken one.
	return errcodes.Wrap(errcodes.StorageUnavailable, "", redacted{err})
}

func codedState(e *pgconn.PgError) error {
	if e.Code == uniqueViolation {
		return errcodes.Wrap(errcodes.Conflict, "A record of this id exists", redacted{e})
	}
	if message, ok := unusable[e.Code]; ok {
		return errcodes.Wrap(errcodes.Configuration, message, redacted{e})
	}
	class := e.Code[:min(2, len(e.Code))]
	return errcodes.Wrap(cmp.Or(classCodes[class], errcodes.Internal), "", redacted{e})
}

func refuse(message string, cause error) error {
	return errcodes.Wrap(errcodes.Configuration, message, cause)
}

// openingError codes an error of opening: what no retry cures is
// errcodes.Configuration.
func openingError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if message, ok := unusable[sqlState(err)]; ok {
		return refuse(message, redacted{err})
	}
	err = coded(err)
	switch errcodes.Of(err) {
	case errcodes.Internal:
		return refuse("The database's tables cannot be brought up to date", err)
	case errcodes.StorageUnavailable:
		return errcodes.Wrap(errcodes.StorageUnavailable, "The database does not serve now", redacted{err})
	default:
		return err
	}
}

func outcomeUnknown(err error) error {
	return errcodes.Wrap(errcodes.OutcomeUnknown, "", redacted{err})
}

// redacted keeps an error for errors.Is and errors.As, and prints of it what cannot
// hold a row's values, an address or a password: the SQLSTATE and its constraint.
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

// described keeps an error for errors.Is and errors.As, and says what it is about.
type described struct {
	about string
	cause error
}

func (s described) Unwrap() error { return s.cause }

func (s described) Error() string { return "postgres: " + s.about }

// localFault is what is to blame for an error that the server did not raise, on a
// connection that is whole.
type localFault struct {
	code  errcodes.Code
	about string
}

var (
	unencodable = localFault{errcodes.InvalidRequest, "a value cannot be encoded, and was not sent"}
	hookFailed  = localFault{errcodes.Internal, "the hook failed"}
)

// coded is err with the fault's code, if err is the fault's. Whatever the network does to a
// statement closes the connection; and where its time was up, that is all.
func (f localFault) coded(ctx context.Context, conn *pgx.Conn, err error) error {
	if err == nil || ctx.Err() != nil || conn.IsClosed() || isDefinite(err) {
		return err
	}
	return errcodes.Wrap(f.code, "", described{f.about, err})
}

// isRolledBack reports that the server undid a statement for another's sake.
func isRolledBack(err error) bool {
	state := sqlState(err)
	return state == serializationFailure || state == deadlockDetected
}

// isUndone is isRolledBack, or that the statement undid itself, since it saw that
// it was overtaken: it divides by zero then.
func isUndone(err error) bool { return isRolledBack(err) || sqlState(err) == divisionByZero }

// isDefinite reports that it is known what a statement which failed with err did.
func isDefinite(err error) bool {
	_, ours := errors.AsType[*errcodes.Error](err)
	return ours || isRefused(err) || isNotSent(err) || isUnreadable(err)
}

// isUnreadable reports that a row came that is not of its columns' types. The
// statement has run, and a claim of that row is left to end by itself.
func isUnreadable(err error) bool {
	_, ok := errors.AsType[pgx.ScanArgError](err)
	return ok
}

// isRefused reports that the server answered with a refusal. An ERROR is raised
// before the commit and undoes it. A FATAL one may come behind the commit.
func isRefused(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.SeverityUnlocalized == "ERROR" || errors.Is(err, pgx.ErrTxCommitRollback)
}

// isNotSent reports that a connection of the pool was dead before anything was
// sent on it. pgx says so of a closed connection, too, even when that closed
// while it waited for the answer to a COMMIT. That no connection is to be had at
// all has its code by then.
func isNotSent(err error) bool {
	_, ours := errors.AsType[*errcodes.Error](err)
	return !ours && pgconn.SafeToRetry(err) && !errors.Is(err, pgconn.ErrConnClosed) && !pgconn.Timeout(err)
}

// isBroken reports that the connection is lost, which another one may mend.
func isBroken(err error) bool { return err != nil && (isNotSent(err) || !isDefinite(err)) }
