package failures_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/corridor-go/corridor/authstate/failures"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func normaliser(t testing.TB, config *failures.Config) *failures.Normaliser {
	t.Helper()
	n, err := failures.New(config)
	require.NoError(t, err)
	return n
}

// said contains well-known codes, by their outcome on a payin.
var said = map[failures.Outcome]failures.Input{
	failures.Success: {Scheme: failures.MpesaDaraja, Code: "0", Message: "paid by Wanjiru"},
	failures.Pending: {Scheme: failures.Paystack, Code: "processing"},
	failures.Failed:  {Scheme: failures.MpesaDaraja, Code: "1032", Message: "cancelled by Wanjiru"},
	failures.Errored: {Scheme: failures.ISO8583, Code: "91", Message: "no switch for Wanjiru"},
}
