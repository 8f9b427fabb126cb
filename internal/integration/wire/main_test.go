package wire_test

import (
	"flag"
	"testing"

	"go.uber.org/goleak"

	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
)

// TestMain bounds how many tests use the database server concurrently, because it has few
// connections.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(pgtest.Main(m))
}
