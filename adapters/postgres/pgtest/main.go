package pgtest

import (
	"os"
	"sync"
	"sync/atomic"
	"testing"
)

// Tests is what [Main] wraps: a *testing.M.
type Tests interface{ Run() int }

// Main is m with the end of the process's cluster in its Run. TestMain hands it
// to goleak.VerifyTestMain, or to os.Exit with its Run. [Database] and [Server]
// ask for it.
//
// Test processes that the tests start leave at once: under -race they would wait
// for a second.
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

// Server is the one cluster of the test process, started at first use: that of
// CORRIDOR_TEST_POSTGRES, or else one with zero [Options]. Other tests use it
// too, so that it can be neither stopped nor killed; [New] is for that.
//
// It skips the test when there is no PostgreSQL, or fails it where
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

// Database is the DSN of a fresh database on [Server]; see [Cluster.Database].
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
