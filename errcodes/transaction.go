package errcodes

import (
	"fmt"
	"slices"
)

// Direction is the way that a transaction's money goes.
type Direction string

// The directions.
const (
	Payin  Direction = "payin"  // a payer pays the merchant (Collect)
	Payout Direction = "payout" // the merchant pays a recipient (Payouts)
)

// Valid reports whether d is one of the two.
func (d Direction) Valid() bool { return d == Payin || d == Payout }

// State is how a transaction that did not succeed ended: authState.state (SPEC 2.9).
type State string

// The states.
const (
	StateFailed State = "failed" // a party declined; the code is an AuthFailureCode
	StateError  State = "error"  // something broke or was not allowed; the code is an ErrorCode
)

// Valid reports whether s is one of the two.
func (s State) Valid() bool { return s == StateFailed || s == StateError }

// TransactionCode is a normalised transaction code: authState.code (SPEC 7.5).
// It describes how a transaction ended, whereas a [Code] describes a failed call.
type TransactionCode string

// The AuthFailureCode values of SPEC 7.5: the codes of [StateFailed].
const (
	Failure3DSDeclinedByUser             TransactionCode = "3dsDeclinedByUser"
	Failure3DSLookupFailed               TransactionCode = "3dsLookupFailed"
	Failure3DSNotCompleted               TransactionCode = "3dsNotCompleted"
	FailureAcquirerRejected              TransactionCode = "acquirerRejected"
	FailureCustomerRejected              TransactionCode = "customerRejected"
	FailureDeclined                      TransactionCode = "declined"
	FailureAccountNotActive              TransactionCode = "accountNotActive"
	FailureFraudBlocked                  TransactionCode = "fraudBlocked"
	FailurePayinInsufficientFunds        TransactionCode = "payinInsufficientFunds"
	FailureInvalidCard                   TransactionCode = "invalidCard"
	FailureInvalidData                   TransactionCode = "invalidData"
	FailureInvalidPIN                    TransactionCode = "invalidPin"
	FailurePayinPayerInvalidAccount      TransactionCode = "payinPayerInvalidAccount"
	FailurePayoutRecipientInvalidAccount TransactionCode = "payoutRecipientInvalidAccount"
	FailurePayinPayerLimitExceeded       TransactionCode = "payinPayerLimitExceeded"
	FailurePayinMerchantLimitExceeded    TransactionCode = "payinMerchantLimitExceeded"
	FailurePayoutRecipientLimitExceeded  TransactionCode = "payoutRecipientLimitExceeded"
	FailureTimeout                       TransactionCode = "timeout"
	FailureTransactionNotFound           TransactionCode = "transactionNotFound"
	FailurePendingTransactionConflict    TransactionCode = "pendingTransactionConflict"
)

// Deprecated values of AuthFailureCode. Older transactions carry them, new ones
// never do (I25). [Upgrade] returns their replacements.
const (
	FailureInsufficientFunds    TransactionCode = "insufficientFunds"
	FailureInvalidAccount       TransactionCode = "invalidAccount"
	FailureLimitExceeded        TransactionCode = "limitExceeded"
	FailureDailyLimitExceeded   TransactionCode = "dailyLimitExceeded"
	FailureMonthlyLimitExceeded TransactionCode = "monthlyLimitExceeded"
)

// The ErrorCode values of SPEC 7.5: the codes of [StateError].
const (
	ErrorConfiguration           TransactionCode = "configurationError"
	ErrorDecryptionFailed        TransactionCode = "decryptionFailed"
	ErrorDownstream              TransactionCode = "downstreamError"
	ErrorInternal                TransactionCode = "internalError"
	ErrorNetwork                 TransactionCode = "networkError"
	ErrorSystem                  TransactionCode = "systemError"
	ErrorValidation              TransactionCode = "validationError"
	ErrorInvalidCurrency         TransactionCode = "invalidCurrency"
	ErrorInvalidAmount           TransactionCode = "invalidAmount"
	ErrorAmountTooSmall          TransactionCode = "amountTooSmall"
	ErrorAmountTooLarge          TransactionCode = "amountTooLarge"
	ErrorPayinsNotAllowed        TransactionCode = "payinsNotAllowed"
	ErrorPayoutsNotAllowed       TransactionCode = "payoutsNotAllowed"
	ErrorPayoutInsufficientFunds TransactionCode = "payoutInsufficientFunds"
	ErrorScreeningRejected       TransactionCode = "screeningRejected"
	ErrorScreeningTimeout        TransactionCode = "screeningTimeout"
	ErrorScreening               TransactionCode = "screeningError"
)

// Advice is what SPEC 7.5 recommends before a new attempt.
type Advice string

// The kinds of advice. With AdviceNone the caller decides.
const (
	AdviceNone      Advice = ""
	AdviceConfirm   Advice = "confirm"   // find out the payment's final state first: the money may have moved
	AdviceReconcile Advice = "reconcile" // the final state is unknown: poll, or wait for the webhook
	AdviceRetry     Advice = "retry"     // nothing was processed: the same request may be sent again
)

// TransactionRow describes a code of SPEC 7.5, with a text to show for it.
type TransactionRow struct {
	Code       TransactionCode
	State      State
	Direction  Direction // the only direction that the code occurs in; "" for both
	CardOnly   bool
	Advice     Advice
	Deprecated bool
	Upgrades   Upgrades // only of a deprecated code
	Meaning    string   // when the code applies
	Message    string   // for a payer or an operator to read
}

// Upgrades are the replacements of a deprecated code in each direction; "" means
// that there is no replacement.
type Upgrades struct{ Payin, Payout TransactionCode }

// Fits reports whether the code may occur on a transaction of direction d (I24).
func (r TransactionRow) Fits(d Direction) bool {
	return d.Valid() && (r.Direction == "" || r.Direction == d)
}

// Known reports whether c is a code of SPEC 7.5, a deprecated one included.
func (c TransactionCode) Known() bool {
	_, ok := transactionByCode[c]
	return ok
}

// Row returns the row of c. For an unknown code it returns a row that has only Code.
func (c TransactionCode) Row() TransactionRow {
	if row, ok := transactionByCode[c]; ok {
		return row
	}
	return TransactionRow{Code: c}
}

// TransactionCodes returns the rows of all codes, in the order of SPEC 7.5.
func TransactionCodes() []TransactionRow { return slices.Clone(transactionTable) }

// Upgrade returns the code to show in place of a deprecated one, and any other
// known code unchanged. It returns [InvalidRequest] if the code or the direction
// is unknown, and [Unprocessable] for insufficientFunds on a payout; with an error
// it returns the code it was called with.
//
// SPEC 7.5 has no replacement for insufficientFunds on a payout:
// payoutInsufficientFunds is an ErrorCode, so that upgrading to it would turn a
// failed transaction into an errored one.
func Upgrade(code TransactionCode, d Direction) (TransactionCode, error) {
	row, known := transactionByCode[code]
	switch {
	case !known:
		return code, New(InvalidRequest, fmt.Sprintf("unknown transaction code %.64q", code))
	case !d.Valid():
		return code, New(InvalidRequest, fmt.Sprintf("unknown direction %.64q: must be payin or payout", d))
	case !row.Deprecated:
		return code, nil
	}
	replacement := row.Upgrades.Payin
	if d == Payout {
		replacement = row.Upgrades.Payout
	}
	if replacement == "" {
		return code, New(Unprocessable, string(code)+" has no replacement on a "+string(d))
	}
	return replacement, nil
}
