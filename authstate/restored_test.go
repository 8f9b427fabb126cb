package authstate_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// keeps returns the same record from every read.
type keeps struct {
	ports.TransactionStore
	rec ports.Transaction
}

func (k keeps) Transaction(context.Context, string, string) (ports.Transaction, error) {
	return k.rec, nil
}

var (
	pendingOne = ports.Transaction{
		ID: "t", Owner: owner, Version: 1, Direction: errcodes.Payin, Status: ports.TransactionPending, CreatedAt: noon,
	}
	succeededOne = ports.Transaction{
		ID: "t", Owner: owner, Version: 2, Direction: errcodes.Payin, Status: ports.TransactionSucceeded, CreatedAt: noon, EndedAt: noon,
		Raw: ports.RawFailure{Code: "0"}, Scheme: "mpesa-daraja",
	}
	failedOne = ports.Transaction{
		ID: "t", Owner: owner, Version: 2, Direction: errcodes.Payin, Status: ports.TransactionFailed, CreatedAt: noon, EndedAt: noon,
		Code: errcodes.FailureDeclined, Raw: ports.RawFailure{Code: "05"}, Scheme: "iso8583",
	}
	lateOne = ports.Transaction{
		ID: "t", Owner: owner, Version: 3, Direction: errcodes.Payout, Status: ports.TransactionErrored, CreatedAt: noon, EndedAt: noon,
		Code: errcodes.ErrorNetwork, LateAt: noon, LateRaw: ports.RawFailure{Message: "paid"},
	}
)

func with(rec ports.Transaction, change func(*ports.Transaction)) ports.Transaction {
	change(&rec)
	return rec
}

func TestAnImpossibleRecordIsCorrupt(t *testing.T) {
	type T = ports.Transaction
	raw := ports.RawFailure{Message: "Wanjiru"}
	for name, rec := range map[string]ports.Transaction{
		"no status":                      with(pendingOne, func(t *T) { t.Status = "" }),
		"an unknown status":              with(succeededOne, func(t *T) { t.Status = "GONE" }),
		"no direction":                   with(pendingOne, func(t *T) { t.Direction = "" }),
		"an unknown direction":           with(failedOne, func(t *T) { t.Direction = "sideways" }),
		"failed without a code":          with(failedOne, func(t *T) { t.Code = "" }),
		"failed with an error's code":    with(failedOne, func(t *T) { t.Code = errcodes.ErrorNetwork }),
		"errored with a failure's code":  with(lateOne, func(t *T) { t.Code = errcodes.FailureDeclined }),
		"failed with an unknown code":    with(failedOne, func(t *T) { t.Code = "bogus" }),
		"succeeded with a code":          with(succeededOne, func(t *T) { t.Code = errcodes.FailureDeclined }),
		"succeeded with an unknown code": with(succeededOne, func(t *T) { t.Code = "bogus" }),
		"pending with a code":            with(pendingOne, func(t *T) { t.Code = errcodes.FailureDeclined }),
		"pending with an unknown code":   with(pendingOne, func(t *T) { t.Code = "bogus" }),
		"a payin's code on a payout":     with(failedOne, func(t *T) { t.Code, t.Direction = errcodes.FailurePayinInsufficientFunds, errcodes.Payout }),
		"a payout's code on a payin":     with(lateOne, func(t *T) { t.Code, t.Direction = errcodes.ErrorPayoutInsufficientFunds, errcodes.Payin }),
		"pending and ended":              with(pendingOne, func(t *T) { t.EndedAt = noon }),
		"failed without endedAt":         with(failedOne, func(t *T) { t.EndedAt = time.Time{} }),
		"succeeded without endedAt":      with(succeededOne, func(t *T) { t.EndedAt = time.Time{} }),
		"ended before it was opened":     with(failedOne, func(t *T) { t.EndedAt = noon.Add(-time.Millisecond) }),
		"pending with lateAt":            with(pendingOne, func(t *T) { t.LateAt = noon }),
		"succeeded with lateAt":          with(succeededOne, func(t *T) { t.LateAt = noon }),
		"lateAt before endedAt":          with(lateOne, func(t *T) { t.LateAt = noon.Add(-time.Millisecond) }),
		"lateRaw without lateAt":         with(failedOne, func(t *T) { t.LateRaw = raw }),
		"pending with a raw message":     with(pendingOne, func(t *T) { t.Raw = raw }),
		"pending with a scheme":          with(pendingOne, func(t *T) { t.Scheme = "stripe" }),
		"pending with tables":            with(pendingOne, func(t *T) { t.Tables = "stripe@0" }),
		"never saved":                    with(pendingOne, func(t *T) { t.Version = 0 }),
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			s := r.on(keeps{rec: rec}, r.store.Work(), r.clock)
			_, err := s.Get(t.Context(), owner, "t")
			require.ErrorIs(t, err, errcodes.CorruptRecord)
			assert.NotContains(t, err.Error(), "Wanjiru")
			_, err = s.Succeed(t.Context(), owner, "t")
			require.ErrorIs(t, err, errcodes.CorruptRecord)
			_, err = s.Fail(t.Context(), owner, "t", errcodes.FailureTimeout)
			require.ErrorIs(t, err, errcodes.CorruptRecord)
		})
	}
}

// Older transactions have deprecated codes (I25), and Raw may be empty.
func TestAPossibleRecordIsRead(t *testing.T) {
	for name, rec := range map[string]ports.Transaction{
		"pending": pendingOne, "succeeded": succeededOne, "failed": failedOne, "late": lateOne,
		"deprecated":           with(failedOne, func(t *ports.Transaction) { t.Code = errcodes.FailureDailyLimitExceeded }),
		"deprecated on payout": with(failedOne, func(t *ports.Transaction) { t.Code, t.Direction = errcodes.FailureInsufficientFunds, errcodes.Payout }),
		"no raw message":       with(failedOne, func(t *ports.Transaction) { t.Raw = ports.RawFailure{} }),
	} {
		r := newRig(t)
		got, err := r.on(keeps{rec: rec}, r.store.Work(), r.clock).Get(t.Context(), owner, "t")
		require.NoError(t, err, name)
		assert.Equal(t, rec, got, name)
	}
}
