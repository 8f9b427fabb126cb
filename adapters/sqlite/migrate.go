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

// Migrate creates the file at path if it does not exist and brings its tables up
// to date. Several processes may call it at once. It returns the errors of [Open].
func Migrate(ctx context.Context, path string) error {
	return prepareFile(ctx, path, Config{BusyTimeout: DefaultBusyTimeout})
}

// prepareFile ensures that path is a database with this version's tables.
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

// checkPath rejects paths that SQLite would not take for a file.
func checkPath(path string) error {
	switch {
	case path == "":
		return misconfigured("The database's path is empty", nil)
	case strings.HasPrefix(path, ":memory:"):
		return misconfigured("The database must be a file; for one in memory use adapters/memory", nil)
	case strings.HasPrefix(path, "file:"):
		return misconfigured("The database must be a path, not a URI", nil)
	case strings.ContainsRune(path, 0):
		return misconfigured("The database's path contains a NUL byte", nil)
	}
	return nil
}

// ensureFile opens the file once. With create, it creates a missing file readable
// only by its owner; SQLite creates the write-ahead log with the same mode.
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
		return misconfigured("The database file cannot be opened", err)
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

// enableWAL switches a new file to WAL mode. The switch needs the file exclusively,
// and SQLite does not always wait for that.
func enableWAL(ctx context.Context, db *sql.DB, tries int) error {
	return retryWhileBusy(ctx, tries, func() error {
		_, err := db.ExecContext(ctx, "PRAGMA journal_mode = WAL")
		return err
	})
}

// migrate runs the missing migrations. goose does not lock a SQLite file, so another
// process may run a migration first, and goose fails here. migrate then sees that
// the file's version has risen, and continues.
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
		return misconfigured("The database's tables are older than this program; migrate the database", nil)
	case current > target:
		return misconfigured("The database was made by a newer version of this program", nil)
	}
	return nil
}
