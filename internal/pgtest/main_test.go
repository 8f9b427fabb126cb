package pgtest_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/corridor-go/corridor/internal/pgtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main(m)) }
