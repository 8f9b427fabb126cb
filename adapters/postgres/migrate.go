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

// versionTable is goose's table, separate from one that the embedder may have.
const versionTable = "corridor.schema_versions"

// migrationLock is the advisory lock of migrations: "corridor" in ASCII.
const migrationLock = 0x636f727269646f72

// A process tries to get the lock every second for five minutes. Waiting for it in a
// statement would block CREATE INDEX CONCURRENTLY.
const lockEvery, lockTries = 1, 300

// Migrate brings the tables up to date and creates the schema corridor if it does not
// exist. Any number of processes may call it at once. It returns the errors of [New].
func Migrate(ctx context.Context, pool *pgxpool.Pool) error {
	return prepare(ctx, pool, true)
}

// prepare ensures that the database has this version's tables.
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

// makeSchema creates the schema. It checks first, because CREATE SCHEMA IF NOT EXISTS
// needs a right even if the schema exists.
func makeSchema(ctx context.Context, db *sql.DB) error {
	var there bool
	err := db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = 'corridor')").Scan(&there)
	if err != nil || there {
		return err
	}
	_, err = db.ExecContext(ctx, "CREATE SCHEMA IF NOT EXISTS corridor")
	if sqlState(err) == uniqueViolation || sqlState(err) == duplicateSchema {
		return nil // another process created it at the same time
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
		return misconfigured("The database does not have corridor's tables; migrate it", nil)
	}
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
