package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"io/fs"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrations embed.FS

// versionTable is goose's, kept apart from one that the embedder may have.
const versionTable = "corridor.schema_versions"

// migrationLock is what processes that start at once queue on: "corridor".
const migrationLock = 0x636f727269646f72

// A process asks for the lock every second, for five minutes. One that waited for
// it in a statement would hold up an index that is made concurrently.
const lockEvery, lockTries = 1, 300

// Migrate brings the tables up to date, and makes the schema corridor if it is
// not there. Any number of processes may do so at once. Its errors are those of
// [New].
func Migrate(ctx context.Context, pool *pgxpool.Pool) error {
	return prepare(ctx, pool, true)
}

// prepare sees to it that the database has this version's tables.
func prepare(ctx context.Context, pool *pgxpool.Pool, migrate bool) (err error) {
	db := stdlib.OpenDBFromPool(pool)
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.PingContext(ctx); err != nil {
		return openingError(ctx, err)
	}
	return openingError(ctx, prepareTables(ctx, db, migrate))
}

func prepareTables(ctx context.Context, db *sql.DB, migrate bool) error {
	provider, err := newProvider(db)
	if err != nil {
		return err
	}
	if migrate && checkVersion(ctx, provider, db) != nil {
		if err := makeSchema(ctx, db); err != nil {
			return err
		}
		if _, err := provider.Up(ctx); err != nil {
			return err
		}
	}
	return checkVersion(ctx, provider, db)
}

func newProvider(db *sql.DB) (*goose.Provider, error) {
	folder, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockID(migrationLock), lock.WithLockTimeout(lockEvery, lockTries))
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, db, folder, goose.WithDisableGlobalRegistry(true),
		goose.WithTableName(versionTable), goose.WithSessionLocker(locker))
}

// makeSchema asks first: to create what is there wants a right, too.
func makeSchema(ctx context.Context, db *sql.DB) error {
	var there bool
	err := db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = 'corridor')").Scan(&there)
	if err != nil || there {
		return err
	}
	_, err = db.ExecContext(ctx, "CREATE SCHEMA IF NOT EXISTS corridor")
	if sqlState(err) == uniqueViolation || sqlState(err) == duplicateSchema {
		return nil // another process made it in the same moment
	}
	return err
}

func checkVersion(ctx context.Context, provider *goose.Provider, db *sql.DB) error {
	var made bool
	err := db.QueryRowContext(ctx,
		"SELECT EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = 'corridor' AND tablename = 'schema_versions')").Scan(&made)
	if err != nil {
		return err
	}
	if !made {
		return refuse("The database does not have corridor's tables; migrate it", nil)
	}
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
