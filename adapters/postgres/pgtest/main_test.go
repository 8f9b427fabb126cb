package pgtest_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main(m)) }
