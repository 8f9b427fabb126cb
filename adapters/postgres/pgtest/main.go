package pgtest

import (
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// Tests is the interface of *testing.M that [Main] wraps.
type Tests interface{ Run() int }

// Main returns m with a Run that stops the process's cluster at the end. TestMain
// passes it to goleak.VerifyTestMain, or its Run's result to os.Exit. [Database] and
// [Server] require it.
//
// Main sets GORACE so that test processes that the tests start end without the second
// that they would wait under -race.
func Main(m Tests) Tests {
	cleaned.Store(true)
	if os.Getenv(raceVariable) == "" {
		_ = os.Setenv(raceVariable, "atexit_sleep_ms=0")
	}
	return tests{m}
}

const raceVariable = "GORACE"

type tests struct{ of Tests }

func (t tests) Run() int {
	defer release()
	return t.of.Run()
}

var (
	cleaned atomic.Bool

	sharedMutex sync.Mutex
	shared      *Cluster
)

// Server returns the shared cluster of the test process: the server of
// CORRIDOR_TEST_POSTGRES, or else one with zero [Options], started at first use.
// Other tests use it too, so it cannot be stopped or killed; use [New] for that.
//
// Server skips the test if there is no PostgreSQL, or fails it if
// CORRIDOR_REQUIRE_POSTGRES is set.
func Server(tb testing.TB) *Cluster {
	tb.Helper()
	if !cleaned.Load() {
		tb.Fatal("pgtest: this package needs func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main(m)) }")
	}
	sharedMutex.Lock()
	defer sharedMutex.Unlock()
	if shared == nil {
		shared = common(tb)
		const most = 16
		shared.administrators = make(chan *pgconn.PgConn, most)
	}
	return shared
}

func common(tb testing.TB) *Cluster {
	tb.Helper()
	if dsn := os.Getenv(serverVariable); dsn != "" {
		return &Cluster{admin: dsn}
	}
	bin := binaries()
	if bin == "" {
		absent(tb, noServer)
	}
	c, err := create(bin, Options{})
	if err != nil {
		tb.Fatal("pgtest: ", err)
	}
	return c
}

// Database returns the DSN of a fresh database on [Server]; see [Cluster.Database].
func Database(tb testing.TB, template *Template) string {
	tb.Helper()
	return Server(tb).Database(tb, template)
}

func release() {
	sharedMutex.Lock()
	defer sharedMutex.Unlock()
	if shared != nil {
		shared.close()
		shared = nil
	}
}
