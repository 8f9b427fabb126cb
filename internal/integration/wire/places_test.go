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

// place is where the wire is tested: one server, or two that take turns at the
// test's requests, on one store and one clock.
type place struct {
	name    string
	servers int
	open    func(t testing.TB, servers int) []records // one store, as each server opens it
	extra   bool                                      // left out without -everywhere
}

var (
	alone    = place{name: "one server", servers: 1, open: inMemory}
	together = place{name: "two servers", servers: 2, open: inMemory}
	// shared is two servers on one PostgreSQL database, with a pool each.
	shared = place{name: "two servers on postgres", servers: 2, open: onDatabase}
	// sharedToo is shared in a run with -everywhere. Without it, another test of
	// the kind runs there.
	sharedToo = place{name: "two servers on postgres", servers: 2, open: onDatabase, extra: true}
)

var everywhere = flag.Bool("everywhere", false, "run all tests of the wire with two servers on one PostgreSQL, too")

// at runs one test on one server, on two, and where else it may: a bubble's time
// stands still for a database.
func at(t *testing.T, test func(t *testing.T, p place), database ...place) {
	t.Helper()
	t.Parallel()
	for _, p := range append([]place{alone, together}, database...) {
		if p.extra && !*everywhere {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			test(t, p)
		})
	}
}

// single are the tests that are not run with two servers, each with the reason.
var single = map[string]string{
	"TestMetrics":                           "metrics are one server's, and so is their registry",
	"TestReadiness":                         itsChecks,
	"TestACheckThatHangs":                   itsChecks,
	"TestTheLog":                            itsLog,
	"TestLogHandlerAddsTheTraceID":          itsLog,
	"TestAPanic":                            itsLog,
	"TestADiskThatFails":                    "the disk that fails is one server's, and its log tells",
	"TestARequestThatTakesTooLongIsA504":    "the deadline is of one request, in the server that took it",
	"TestASlowReaderOfADownload":            "a connection is one server's, and its time is a bubble's",
	"TestANilServiceLeavesItsRoutesOut":     "what a handler is made without is its own",
	"TestABodyThatBreaksOffDoesNothing":     "a connection that breaks is one server's",
	"TestAFormIsOneHoweverItIsSpelt":        "what a header says is read by the server that took it",
	"TestEvery401IsTheGateways":             "an error's bytes are made by the server that has it",
	"TestWhatALogLineHolds":                 itsLog,
	"TestAnAnswerOfALibraryIsCounted":       "metrics are one server's, and so is their registry",
	"TestACheckIsToldToEnd":                 itsChecks,
	"TestTheDocumentLeadsBelowAPrefix":      "the document leads to the handler that gave it",
	"TestTheDocumentListsTheCodes":          noRequest,
	"TestTheCheckAgainstTheDocumentCanFail": noRequest,
	"TestNew":                               noRequest,
	"TestNewServer":                         noRequest,
	"TestEachTestSaysHowManyServers":        noRequest,
	"TestRequestsTakeTurns":                 "it is of the two servers",
	"TestMain":                              noRequest,
}

const (
	itsChecks = "a server's readiness is its own: that is what a balancer asks for"
	itsLog    = "the log, with the stack of a panic, is one server's"
	noRequest = "nothing is asked over the wire"
)

// TestRequestsTakeTurns: two servers are worth something only if both are asked.
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

// TestEachTestSaysHowManyServers: a new test of the wire runs on two servers, or
// says why it does not.
func TestEachTestSaysHowManyServers(t *testing.T) {
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
		assert.NotEqual(t, twice, single[name] != "", "%s calls at, or stands in single with its reason", name)
	}
	for name := range single {
		assert.Contains(t, found, name, "a test that is gone")
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

// onDatabase opens a database of the test's own as processes do: each has a pool
// and a store of its own.
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
