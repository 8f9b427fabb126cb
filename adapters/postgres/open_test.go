package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

const openPassword = "never-to-be-shown"

var (
	skipping  = &postgres.Config{SkipMigrate: true}
	migrating = &postgres.Config{}
)

// rejectedOpening is a database that New rejects, and the error.
type rejectedOpening struct {
	name    string
	tables  bool   // the database has the tables
	sql     string // runs first, as a superuser
	connect func(c *pgxpool.Config)
	config  *postgres.Config
	want    errcodes.Code
	says    string // part of the error
}

func as(user string) func(c *pgxpool.Config) {
	return func(c *pgxpool.Config) { c.ConnConfig.User = user }
}

var rejectedOpenings = []rejectedOpening{
	{
		name: "a port without a server", connect: func(c *pgxpool.Config) { c.ConnConfig.Port = 1 },
		want: errcodes.StorageUnavailable, says: "no answer from the server",
	},
	{
		name: "a missing database", connect: func(c *pgxpool.Config) { c.ConnConfig.Database = "nowhere" },
		want: errcodes.Configuration, says: "database does not exist",
	},
	{
		name: "a role that does not exist", connect: as("nobody_at_all"),
		want: errcodes.Configuration, says: "rejects this role",
	},
	{
		name: "a wrong password", connect: as("guarded"),
		want: errcodes.Configuration, says: "password",
	},
	{
		name: "a role without the right to create the schema", connect: as("plain"),
		want: errcodes.Configuration, says: "lacks a right",
	},
	{
		name: "a role without the right to read", tables: true, connect: as("plain"), config: skipping,
		want: errcodes.Configuration, says: "lacks a right",
	},
	{
		name: "a role without the right to migrate", tables: true, connect: as("plain"),
		want: errcodes.Configuration, says: "lacks a right",
	},
	{
		name: "no tables", config: skipping,
		want: errcodes.Configuration, says: "migrate it",
	},
	{
		name: "older tables", tables: true, config: skipping,
		sql:  "DELETE FROM corridor.schema_versions WHERE version_id = (SELECT max(version_id) FROM corridor.schema_versions)",
		want: errcodes.Configuration, says: "older than this program",
	},
	{
		name: "newer tables", tables: true, config: skipping,
		sql:  "INSERT INTO corridor.schema_versions (version_id, is_applied) VALUES (99999, true)",
		want: errcodes.Configuration, says: "newer version",
	},
	{
		name: "newer tables, to migrate", tables: true,
		sql:  "INSERT INTO corridor.schema_versions (version_id, is_applied) VALUES (99999, true)",
		want: errcodes.Configuration, says: "newer version",
	},
	{
		name: "a table of another owner with a name of corridor's",
		sql:  "CREATE SCHEMA corridor; CREATE TABLE corridor.books (n int)",
		want: errcodes.Configuration, says: "cannot be brought up to date",
	},
	{
		name: "a read-only server", connect: readOnly,
		want: errcodes.StorageUnavailable, says: "read-only",
	},
}

func readOnly(c *pgxpool.Config) {
	c.ConnConfig.RuntimeParams["default_transaction_read_only"] = "on"
}

// A problem that a retry cannot solve is errcodes.Configuration, and the error says what is
// wrong without a password.
func TestOpenRejects(t *testing.T) {
	t.Parallel()
	c := guardedCluster(t)
	for _, r := range rejectedOpenings {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			var template *pgtest.Template
			if r.tables {
				template = tables
			}
			dsn := c.Database(t, template)
			if r.sql != "" {
				query(t, dsn, r.sql)
			}
			pool := connect(t, dsn, func(c *pgxpool.Config) {
				c.ConnConfig.Password = openPassword
				if r.connect != nil {
					r.connect(c)
				}
			})
			store, err := postgres.New(t.Context(), pool, r.config)
			require.Nil(t, store)
			requireCode(t, r.want, err)
			assert.Contains(t, err.Error(), r.says)
			assert.NotContains(t, err.Error(), openPassword)
			assert.NotContains(t, err.Error(), dsn)
			require.Eventually(t, func() bool { return pool.Stat().AcquiredConns() == 0 }, patience, time.Millisecond)
		})
	}
}

// guardedCluster has a role that needs its password, and one without rights.
func guardedCluster(tb testing.TB) *pgtest.Cluster {
	tb.Helper()
	c := pgtest.New(tb, &pgtest.Options{Dir: inMemory()})
	query(tb, c.DSN(), "CREATE ROLE guarded LOGIN PASSWORD 'another'")
	query(tb, c.DSN(), "CREATE ROLE plain LOGIN")
	requirePasswordOf(tb, c, "guarded")
	return c
}

// If the tables are up to date, reads work, as on a standby.
func TestOpenOnAReadOnlyServer(t *testing.T) {
	t.Parallel()
	store := on(t, connect(t, emptied(t), readOnly), migrating)
	require.NoError(t, store.Ping(t.Context()))
	assert.Zero(t, bookOf(t, store, "acme").Version)
	l := activeLock("acme", "rl-1", epoch)
	err := store.RateLocks().Save(t.Context(), mint(ports.Book{Key: l.Book()}, l))
	requireCode(t, errcodes.StorageUnavailable, err)
	assert.Contains(t, err.Error(), "read-only")
}

func TestOpenHonoursItsContext(t *testing.T) {
	t.Parallel()
	pool := connect(t, emptied(t), nil)
	_, err := postgres.New(gone(t), pool, nil)
	requireCode(t, errcodes.Canceled, err)

	stalled := pgtest.NewProxy(t, pgtest.Database(t, nil))
	stalled.Stall()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = postgres.New(ctx, connect(t, stalled.DSN(), nil), nil)
	requireCode(t, errcodes.DeadlineExceeded, err)
	stalled.Resume()
}

func TestOpenRejectsAConfigOutOfBounds(t *testing.T) {
	t.Parallel()
	pool := connect(t, "postgres:///?host=/nowhere", nil)
	for _, c := range []postgres.Config{
		{AcquireTimeout: time.Microsecond}, {AcquireTimeout: -time.Second}, {AcquireTimeout: time.Minute + 1},
		{Timeout: time.Microsecond}, {Timeout: -time.Second}, {Timeout: time.Hour + 1},
		{Hook: (*idle)(nil)},
	} {
		_, err := postgres.New(t.Context(), pool, &c)
		requireCode(t, errcodes.Configuration, err)
	}
	_, err := postgres.New(t.Context(), nil, nil)
	requireCode(t, errcodes.Configuration, err)
}
