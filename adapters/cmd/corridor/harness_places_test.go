package main

import (
	"context"
	"database/sql"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // database/sql's "pgx"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/adapters/service"
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

// single are the tests of the wire that at does not run, each with the reason
// why two processes on one database add nothing, or where they are tested.
var single = map[string]string{
	// One process's own.
	"TestHealthcheck":                              "a check asks one process",
	"TestABreakerOpens":                            "each process has breakers of its own, and variables are the whole test's",
	"TestStoppingCutsALookAtASlowFeed":             "one process stops; see TestOneOfTwoStopsUnderLoad",
	"TestStoppingAnswersTheRequestsInFlight":       "one process stops; see TestOneOfTwoStopsUnderLoad",
	"TestStoppingHearsThoseWhoHaveJustConnected":   "one process stops; see TestOneOfTwoStopsUnderLoad",
	"TestAFullDisk":                                "the disk of a file; a database's is its own affair",
	"TestABookAheadOfTheClock":                     "a restart finds what another clock wrote; adapters/postgres does so with skewed clocks",
	"TestThePublicAddressStandsInThePrintedCurl":   theStart,
	"TestAStrangerBehindTheProxyTakesNoTokens":     "each process has a limiter of its own",
	"TestWhatServeRejects":                         theStart,
	"TestAStartAtATakenAddressTouchesNoStore":      theStart,
	"TestARefusedStartLeavesTheSandboxSecretAlone": theStart + "; see TestARefusedStartLeavesTheSharedSandboxSecretAlone",
	"TestAVariableStandsBehindAFlag":               theVariables,
	"TestPrivateReceiversAreForThoseWhoAllowThem":  theVariables,
	"TestSecretsAreReplacedOverRestarts":           theRestart + "; the secrets are settings of each process",
	"TestAPendingValidationOutlivesItsProcess":     theRestart + "; see TestAnotherProcessEndsTheValidationOfADeadOne",
	"TestReportsOutliveTheirProcess":               theRestart + "; see TestAnotherProcessEndsWhatADeadOneBegan",
	"TestEventsOutliveAKill":                       theRestart + "; see TestAnotherProcessEndsWhatADeadOneBegan",
	"TestNothingPersonalIsLoggedOrStored":          "a file is searched; see TestNothingSecretIsInTheDatabase",
	// On PostgreSQL as it is, with as many processes as each needs.
	"TestRoundsAreSharedOut":                             onPostgres,
	"TestAnotherProcessEndsTheValidationOfADeadOne":      onPostgres,
	"TestAnotherProcessEndsWhatADeadOneBegan":            onPostgres,
	"TestOneOfTwoStopsUnderLoad":                         onPostgres,
	"TestTheDatabaseGoesAwayAndComesBack":                onPostgres,
	"TestThePoolIsExhausted":                             onPostgres,
	"TestMigrateADatabase":                               onPostgres,
	"TestSandboxesThatStartAtOnceHaveASecretEach":        onPostgres,
	"TestARefusedStartLeavesTheSharedSandboxSecretAlone": onPostgres,
	"TestNothingSecretIsInTheDatabase":                   onPostgres,
}

const (
	theStart     = "what a start says and refuses, before a store is asked"
	theVariables = "environment variables are the whole test process's, so that no other test may run beside it"
	theRestart   = "the next process of a file begins where the last one ended"
	onPostgres   = "it is of PostgreSQL itself"
)

// TestRequestsTakeTurns: two processes are worth something only if both are asked.
func TestRequestsTakeTurns(t *testing.T) {
	t.Parallel()
	s := &running{urls: []string{"first", "second"}, turn: newTurns()}
	var took []string
	for _, request := range []string{"create", "read", "read", "create"} {
		took = append(took, s.next(request))
	}
	require.Equal(t, []string{"second", "first", "second", "first"}, took)
}

// TestEachTestOfTheWireHasItsPlaces: a new one goes through at, or says why not.
func TestEachTestOfTheWireHasItsPlaces(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	unplaced := map[string]bool{}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(f.Name.Name, "Test") {
				continue
			}
			if called := calls(f); !called["at"] && slices.ContainsFunc(starters, func(s string) bool { return called[s] }) {
				unplaced[f.Name.Name] = true
			}
		}
	}
	for name := range unplaced {
		require.NotEmpty(t, single[name], "%s goes through at, or stands in single with its reason", name)
	}
	for name := range single {
		require.True(t, unplaced[name], "%s is gone, or goes through at", name)
	}
}

// starters begin what answers over the wire.
var starters = []string{"serve", "serveTimes", "serveAcme", "serveAccounts", "serveHooks", "launch", "pair"}

// calls names what a test calls.
func calls(f *ast.FuncDecl) map[string]bool {
	called := map[string]bool{}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if id, ok := call.Fun.(*ast.Ident); ok {
				called[id.Name] = true
			}
		}
		return true
	})
	return called
}

var tables = pgtest.NewTemplate(func(ctx context.Context, dsn string) error {
	s, err := service.OpenShared(ctx, parts(), dsn)
	if err != nil {
		return err
	}
	return s.Close()
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
