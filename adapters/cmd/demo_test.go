package cmd

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestDemoPrintsRealValues(t *testing.T) {
	code, out, errs := command(t, "", nil, "demo")
	require.Zero(t, code, errs)
	for _, part := range []string{
		"is 16.3986445 ZAR for 1 USD", "costs 819.77 ZAR", "the first lock is expired", "is cancelled,", "market_drift", "398 bps", "rate 17.052",
		"verified, and the holder is AMA SERWAA MENSAH", "Kofi Boateng? name_mismatch", "Serwaa? verified", "three answers: 1.",
		"it is not_found", "check digit does not fit", "after 3s. Until then the result is pending",
		"payin: FAILED with invalidPin.", "payout: ERRORED with configurationError.", "FAILED with timeout", "do not match: 14.",
		"2 missing_transaction", "2 status_mismatch", "5 rate_lock, 2 report, 7 transaction, 6 validation",
	} {
		require.Contains(t, out, part)
	}
}

func TestDemoFitsOnAScreen(t *testing.T) {
	code, out, errs := command(t, "", nil, "demo")
	require.Zero(t, code, errs)
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	require.LessOrEqual(t, len(lines), 30)
	for _, line := range lines {
		require.LessOrEqual(t, utf8.RuneCountInString(line), 100, line)
	}
}
