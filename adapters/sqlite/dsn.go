package sqlite

import (
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

// checkPath refuses what SQLite would take for something else than a file.
func checkPath(path string) error {
	switch {
	case path == "":
		return refuse("The database needs a path", nil)
	case strings.HasPrefix(path, ":memory:"):
		return refuse("A database in memory would not survive; use adapters/memory", nil)
	case strings.HasPrefix(path, "file:"):
		return refuse("The database is named by a path, not by a URI", nil)
	case strings.ContainsRune(path, 0):
		return refuse("The database's path has a NUL byte", nil)
	}
	return nil
}

// touch opens the file once, to make it readable for its owner alone: SQLite
// gives the write-ahead log the same mode. Without create the file must exist.
func touch(path string, create bool) error {
	flags := os.O_RDWR
	if create {
		flags |= os.O_CREATE
	}
	f, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return refuse("The database file cannot be opened", err)
	}
	if err := f.Close(); err != nil {
		return refuse("The database file cannot be opened", err)
	}
	return nil
}

func refuse(message string, cause error) error {
	return errcodes.Wrap(errcodes.Configuration, message, cause)
}

// dsn names the file for the driver. Every byte of the path is escaped that
// could end it early.
func dsn(path string, busy time.Duration, more ...string) string {
	pragmas := append([]string{
		"busy_timeout(" + strconv.FormatInt(busy.Milliseconds(), 10) + ")",
		"synchronous(FULL)",
		"foreign_keys(ON)",
	}, more...)
	q := url.Values{"_pragma": pragmas, "_txlock": {"immediate"}}
	return "file:" + url.PathEscape(path) + "?" + q.Encode()
}
