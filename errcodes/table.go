package errcodes

// table lists the generic codes, then those of SPEC 5.3, 7.3 and 7.4.
var table = []Row{
	{InvalidRequest, 400, false, "The request is malformed or invalid"},
	{Unauthorized, 401, false, "Unauthorized"},
	{Forbidden, 403, false, "Not permitted"},
	{NotFound, 404, false, "Not found"},
	{MethodNotAllowed, 405, false, "Method not allowed"},
	{Conflict, 409, false, "The resource's state does not allow this"},
	{PayloadTooLarge, 413, false, "The request body is too large"},
	{Unprocessable, 422, false, "The request was rejected by a business rule"},
	{TooManyRequests, 429, false, "Too many requests"},
	{Internal, 500, false, "An unknown error occurred"},
	{Unavailable, 503, false, "Temporarily unavailable"},
	{DeadlineExceeded, 504, false, "The request took too long"},

	{TokenInvalidBody, 400, false, "Invalid request body"},
	{TokenMissingCredentials, 400, false, "client_id and client_secret are required"},
	{TokenInvalidCredentials, 401, false, "Invalid client credentials"},

	{FXNotEnabled, 422, true, "Exchange rates are not enabled for this account"},
	{RateLockInvalid, 422, true, "The rate lock is no longer valid"},
	{RateLockNotFound, 422, true, "The rate lock does not exist"},
	{RateLockCurrencyMismatch, 422, true, "The rate lock is for another currency pair"},
	{ClockBehind, 503, true, "The service's clock is behind; retry later"},
	{OutcomeUnknown, 500, true, "The outcome of the change is unknown; read it back before trying again"},

	{PairNotOffered, 422, false, "The currency pair is not offered"},
	{PriceUnavailable, 503, false, "Rates for the pair are temporarily unavailable"},
	{StorageUnavailable, 503, false, "The change could not be stored; retry later"},
	{Closed, 503, false, "The service is shutting down"},
	{Canceled, 503, false, "The request was cancelled"},
	{CorruptRecord, 500, false, "A stored record is damaged"},
	{Configuration, 500, false, "The service is misconfigured"},
	{MalformedAnswer, 503, false, "A provider's answer could not be read"},
	{KeyUnknown, 500, false, "The key of sealed data is not configured"},

	{ExchangeInvalidRequest, 400, true, "The request failed validation"},
	{ExchangeInvalidCursor, 400, true, "The cursor is malformed or no longer valid; restart from the first page"},
	{ExchangeUnauthenticated, 401, true, "The Authorization header is missing, malformed or expired"},
	{ExchangeForbidden, 403, true, "Not permitted"},
	{ExchangeCurrencyNotSupported, 400, true, "The currency is not traded"},
	{ExchangeCurrencyNotProvisioned, 403, true, "The currency is not enabled on the account"},
	{ExchangeCurrencyMismatch, 422, true, "The currencies of the request do not line up"},
	{ExchangeRateNotAvailable, 404, true, "No live rate for the pair"},
	{ExchangeRateNotFound, 404, true, "No recorded rate matches"},
	{ExchangeQuoteNotFound, 404, true, "The quote does not exist"},
	{ExchangeQuoteExpired, 409, true, "The quote has expired"},
	{ExchangeQuoteNotExecutable, 422, true, "The quote cannot be executed by this caller"},
	{ExchangeOrderNotFound, 404, true, "The order does not exist"},
	{ExchangeOrderNotCancellable, 409, true, "The order can no longer be cancelled"},
	{ExchangeInsufficientBalance, 422, true, "The balance is below the requested amount"},
	{ExchangeAmountOutOfRange, 422, true, "The amount is out of range"},
	{ExchangeBeneficiaryNotFound, 404, true, "The beneficiary does not exist"},
	{ExchangeBeneficiaryNotActive, 422, true, "The beneficiary is not active"},
	{ExchangeDepositNotFound, 404, true, "The deposit does not exist"},
	{ExchangeWithdrawalNotFound, 404, true, "The withdrawal does not exist"},
	{ExchangeWithdrawalNotCancelable, 409, true, "The withdrawal was already sent"},
	{ExchangeIdempotencyConflict, 409, true, "The idempotency key was used with a different request body"},
	{DuplicateReference, 409, true, "The merchant reference was already used"},
}

// statuses maps each status in the table to its generic code and its reason
// phrase (RFC 9110 §15). The phrases are repeated here to avoid linking net/http.
var statuses = map[int]struct {
	code   Code
	phrase string
}{
	400: {InvalidRequest, "Bad Request"},
	401: {Unauthorized, "Unauthorized"},
	403: {Forbidden, "Forbidden"},
	404: {NotFound, "Not Found"},
	405: {MethodNotAllowed, "Method Not Allowed"},
	409: {Conflict, "Conflict"},
	413: {PayloadTooLarge, "Request Entity Too Large"},
	422: {Unprocessable, "Unprocessable Entity"},
	429: {TooManyRequests, "Too Many Requests"},
	500: {Internal, "Internal Server Error"},
	503: {Unavailable, "Service Unavailable"},
	504: {DeadlineExceeded, "Gateway Timeout"},
}

var byCode = index(table, func(row Row) Code { return row.Code })

func index[K comparable, V any](rows []V, key func(V) K) map[K]V {
	m := make(map[K]V, len(rows))
	for _, row := range rows {
		m[key(row)] = row
	}
	return m
}
