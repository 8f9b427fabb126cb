package wire_test

import (
	"context"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/adapters/postgres"
	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
	"github.com/corridor-go/corridor/ports"
)

// place is an environment of a test: one server, or two that take turns at the test's
// requests, with one store and one clock.
type place struct {
	name    string
	servers int
	open    func(t testing.TB, servers int) []records // opens one store for each of the servers
	extra   bool                                      // only used with -full
}

var (
	alone    = place{name: "one server", servers: 1, open: inMemory}
	together = place{name: "two servers", servers: 2, open: inMemory}
	// shared is two servers with their own pools on one PostgreSQL database.
	shared = place{name: "two servers on postgres", servers: 2, open: onDatabase, extra: true}
)

var full = flag.Bool("full", false, "run all tests of the wire with two servers on one PostgreSQL, too")

// at runs one test on one server, on two, and in the given places. Time in a bubble does
// not pass for a database.
func at(t *testing.T, test func(t *testing.T, p place), database ...place) {
	t.Helper()
	t.Parallel()
	for _, p := range append([]place{alone, together}, database...) {
		if p.extra && !*full {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			test(t, p)
		})
	}
}

// single lists the tests that do not run with two servers, with the reason.
var single = map[string]string{
	"TestMetricsCountRequests":                    "each server has its own metrics and registry",
	"TestReadiness":                               itsChecks,
	"TestAHangingCheckFailsInTime":                itsChecks,
	"TestTheLogContainsNoSecrets":                 itsLog,
	"TestLogHandlerAddsTheTraceID":                itsLog,
	"TestAPanicIsA500":                            itsLog,
	"TestAFailingDiskIsNotRevealed":               "the failing disk and the log belong to one server",
	"TestARequestThatTakesTooLongIsA504":          "the deadline belongs to a request of one server",
	"TestADownloadContinuesAsLongAsBytesFlow":     "a connection belongs to one server, and its time is a bubble's",
	"TestRoutesOfANilServiceAreLeftOut":           "it is about the parts of one handler",
	"TestAnIncompleteBodyHasNoEffect":             "a broken connection belongs to one server",
	"TestMediaTypesAreCaseInsensitive":            "a header is parsed by one server",
	"TestEvery401HasTheGatewaysEnvelope":          "an error is encoded by one server",
	"TestLogLinesHaveTheCauseOnlyForServerErrors": itsLog,
	"TestAResponseOfAForeignHandlerIsCounted":     "each server has its own metrics and registry",
	"TestACheckIsCancelledAfterItsTime":           itsChecks,
	"TestTheDocumentHasThePrefix":                 "the document refers to the handler that serves it",
	"TestTheDocumentListsTheCodes":                noRequest,
	"TestWrongResponsesAreDetected":               noRequest,
	"TestNew":                                     noRequest,
	"TestNewServer":                               noRequest,
	"TestEachTestRunsOnTwoServersOrHasAReason":    noRequest,
	"TestRequestsTakeTurns":                       "it tests taking turns",
	"TestMain":                                    noRequest,
}

const (
	itsChecks = "readiness belongs to one server: a balancer needs that"
	itsLog    = "the log, with the stack of a panic, belongs to one server"
	noRequest = "it sends no request"
)

// Two servers are only useful if both get requests.
func TestRequestsTakeTurns(t *testing.T) {
	a := newAPI(t, together, httpserver.Config{})
	var took []int
	for i, h := range a.servers {
		a.servers[i] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			took = append(took, i)
			h.ServeHTTP(w, r)
		})
	}
	create, read := post("/v1/rate-locks", acmesToken, usdzar), request{method: "GET", path: "/v1/rate-locks/rl_2", token: acmesToken}
	for _, q := range []request{create, read, read, create} {
		a.do(q)
	}
	assert.Equal(t, []int{1, 0, 1, 0}, took)
}

// A new test must run on two servers, or have a reason in single.
func TestEachTestRunsOnTwoServersOrHasAReason(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	found := map[string]bool{}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
				found[f.Name.Name] = spread(f)
			}
		}
	}
	for name, twice := range found {
		assert.NotEqual(t, twice, single[name] != "", "%s must call at or have a reason in single", name)
	}
	for name := range single {
		assert.Contains(t, found, name, "the test does not exist")
	}
}

// spread reports whether a test calls at.
func spread(f *ast.FuncDecl) (yes bool) {
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "at" {
				yes = true
			}
		}
		return !yes
	})
	return yes
}

// records are the stores of memory and of PostgreSQL.
type records interface {
	accountRecords
	audited
	RateLocks() ports.RateLockStore
	Transactions() ports.TransactionStore
	Reports() ports.ReportStore
}

type audited interface {
	Close() error
	AuditRows(ctx context.Context, after int64, limit int) ([]ports.AuditRow, error)
}

type accountRecords interface {
	Validations() ports.ValidationStore
	Answers() ports.AnswerCache
	Work() ports.Work
	Tokens() ports.TokenStore
	Clients() ports.ClientStore
}

func inMemory(t testing.TB, servers int) []records {
	t.Helper()
	store, err := memory.New(nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	opened := make([]records, servers)
	for i := range opened {
		opened[i] = store
	}
	return opened
}

var tables = pgtest.NewTemplate(func(ctx context.Context, dsn string) error {
	pool, err := pgxpool.New(ctx, dsn)
	if err != nil {
		return err
	}
	defer pool.Close()
	return postgres.Migrate(ctx, pool)
})

// onDatabase opens a database of the test like processes do: each has its own pool and
// store.
func onDatabase(t testing.TB, servers int) []records {
	t.Helper()
	dsn := pgtest.Database(t, tables)
	opened := make([]records, servers)
	for i := range opened {
		config, err := pgxpool.ParseConfig(dsn)
		require.NoError(t, err)
		config.MaxConns = 4
		pool, err := pgxpool.NewWithConfig(t.Context(), config)
		require.NoError(t, err)
		t.Cleanup(pool.Close)
		store, err := postgres.New(t.Context(), pool, &postgres.Config{SkipMigrate: true})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, store.Close()) })
		opened[i] = store
	}
	return opened
}
