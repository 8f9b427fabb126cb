package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate creates the file at path if it is not there, and brings its tables up
// to date. Several processes may do so at once. Its errors are those of [Open].
func Migrate(ctx context.Context, path string) error {
	return prepareFile(ctx, path, Config{BusyTimeout: DefaultBusyTimeout})
}

// prepareFile sees to it that path is a database with this version's tables.
func prepareFile(ctx context.Context, path string, c Config) (err error) {
	if err := checkPath(path); err != nil {
		return err
	}
	if err := ensureFile(path, !c.SkipMigrate); err != nil {
		return err
	}
	db, err := openDB(dsn(path, c.BusyTimeout))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, coded(db.Close())) }()
	return openingError(ctx, prepareTables(ctx, db, c))
}

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

// ensureFile opens the file once, to make it readable for its owner alone: SQLite
// creates the write-ahead log with the same mode. Without create the file must
// exist.
func ensureFile(path string, create bool) error {
	flags := os.O_RDWR
	if create {
		flags |= os.O_CREATE
	}
	f, err := os.OpenFile(path, flags, 0o600)
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return refuse("The database file cannot be opened", err)
	}
	return nil
}

func prepareTables(ctx context.Context, db *sql.DB, c Config) error {
	folder, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, folder, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	if !c.SkipMigrate {
		if err := enableWAL(ctx, db, max(1, int(c.BusyTimeout/busySlice))); err != nil {
			return err
		}
		if err := migrate(ctx, provider); err != nil {
			return err
		}
	}
	return checkVersion(ctx, provider)
}

// enableWAL is set once in the life of a file. The switch wants the file for
// itself, and SQLite does not always wait for that.
func enableWAL(ctx context.Context, db *sql.DB, tries int) error {
	return retryWhileBusy(ctx, tries, func() error {
		_, err := db.ExecContext(ctx, "PRAGMA journal_mode = WAL")
		return err
	})
}

// migrate runs the migrations that the file lacks. goose does not lock a SQLite
// file, so another process may win a migration; then this one fails on it, finds
// the file's version moved on, and goes on from there.
func migrate(ctx context.Context, provider *goose.Provider) error {
	for {
		before, _, err := provider.GetVersions(ctx)
		if err != nil {
			return err
		}
		_, failed := provider.Up(ctx)
		if failed == nil {
			return nil
		}
		after, _, err := provider.GetVersions(ctx)
		if err != nil || after == before {
			return errors.Join(failed, err)
		}
	}
}

func checkVersion(ctx context.Context, provider *goose.Provider) error {
	current, target, err := provider.GetVersions(ctx)
	switch {
	case err != nil:
		return err
	case current < target:
		return refuse("The database's tables are older than this program; migrate it", nil)
	case current > target:
		return refuse("The database was made by a newer version of this program", nil)
	}
	return nil
}
