package sqlite

import (
	"cmp"
	"context"
	"errors"
	"slices"

	driver "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/corridor-go/corridor/errcodes"
)

var errClosed = errcodes.New(errcodes.Closed, "The store is closed")

// resultCodes maps SQLite's primary result codes to the codes that callers get. All
// others become errcodes.Internal.
var resultCodes = map[int]errcodes.Code{
	sqlite3.SQLITE_FULL:       errcodes.StorageUnavailable,
	sqlite3.SQLITE_BUSY:       errcodes.StorageUnavailable,
	sqlite3.SQLITE_LOCKED:     errcodes.StorageUnavailable,
	sqlite3.SQLITE_READONLY:   errcodes.StorageUnavailable,
	sqlite3.SQLITE_IOERR:      errcodes.StorageUnavailable,
	sqlite3.SQLITE_CANTOPEN:   errcodes.StorageUnavailable,
	sqlite3.SQLITE_PROTOCOL:   errcodes.StorageUnavailable,
	sqlite3.SQLITE_PERM:       errcodes.StorageUnavailable,
	sqlite3.SQLITE_NOMEM:      errcodes.StorageUnavailable,
	sqlite3.SQLITE_CORRUPT:    errcodes.CorruptRecord,
	sqlite3.SQLITE_NOTADB:     errcodes.CorruptRecord,
	sqlite3.SQLITE_CONSTRAINT: errcodes.CorruptRecord,
	sqlite3.SQLITE_MISMATCH:   errcodes.CorruptRecord,
}

// coded returns err with a code. An error that has one keeps it, without what
// database/sql wrapped around it.
func coded(err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*errcodes.Error](err); ok {
		return e
	}
	if code := errcodes.Of(err); code != errcodes.Internal {
		return err
	}
	if isDuplicate(err) {
		return errcodes.Wrap(errcodes.Conflict, "A record with this id already exists", err)
	}
	return errcodes.Wrap(cmp.Or(resultCodes[primaryCode(err)], errcodes.Internal), "", err)
}

func misconfigured(message string, cause error) error {
	return errcodes.Wrap(errcodes.Configuration, message, cause)
}

// openingError returns an error of opening with its code: errcodes.Configuration if
// a retry cannot help.
func openingError(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case primaryCode(err) == sqlite3.SQLITE_NOTADB:
		return misconfigured("The file is not a database", err)
	case primaryCode(err) == sqlite3.SQLITE_CANTOPEN:
		return misconfigured("The database file cannot be opened", err)
	}
	err = coded(err)
	if errcodes.Of(err) == errcodes.Internal {
		return misconfigured("The database's tables cannot be brought up to date", err)
	}
	return err
}

// resultCode returns SQLite's extended result code of err, or SQLITE_OK if err is
// not from SQLite.
func resultCode(err error) int {
	if e, ok := errors.AsType[*driver.Error](err); ok {
		return e.Code()
	}
	return sqlite3.SQLITE_OK
}

func primaryCode(err error) int { return resultCode(err) & 0xff }

func isBusy(err error) bool { return primaryCode(err) == sqlite3.SQLITE_BUSY }

func isDuplicate(err error) bool {
	duplicates := []int{sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_ROWID}
	return slices.Contains(duplicates, resultCode(err))
}

// isDefinite reports whether a COMMIT that failed with err has certainly stored
// nothing. SQLite raises these errors before the transaction's last frame, which
// makes it valid, is complete in the write-ahead log.
func isDefinite(err error) bool {
	definite := []int{sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_READONLY}
	return slices.Contains(definite, primaryCode(err))
}

// isRejection reports whether err is about the request or its data, so that the
// connection can be used again. After any other error it is closed.
func isRejection(err error) bool {
	switch errcodes.Of(err) {
	case errcodes.Conflict, errcodes.NotFound, errcodes.InvalidRequest, errcodes.Canceled, errcodes.DeadlineExceeded:
		return true
	default:
		return primaryCode(err) == sqlite3.SQLITE_CONSTRAINT || isBusy(err)
	}
}
