package cmd

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

	_ "github.com/jackc/pgx/v5/stdlib" // driver "pgx" of database/sql
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/adapters/service"
)

// place is an environment of a test: a store with one or two processes.
type place struct {
	name  string
	empty func(t *testing.T) string // returns the --store of an empty store
	extra bool                      // only used with -full
}

var (
	inMemory = place{name: "memory", empty: func(*testing.T) string { return "memory:" }}
	onFile   = place{name: "sqlite", empty: func(t *testing.T) string { t.Helper(); return "sqlite:" + emptyStore(t) }}
	// shared is one database with two corridor serve processes, which take turns at the
	// test's requests; see serve. The wire is tested on one process; what differs with two
	// is in the tests of single that are about PostgreSQL.
	shared = place{name: "postgres", empty: emptyDatabase, extra: true}
)

var full = flag.Bool("full", false, "also run all tests with two processes on one PostgreSQL, and the tests that take long")

// onlyFull skips a test without -full.
func onlyFull(t *testing.T, reason string) {
	t.Helper()
	if !*full {
		t.Skip("only with -full: " + reason)
	}
}

// at runs one test in several places concurrently.
func at(t *testing.T, test func(t *testing.T, store string), places ...place) {
	t.Helper()
	t.Parallel()
	for _, p := range places {
		if p.extra && !*full {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			test(t, p.empty(t))
		})
	}
}

// single lists the tests that at does not run, with the reason why two processes on one
// database add nothing, or where that is tested.
var single = map[string]string{
	// These are about one process.
	"TestHealthcheck":                                "a check asks one process",
	"TestACircuitBreakerOpens":                       "each process has its own breakers, and variables belong to the whole test process",
	"TestAStopInterruptsASlowFeed":                   "one process stops; see TestOneOfTwoStopsUnderLoad",
	"TestASecondSignalEndsTheProcessAtOnce":          "one process gets the signal",
	"TestThePageOfTheAPIIsTrue":                      "the page shows one service; TestTheStory of internal/integration/wire runs on two",
	"TestTheFirstStartOfThePageRuns":                 "the page shows one service",
	"TestClientRotateReachesARunningService":         "each process reads its own clients file",
	"TestAStopCompletesRequestsInFlight":             "one process stops; see TestOneOfTwoStopsUnderLoad",
	"TestAFullDiskLosesNothingAcknowledged":          "it is about the disk of a file; a database has its own",
	"TestABookFromTheFutureIsUsable":                 "a restart finds data of another clock; adapters/postgres tests skewed clocks",
	"TestThePrintedCommandsHaveThePublicAddress":     theStart,
	"TestAFloodBehindAProxyDoesNotLimitOtherClients": "each process has its own limiter",
	"TestWhatServeRejects":                           theStart,
	"TestAStartAtAnAddressInUseTouchesNoStore":       theStart,
	"TestARejectedStartKeepsTheSandboxSecret":        theStart + "; see TestARejectedStartKeepsTheSharedSandboxSecret",
	"TestAFlagOverridesItsVariable":                  theVariables,
	"TestAnotherDataKeyUnderAKnownIDIsRejected":      theVariables + "; it runs on both stores",
	"TestPrivateReceiversMustBeAllowed":              theVariables,
	"TestSecretsCanBeReplacedAcrossRestarts":         theRestart + "; the secrets are settings of each process",
	"TestAPendingValidationSurvivesItsProcess":       theRestart + "; see TestAnotherProcessEndsTheValidationOfADeadOne",
	"TestAPendingValidationWaitsForItsDataKey":       theRestart,
	"TestReportsSurviveTheirProcess":                 theRestart + "; see TestAnotherProcessCompletesTheWorkOfADeadOne",
	"TestEventsSurviveAKill":                         theRestart + "; see TestAnotherProcessCompletesTheWorkOfADeadOne",
	"TestNothingPersonalIsLoggedOrStored":            "a file is searched; see TestNothingSecretIsInTheDatabase",
	// These run on PostgreSQL with as many processes as they need.
	"TestRoundsAreShared":                            onPostgres,
	"TestTokensEndInBothProcesses":                   onPostgres,
	"TestAnotherProcessEndsTheValidationOfADeadOne":  onPostgres,
	"TestAnotherProcessCompletesTheWorkOfADeadOne":   onPostgres,
	"TestOneOfTwoStopsUnderLoad":                     onPostgres,
	"TestTheServiceRecoversWhenTheDatabaseReturns":   onPostgres,
	"TestAnExhaustedPoolRejectsRequestsInTime":       onPostgres,
	"TestMigrateCanBeRepeatedOnADatabase":            onPostgres,
	"TestConcurrentSandboxStartsHaveTheirOwnSecrets": onPostgres,
	"TestARejectedStartKeepsTheSharedSandboxSecret":  onPostgres,
	"TestNothingSecretIsInTheDatabase":               onPostgres,
}

const (
	theStart     = "a start fails before it uses a store"
	theVariables = "environment variables belong to the whole test process, so no other test may run concurrently"
	theRestart   = "the next process of a file continues where the last one ended"
	onPostgres   = "it is about PostgreSQL"
)

// Two processes are only useful if both get requests.
func TestRequestsTakeTurns(t *testing.T) {
	t.Parallel()
	s := &running{urls: []string{"first", "second"}, turn: newTurns()}
	var took []string
	for _, request := range []string{"create", "read", "read", "create"} {
		took = append(took, s.next(request))
	}
	require.Equal(t, []string{"second", "first", "second", "first"}, took)
}

// A new test must be run by at, or have a reason in single.
func TestEachTestRunsInItsPlaces(t *testing.T) {
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
		require.NotEmpty(t, single[name], "%s must be run by at or have a reason in single", name)
	}
	for name := range single {
		require.True(t, unplaced[name], "%s does not exist or is run by at", name)
	}
}

// starters are the functions that start a server.
var starters = []string{"serve", "serveTimes", "serveAcme", "serveAccounts", "serveHooks", "launch", "started", "pair"}

// calls returns the names of the functions that a test calls.
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

// emptyDatabase returns a database of the test with empty tables.
func emptyDatabase(t *testing.T) string {
	t.Helper()
	return withPool(pgtest.Database(t, tables), "6")
}

func withPool(dsn, connections string) string {
	joint := "?"
	if strings.Contains(dsn, "?") {
		joint = "&"
	}
	return dsn + joint + "pool_max_conns=" + connections + "&connect_timeout=60" // a busy machine may be slow to fork a backend
}

func isPostgres(store string) bool { return strings.HasPrefix(store, "postgres") }

// within opens the database of a store directly.
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
