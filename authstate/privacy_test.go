package authstate_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
)

// A raw code or message may contain names and numbers.
func TestLogsNeverShowARawCodeOrMessage(t *testing.T) {
	r := newRig(t)
	r.open(minute("t"))
	report := authstate.Report{Scheme: failures.Stripe, Code: "254712345678", Message: "Wanjiru", State: errcodes.StateError}
	failed, err := r.service.Record(t.Context(), owner, "t", report)
	require.NoError(t, err)
	paid, err := r.service.Record(t.Context(), owner, "t", authstate.Report{Scheme: failures.MpesaDaraja, Code: "0", Message: "Wanjiru"})
	require.NoError(t, err)
	in := failures.Input{Scheme: failures.Stripe, Direction: errcodes.Payin, Code: report.Code, Message: report.Message}

	var out bytes.Buffer
	for _, logger := range []*slog.Logger{slog.New(slog.NewTextHandler(&out, nil)), slog.New(slog.NewJSONHandler(&out, nil))} {
		for _, value := range []any{report, in, failed, failed.Result, failed.Transaction, paid, paid.Transaction.LateRaw, authstate.ViewOf(&failed.Transaction)} {
			logger.Info("value", "value", value)
			fmt.Fprintf(&out, "%v %+v %s\n", value, value, value)
		}
	}
	assert.NotContains(t, out.String(), "Wanjiru")
	assert.NotContains(t, out.String(), "254712345678")
	assert.Contains(t, out.String(), "stripe payin error downstreamError", "what is not personal is shown")
	assert.Contains(t, out.String(), "t payin ERRORED downstreamError moved")
	assert.Contains(t, out.String(), "a report of stripe")
	assert.Contains(t, out.String(), "an answer of stripe on a payin")
}
