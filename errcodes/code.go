package errcodes

// Code names one kind of failure. It is stable: callers branch on it, metrics
// count by it. A Code is itself an error, so that errors.Is(err, code) works.
type Code string

// Error gives the code's own text.
func (c Code) Error() string { return string(c) }

// Generic codes: the default code of each status that the interface uses.
const (
	InvalidRequest   Code = "invalid_request"    // 400: malformed, or a field is missing or ill-formed
	Unauthorized     Code = "unauthorized"       // 401: missing, invalid or expired token
	Forbidden        Code = "forbidden"          // 403: authenticated, but not permitted
	NotFound         Code = "not_found"          // 404: unknown, or another owner's
	MethodNotAllowed Code = "method_not_allowed" // 405
	Conflict         Code = "conflict"           // 409: the state does not allow it, or a stale version
	PayloadTooLarge  Code = "payload_too_large"  // 413
	Unprocessable    Code = "unprocessable"      // 422: well-formed, but against a business rule
	TooManyRequests  Code = "too_many_requests"  // 429: retry after the time given
	Internal         Code = "internal"           // 500: unexpected; every error without a code counts as this
	Unavailable      Code = "unavailable"        // 503: a temporary outage
	DeadlineExceeded Code = "deadline_exceeded"  // 504: the caller's deadline passed
)

// Codes of the token route (SPEC 5.3).
const (
	TokenInvalidBody        Code = "token_invalid_body"
	TokenMissingCredentials Code = "token_missing_credentials"
	TokenInvalidCredentials Code = "token_invalid_credentials"
)

// Machine codes of the flat envelope. SPEC 7.3 names the first four; the last
// two are corridor's own and show on the wire as well.
const (
	FXNotEnabled             Code = "fx_not_enabled"              // the owner has no terms for the pair
	RateLockInvalid          Code = "rate_lock_invalid"           // expired or cancelled; ReplacementDetails may name a live one
	RateLockNotFound         Code = "rate_lock_not_found"         // unknown, or another owner's
	RateLockCurrencyMismatch Code = "rate_lock_currency_mismatch" // the lock is for another pair
	ClockBehind              Code = "clock_behind"                // this process's clock is far behind what the book has decided
	OutcomeUnknown           Code = "outcome_unknown"             // a commit's fate could not be learned: neither success nor failure
)

// Codes that Go callers tell apart and that the wire shows as their status's
// reason phrase.
const (
	PairNotOffered     Code = "pair_not_offered"    // 422: the feed does not offer the pair
	PriceUnavailable   Code = "price_unavailable"   // 503: offered, but no live price now
	StorageUnavailable Code = "storage_unavailable" // 503: the store cannot take the change now (full, busy, read-only)
	Closed             Code = "closed"              // 503: used after Close
	Canceled           Code = "canceled"            // 503: the caller's context was cancelled
	CorruptRecord      Code = "corrupt_record"      // 500: the store returned an impossible record
	Configuration      Code = "configuration"       // 500: a constructor was given a bad value, or a provider refuses the credentials
	MalformedAnswer    Code = "malformed_answer"    // 503: a provider answered what its documents do not describe
	KeyUnknown         Code = "key_unknown"         // 500: data is sealed with a key that is not configured
)

// Codes of the Exchange envelope (SPEC 7.4), and the one body that has a code
// of its own shape (7.3).
const (
	ExchangeInvalidRequest          Code = "INVALID_REQUEST"
	ExchangeInvalidCursor           Code = "INVALID_CURSOR"
	ExchangeUnauthenticated         Code = "UNAUTHENTICATED"
	ExchangeForbidden               Code = "FORBIDDEN"
	ExchangeCurrencyNotSupported    Code = "CURRENCY_NOT_SUPPORTED"
	ExchangeCurrencyNotProvisioned  Code = "CURRENCY_NOT_PROVISIONED"
	ExchangeCurrencyMismatch        Code = "CURRENCY_MISMATCH"
	ExchangeRateNotAvailable        Code = "RATE_NOT_AVAILABLE"
	ExchangeRateNotFound            Code = "RATE_NOT_FOUND"
	ExchangeQuoteNotFound           Code = "QUOTE_NOT_FOUND"
	ExchangeQuoteExpired            Code = "QUOTE_EXPIRED"
	ExchangeQuoteNotExecutable      Code = "QUOTE_NOT_EXECUTABLE"
	ExchangeOrderNotFound           Code = "ORDER_NOT_FOUND"
	ExchangeOrderNotCancellable     Code = "ORDER_NOT_CANCELLABLE"
	ExchangeInsufficientBalance     Code = "INSUFFICIENT_BALANCE"
	ExchangeAmountOutOfRange        Code = "AMOUNT_OUT_OF_RANGE"
	ExchangeBeneficiaryNotFound     Code = "BENEFICIARY_NOT_FOUND"
	ExchangeBeneficiaryNotActive    Code = "BENEFICIARY_NOT_ACTIVE"
	ExchangeDepositNotFound         Code = "DEPOSIT_NOT_FOUND"
	ExchangeWithdrawalNotFound      Code = "WITHDRAWAL_NOT_FOUND"
	ExchangeWithdrawalNotCancelable Code = "WITHDRAWAL_NOT_CANCELLABLE"
	ExchangeIdempotencyConflict     Code = "IDEMPOTENCY_CONFLICT"
	DuplicateReference              Code = "DUPLICATE_REFERENCE"
)

// Row is what the table knows of a code.
type Row struct {
	Code   Code
	Status int    // HTTP status
	Shown  bool   // the flat envelope's error field shows the code; else the reason phrase
	Text   string // default message, for logs and display
}

// Info gives the row of code. A code that the table does not know is described
// as [Internal], under its own name.
func Info(code Code) Row {
	if row, ok := byCode[code]; ok {
		return row
	}
	row := byCode[Internal]
	row.Code = code
	return row
}

// All lists every code, in the order of the table.
func All() []Row { return append([]Row(nil), table...) }

// DefaultFor gives the generic code of an HTTP status, for callers that meet a
// status without a machine code. A status that the table lacks counts as its
// class: 4xx as [InvalidRequest], everything else as [Internal].
func DefaultFor(status int) Code {
	if s, ok := statuses[status]; ok {
		return s.code
	}
	if status/100 == 4 {
		return InvalidRequest
	}
	return Internal
}

// Phrase gives the reason phrase of a status that the table uses, as net/http
// words it; "" for another.
func Phrase(status int) string { return statuses[status].phrase }
