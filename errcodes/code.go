package errcodes

// Code names one kind of failure. It is stable: callers branch on it, metrics
// count by it. A Code is itself an error, so that errors.Is(err, code) works.
type Code string

// Error returns the code itself.
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
	TooManyRequests  Code = "too_many_requests"  // 429: retry after the time in Retry-After
	Internal         Code = "internal"           // 500: unexpected; every error without a code counts as Internal
	Unavailable      Code = "unavailable"        // 503: a temporary outage
	DeadlineExceeded Code = "deadline_exceeded"  // 504: the caller's deadline passed
)

// Codes of the token route (SPEC 5.3).
const (
	TokenInvalidBody        Code = "token_invalid_body"
	TokenMissingCredentials Code = "token_missing_credentials"
	TokenInvalidCredentials Code = "token_invalid_credentials"
)

// Machine codes of the flat envelope. SPEC 7.3 names the first four. The last
// two are corridor's own, and the wire shows them too.
const (
	FXNotEnabled             Code = "fx_not_enabled"              // the owner has no terms for the pair
	RateLockInvalid          Code = "rate_lock_invalid"           // expired or cancelled; ReplacementDetails may name a live one
	RateLockNotFound         Code = "rate_lock_not_found"         // unknown, or another owner's
	RateLockCurrencyMismatch Code = "rate_lock_currency_mismatch" // the lock is for another pair
	ClockBehind              Code = "clock_behind"                // this process's clock is far behind what the book has decided
	OutcomeUnknown           Code = "outcome_unknown"             // it is not known whether a commit succeeded
)

// Codes that only Go callers see. The wire shows the reason phrase of their status.
const (
	PairNotOffered     Code = "pair_not_offered"    // 422: the feed does not offer the pair
	PriceUnavailable   Code = "price_unavailable"   // 503: offered, but no live price now
	StorageUnavailable Code = "storage_unavailable" // 503: the store cannot store the change now (full, busy, read-only)
	Closed             Code = "closed"              // 503: used after Close
	Canceled           Code = "canceled"            // 503: the caller's context was cancelled
	CorruptRecord      Code = "corrupt_record"      // 500: the store returned an impossible record
	Configuration      Code = "configuration"       // 500: a bad value was passed to a constructor, or a provider rejects the credentials
	MalformedAnswer    Code = "malformed_answer"    // 503: a provider's answer does not match its documentation
	KeyUnknown         Code = "key_unknown"         // 500: data is sealed with a key that is not configured
)

// Codes of the Exchange envelope (SPEC 7.4). DuplicateReference has an envelope of
// its own (7.3).
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

// Row describes a code.
type Row struct {
	Code   Code
	Status int    // HTTP status
	Shown  bool   // whether the flat envelope's error field shows the code; otherwise it shows the reason phrase
	Text   string // default message, for logs and display
}

// Info returns the row of code. For an unknown code it returns the row of
// [Internal] with Code set to code.
func Info(code Code) Row {
	if row, ok := byCode[code]; ok {
		return row
	}
	row := byCode[Internal]
	row.Code = code
	return row
}

// All returns the rows of all codes, in the order of the table.
func All() []Row { return append([]Row(nil), table...) }

// DefaultFor returns the generic code of an HTTP status, for answers that carry no
// machine code. For a status outside the table it returns [InvalidRequest] if the
// status is a 4xx, and [Internal] otherwise.
func DefaultFor(status int) Code {
	if s, ok := statuses[status]; ok {
		return s.code
	}
	if status/100 == 4 {
		return InvalidRequest
	}
	return Internal
}

// Phrase returns the reason phrase of a status in the table, as
// [net/http.StatusText] does, and "" for any other status.
func Phrase(status int) string { return statuses[status].phrase }
