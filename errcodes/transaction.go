package errcodes

import "slices"

// Direction tells which way a transaction's money goes.
type Direction string

// The directions.
const (
	Payin  Direction = "payin"  // a payer pays the merchant (Collect)
	Payout Direction = "payout" // the merchant pays a recipient (Payouts)
)

// Valid reports whether d is one of the two.
func (d Direction) Valid() bool { return d == Payin || d == Payout }

// State is how a transaction ended badly: authState.state (SPEC 2.9).
type State string

// The states.
const (
	StateFailed State = "failed" // somebody declined; the code is an AuthFailureCode
	StateError  State = "error"  // something broke or was not allowed; the code is an ErrorCode
)

// Valid reports whether s is one of the two.
func (s State) Valid() bool { return s == StateFailed || s == StateError }

// TransactionCode is a normalised transaction code: authState.code (SPEC 7.5).
// It describes a transaction's end, where a [Code] describes a failed call.
type TransactionCode string

// AuthFailureCode of SPEC 7.5: the codes of [StateFailed].
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

// Deprecated values of AuthFailureCode: older transactions carry them, new ones
// never do (I25). [Upgrade] gives their replacements.
const (
	FailureInsufficientFunds    TransactionCode = "insufficientFunds"
	FailureInvalidAccount       TransactionCode = "invalidAccount"
	FailureLimitExceeded        TransactionCode = "limitExceeded"
	FailureDailyLimitExceeded   TransactionCode = "dailyLimitExceeded"
	FailureMonthlyLimitExceeded TransactionCode = "monthlyLimitExceeded"
)

// ErrorCode of SPEC 7.5: the codes of [StateError].
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

// Advice says what to do before a new attempt, where SPEC 7.5 says it.
type Advice string

// The advice. A code without any leaves it to the caller.
const (
	AdviceNone      Advice = ""
	AdviceConfirm   Advice = "confirm"   // learn the payment's final state first: the money may have moved
	AdviceReconcile Advice = "reconcile" // the final state is unknown: poll, or wait for the webhook
	AdviceRetry     Advice = "retry"     // nothing was processed: the same may be tried again
)

// TransactionRow is what SPEC 7.5 says of a code, and the words to show for it.
type TransactionRow struct {
	Code       TransactionCode
	State      State
	Direction  Direction // the only direction that the code occurs in; "" for both
	CardOnly   bool
	Advice     Advice
	Deprecated bool
	Upgrades   Upgrades // only of a deprecated code
	Meaning    string   // when the code is given
	Message    string   // for a payer or an operator to read
}

// Upgrades are the replacements of a deprecated code; "" where there is none.
type Upgrades struct{ Payin, Payout TransactionCode }

// Fits reports whether the code may occur on a transaction of direction d
// (I24).
func (r TransactionRow) Fits(d Direction) bool {
	return d.Valid() && (r.Direction == "" || r.Direction == d)
}

// Known reports whether c is a code of SPEC 7.5, a deprecated one included.
func (c TransactionCode) Known() bool {
	_, ok := transactionByCode[c]
	return ok
}

// Row gives what is known of c; of an unknown code just its own name.
func (c TransactionCode) Row() TransactionRow {
	if row, ok := transactionByCode[c]; ok {
		return row
	}
	return TransactionRow{Code: c}
}

// TransactionCodes lists every code, in the order of SPEC 7.5.
func TransactionCodes() []TransactionRow { return slices.Clone(transactionTable) }

// Upgrade gives the code to show in place of a deprecated one; any other known
// code is its own. A code or a direction that is none is [InvalidRequest].
//
// SPEC 7.5 leaves a hole: insufficientFunds on a payout has no replacement that
// is an AuthFailureCode. payoutInsufficientFunds is an ErrorCode: to convert to
// it would turn a failed transaction into an errored one after the fact. So
// that pair is [Unprocessable], and the old code stays what it was.
func Upgrade(code TransactionCode, d Direction) (TransactionCode, error) {
	row, known := transactionByCode[code]
	switch {
	case !known:
		return code, New(InvalidRequest, "The transaction code is none of SPEC 7.5")
	case !d.Valid():
		return code, New(InvalidRequest, "The direction must be payin or payout")
	case !row.Deprecated:
		return code, nil
	}
	replacement := row.Upgrades.Payin
	if d == Payout {
		replacement = row.Upgrades.Payout
	}
	if replacement == "" {
		return code, New(Unprocessable, string(code)+" has no replacement on a "+string(d)+"; it stays as it is")
	}
	return replacement, nil
}
