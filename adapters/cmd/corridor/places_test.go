package main

import (
	"context"
	"database/sql"
	"flag"
	"log/slog"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // database/sql's "pgx"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/internal/pgtest"
)

// place is where the wire is tested: a store, and as many processes on it as it
// is for.
type place struct {
	name  string
	empty func(t *testing.T) string // a store of the test's own, as --store names it
	extra bool                      // left out without -everywhere
}

var (
	inMemory = place{name: "memory", empty: func(*testing.T) string { return "memory:" }}
	onFile   = place{name: "sqlite", empty: func(t *testing.T) string { t.Helper(); return "sqlite:" + emptyStore(t) }}
	// shared is one database under two corridor serve, which take turns at the
	// test's requests; see serve.
	shared = place{name: "postgres", empty: emptyDatabase}
	// sharedToo is shared in a run with -everywhere. Without it, another test of
	// the kind runs there.
	sharedToo = place{name: "postgres", empty: emptyDatabase, extra: true}
)

var everywhere = flag.Bool("everywhere", false, "run all tests of the wire with two processes on one PostgreSQL, too")

// at runs one test in several places, side by side.
func at(t *testing.T, test func(t *testing.T, store string), places ...place) {
	t.Helper()
	t.Parallel()
	for _, p := range places {
		if p.extra && !*everywhere {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			test(t, p.empty(t))
		})
	}
}

var tables = pgtest.NewTemplate(func(ctx context.Context, dsn string) error {
	s, err := openShared(ctx, dsn, newCounters(), slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return s.close()
})

// databases bounds how many tests use the one server at once, whose connections
// and processors are few.
var databases = make(chan struct{}, 5)

// emptyDatabase is a database of the test's own, with tables.
func emptyDatabase(t *testing.T) string {
	t.Helper()
	databases <- struct{}{}
	t.Cleanup(func() { <-databases })
	return withPool(pgtest.Database(t, tables), "6")
}

func withPool(dsn, connections string) string {
	joint := "?"
	if strings.Contains(dsn, "?") {
		joint = "&"
	}
	return dsn + joint + "pool_max_conns=" + connections
}

func isPostgres(store string) bool { return strings.HasPrefix(store, "postgres") }

// within opens the database below a store, past the service.
func within(t *testing.T, store string, do func(db *sql.DB)) {
	t.Helper()
	driver, source := "sqlite", "file:"+strings.TrimPrefix(store, "sqlite:")+"?_pragma=busy_timeout(5000)"
	if isPostgres(store) {
		driver, source = "pgx", strings.ReplaceAll(store, "&pool_max_conns=", "&search_path=corridor&application_name=")
	}
	db, err := sql.Open(driver, source)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	do(db)
}
