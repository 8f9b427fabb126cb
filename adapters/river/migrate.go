package river

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/corridor-go/corridor/errcodes"
)

// schema contains all tables of corridor.
const schema = "corridor"

// migrationLock is the advisory lock of migrations: "corr-rvr" in ASCII.
const migrationLock = 0x636f72722d727672

// A process tries to get the lock every 200 ms for five minutes. Waiting for it in a
// statement could exceed the server's statement_timeout and would block CREATE INDEX
// CONCURRENTLY.
const lockEvery, lockTries = 200 * time.Millisecond, 1_500

// processesTable has a row for each process that runs jobs; see liveness.go.
const processesTable = `CREATE TABLE IF NOT EXISTS corridor.queue_processes (
	id    text   NOT NULL PRIMARY KEY,
	beats bigint NOT NULL
) WITH (fillfactor = 50)`

// Migrate brings River's tables up to date and creates the schema corridor if it does
// not exist. Any number of processes may call it at once. It returns the errors of
// [New].
func Migrate(ctx context.Context, pool *pgxpool.Pool) error {
	if err := checkPool(pool); err != nil {
		return err
	}
	if checkTables(ctx, pool) == nil {
		return nil // also for a role that may not create tables
	}
	return openingError(ctx, migrateLocked(ctx, pool))
}

func migrateLocked(ctx context.Context, pool *pgxpool.Pool) (err error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if err := lock(ctx, conn); err != nil {
		return err
	}
	defer func() {
		after, cancel := context.WithTimeout(context.WithoutCancel(ctx), statementTimeout)
		defer cancel()
		_, unlocked := conn.Exec(after, "SELECT pg_advisory_unlock($1)", migrationLock)
		err = errors.Join(err, unlocked)
	}()
	if err := makeSchema(ctx, conn); err != nil {
		return err
	}
	migrator, err := newMigrator(pool)
	if err != nil {
		return err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, processesTable)
	return err
}

func lock(ctx context.Context, conn *pgxpool.Conn) error {
	for range lockTries {
		var locked bool
		err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", migrationLock).Scan(&locked)
		if err != nil || locked {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-clock.After(lockEvery):
		}
	}
	return errcodes.New(errcodes.StorageUnavailable, "Another process keeps migrating the database")
}

// makeSchema creates the schema. It checks first, because CREATE SCHEMA IF NOT EXISTS
// needs a right even if the schema exists.
func makeSchema(ctx context.Context, conn *pgxpool.Conn) error {
	var there bool
	err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = 'corridor')").Scan(&there)
	if err != nil || there {
		return err
	}
	_, err = conn.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS corridor")
	return err
}

func newMigrator(pool *pgxpool.Pool) (*rivermigrate.Migrator[transaction], error) {
	return rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Schema: schema, Logger: slog.New(slog.DiscardHandler)})
}

// checkTables returns errcodes.Configuration if the database is not migrated.
func checkTables(ctx context.Context, pool *pgxpool.Pool) error {
	migrator, err := newMigrator(pool)
	if err != nil {
		return err
	}
	result, err := migrator.Validate(ctx, nil)
	if err != nil {
		return err
	}
	if !result.OK {
		return misconfigured("The database's queue tables are older than this program; migrate the database")
	}
	_, err = pool.Exec(ctx, "SELECT 1 FROM corridor.queue_processes LIMIT 1")
	return err
}
