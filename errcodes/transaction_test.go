package errcodes_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
)

// The two enums of SPEC 7.5, its deprecated values and its advice.
const (
	authFailureCodes = `3dsDeclinedByUser 3dsLookupFailed 3dsNotCompleted acquirerRejected customerRejected declined
		accountNotActive fraudBlocked payinInsufficientFunds invalidCard invalidData invalidPin payinPayerInvalidAccount
		payoutRecipientInvalidAccount payinPayerLimitExceeded payinMerchantLimitExceeded payoutRecipientLimitExceeded
		timeout transactionNotFound pendingTransactionConflict`
	deprecatedCodes = `insufficientFunds invalidAccount limitExceeded dailyLimitExceeded monthlyLimitExceeded`
	errorCodes      = `configurationError decryptionFailed downstreamError internalError networkError systemError
		validationError invalidCurrency invalidAmount amountTooSmall amountTooLarge payinsNotAllowed payoutsNotAllowed
		payoutInsufficientFunds screeningRejected screeningTimeout screeningError`
)

var adviceOf = map[errcodes.TransactionCode]errcodes.Advice{
	"timeout": errcodes.AdviceConfirm, "internalError": errcodes.AdviceConfirm, "systemError": errcodes.AdviceConfirm,
	"networkError": errcodes.AdviceReconcile, "screeningTimeout": errcodes.AdviceRetry,
}

func TestTheTransactionCodesAreThoseOfSPEC(t *testing.T) {
	failures := append(strings.Fields(authFailureCodes), strings.Fields(deprecatedCodes)...)
	var got []string
	for _, row := range errcodes.TransactionCodes() {
		got = append(got, string(row.Code))
		name := string(row.Code)
		require.Equal(t, row, row.Code.Row())
		require.True(t, row.Code.Known())
		state := errcodes.StateError
		if slices.Contains(failures, name) {
			state = errcodes.StateFailed
		}
		require.Equal(t, state, row.State, name)
		require.Equal(t, slices.Contains(strings.Fields(deprecatedCodes), name), row.Deprecated, name)
		require.Equal(t, strings.HasPrefix(name, "3ds"), row.CardOnly, name)
		require.Equal(t, adviceOf[row.Code], row.Advice, name)
		require.NotEmpty(t, row.Meaning, name)
		require.NotEmpty(t, row.Message, name)
	}
	require.Equal(t, append(failures, strings.Fields(errorCodes)...), got)
}

// I24. The prefix decides the direction, also of payinsNotAllowed and
// payoutsNotAllowed.
func TestThePrefixDecidesTheDirection(t *testing.T) {
	for _, row := range errcodes.TransactionCodes() {
		payout := strings.HasPrefix(string(row.Code), "payout")
		payin := strings.HasPrefix(string(row.Code), "payin")
		require.Equal(t, !payout, row.Fits(errcodes.Payin), row.Code)
		require.Equal(t, !payin, row.Fits(errcodes.Payout), row.Code)
		require.False(t, row.Fits(""), row.Code)
	}
}

func TestUpgradeReplacesDeprecatedCodesOnly(t *testing.T) {
	const (
		payerLimit     = errcodes.FailurePayinPayerLimitExceeded
		recipientLimit = errcodes.FailurePayoutRecipientLimitExceeded
	)
	for _, c := range []struct {
		code, payin, payout errcodes.TransactionCode
	}{
		{"insufficientFunds", errcodes.FailurePayinInsufficientFunds, ""},
		{"invalidAccount", errcodes.FailurePayinPayerInvalidAccount, errcodes.FailurePayoutRecipientInvalidAccount},
		{"limitExceeded", payerLimit, recipientLimit},
		{"dailyLimitExceeded", payerLimit, recipientLimit},
		{"monthlyLimitExceeded", payerLimit, recipientLimit},
		{"declined", "declined", "declined"},
		{"payoutInsufficientFunds", "payoutInsufficientFunds", "payoutInsufficientFunds"},
	} {
		for d, want := range map[errcodes.Direction]errcodes.TransactionCode{errcodes.Payin: c.payin, errcodes.Payout: c.payout} {
			got, err := errcodes.Upgrade(c.code, d)
			if want == "" {
				require.ErrorIs(t, err, errcodes.Unprocessable)
				require.Equal(t, c.code, got)
				require.Equal(t, string(c.code)+" has no replacement on a "+string(d), errcodes.MessageOf(err))
				continue
			}
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
	}
	for _, bad := range []struct {
		code errcodes.TransactionCode
		d    errcodes.Direction
		want string
	}{
		{"Declined", errcodes.Payin, `unknown transaction code "Declined"`},
		{"", errcodes.Payin, `unknown transaction code ""`},
		{"declined", "", `unknown direction "": must be payin or payout`},
		{"declined", "PAYIN", `unknown direction "PAYIN": must be payin or payout`},
	} {
		got, err := errcodes.Upgrade(bad.code, bad.d)
		require.ErrorIs(t, err, errcodes.InvalidRequest)
		require.Equal(t, bad.want, errcodes.MessageOf(err))
		require.Equal(t, bad.code, got)
	}
}

// The replacement of a deprecated code has the code's state and fits the direction.
func TestAnUpgradeKeepsTheState(t *testing.T) {
	for _, row := range errcodes.TransactionCodes() {
		for _, d := range []errcodes.Direction{errcodes.Payin, errcodes.Payout} {
			got, err := errcodes.Upgrade(row.Code, d)
			if err != nil {
				continue
			}
			require.Equal(t, row.State, got.Row().State, row.Code)
			require.False(t, got.Row().Deprecated, row.Code)
			if row.Deprecated {
				require.True(t, got.Row().Fits(d), row.Code)
			}
		}
	}
}

func TestAnUnknownTransactionCodeHasAnEmptyRow(t *testing.T) {
	require.False(t, errcodes.TransactionCode("other").Known())
	require.Equal(t, errcodes.TransactionRow{Code: "other"}, errcodes.TransactionCode("other").Row())
}

func TestOnlyTheNamedDirectionsAndStatesAreValid(t *testing.T) {
	for _, text := range []string{"", "payin", "payout", "Payin", "failed", "error", "success"} {
		require.Equal(t, text == "payin" || text == "payout", errcodes.Direction(text).Valid(), text)
		require.Equal(t, text == "failed" || text == "error", errcodes.State(text).Valid(), text)
	}
}
