package pgtest_test

import (
	"flag"
	"testing"

	"go.uber.org/goleak"

	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
)

var full = flag.Bool("full", false, "also run what .ci/full runs")

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main(m)) }
