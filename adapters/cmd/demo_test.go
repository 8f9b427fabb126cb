package cmd

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDemoPrintsRealValues(t *testing.T) {
	code, out, errs := command(t, "", nil, "demo")
	require.Zero(t, code, errs)
	for _, part := range []string{
		"= 16.3986445", "expired", "cancelled (market_drift)", "398 bps", "rate_lock.cancelled",
		"verified by sandbox, holder AMA SERWAA MENSAH\n", "name_mismatch by sandbox", "Lookups so far: 1.",
		"not_found by rules (The account number's check digit", "pending by sandbox\n", "validation.pending",
	} {
		require.Contains(t, out, part)
	}
}

func TestDemoPrintsFailures(t *testing.T) {
	code, out, errs := command(t, "", nil, "demo")
	require.Zero(t, code, errs)
	for _, part := range []string{
		"demo-wrong-pin-payin  FAILED  invalidPin:", "demo-wrong-pin-payout  ERRORED  configurationError:",
		"demo-no-answer  FAILED  timeout: No response came in time\n", "transaction.late_payment evt_",
	} {
		require.Contains(t, out, part)
	}
}
