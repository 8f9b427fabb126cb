package errcodes_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
)

// The table of SPEC 7.4.
var exchangeStatus = map[errcodes.Code]int{
	"INVALID_REQUEST": 400, "INVALID_CURSOR": 400, "UNAUTHENTICATED": 401, "FORBIDDEN": 403,
	"CURRENCY_NOT_SUPPORTED": 400, "CURRENCY_NOT_PROVISIONED": 403, "CURRENCY_MISMATCH": 422,
	"RATE_NOT_AVAILABLE": 404, "RATE_NOT_FOUND": 404, "QUOTE_NOT_FOUND": 404, "QUOTE_EXPIRED": 409,
	"QUOTE_NOT_EXECUTABLE": 422, "ORDER_NOT_FOUND": 404, "ORDER_NOT_CANCELLABLE": 409,
	"INSUFFICIENT_BALANCE": 422, "AMOUNT_OUT_OF_RANGE": 422, "BENEFICIARY_NOT_FOUND": 404,
	"BENEFICIARY_NOT_ACTIVE": 422, "DEPOSIT_NOT_FOUND": 404, "WITHDRAWAL_NOT_FOUND": 404,
	"WITHDRAWAL_NOT_CANCELLABLE": 409, "IDEMPOTENCY_CONFLICT": 409, "DUPLICATE_REFERENCE": 409,
}

// The codes of SPEC 7.3 and our own two, with the statuses that we chose.
var flatStatus = map[errcodes.Code]int{
	"fx_not_enabled": 422, "rate_lock_invalid": 422, "rate_lock_not_found": 422, "rate_lock_currency_mismatch": 422,
	"clock_behind": 503, "outcome_unknown": 500,
}

// The other codes, with the statuses in the comments of their constants.
var plainStatus = map[errcodes.Code]int{
	"invalid_request": 400, "unauthorized": 401, "forbidden": 403, "not_found": 404, "method_not_allowed": 405, "conflict": 409,
	"payload_too_large": 413, "unprocessable": 422, "too_many_requests": 429, "internal": 500, "unavailable": 503, "deadline_exceeded": 504,
	"token_invalid_body": 400, "token_missing_credentials": 400, "token_invalid_credentials": 401,
	"pair_not_offered": 422, "price_unavailable": 503, "storage_unavailable": 503, "closed": 503, "canceled": 503,
	"corrupt_record": 500, "configuration": 500, "malformed_answer": 503, "key_unknown": 500,
}

func TestEveryCodeHasOneStatus(t *testing.T) {
	seen := map[errcodes.Code]int{}
	shown := 0
	for _, row := range errcodes.All() {
		require.NotContains(t, seen, row.Code, "listed twice")
		seen[row.Code] = row.Status
		require.Equal(t, http.StatusText(row.Status), errcodes.Phrase(row.Status), row.Code)
		require.NotEmpty(t, row.Text, row.Code)
		require.Equal(t, row, errcodes.Info(row.Code))
		if row.Shown {
			shown++
		}
	}
	require.Equal(t, len(exchangeStatus)+len(flatStatus), shown, "only the codes of SPEC 7.3 and 7.4 and two of ours are shown")
	for _, want := range []map[errcodes.Code]int{exchangeStatus, flatStatus, plainStatus} {
		for code, status := range want {
			require.Equal(t, status, seen[code], code)
			require.Equal(t, plainStatus[code] == 0, errcodes.Info(code).Shown, code)
		}
	}
}

func TestAnExchangeCodeIsShownUnchanged(t *testing.T) {
	for code := range exchangeStatus {
		require.Equal(t, code, errcodes.ExchangeOf(errcodes.New(code, "")).Error.Code)
	}
}

// A constant without a row would count as a 500.
func TestEveryCodeIsInTheTable(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "code.go", nil, 0)
	require.NoError(t, err)
	var declared, listed []string
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			require.NoError(t, err)
			declared = append(declared, code)
		}
		return true
	})
	for _, row := range errcodes.All() {
		listed = append(listed, string(row.Code))
	}
	require.ElementsMatch(t, declared, listed)
	errcodes.All()[0].Status = 0
	require.NotZero(t, errcodes.All()[0].Status, "All returns a copy")
}

func TestEveryStatusHasADefaultCodeOfThatStatus(t *testing.T) {
	for _, row := range errcodes.All() {
		require.Equal(t, row.Status, errcodes.Info(errcodes.DefaultFor(row.Status)).Status, row.Code)
	}
	for _, generic := range []errcodes.Code{
		errcodes.InvalidRequest, errcodes.Unauthorized, errcodes.Forbidden, errcodes.NotFound, errcodes.MethodNotAllowed, errcodes.Conflict, errcodes.PayloadTooLarge,
		errcodes.Unprocessable, errcodes.TooManyRequests, errcodes.Internal, errcodes.Unavailable, errcodes.DeadlineExceeded,
	} {
		require.Equal(t, generic, errcodes.DefaultFor(plainStatus[generic]))
	}
	require.Equal(t, errcodes.InvalidRequest, errcodes.DefaultFor(418))
	require.Equal(t, errcodes.InvalidRequest, errcodes.DefaultFor(499))
	require.Equal(t, errcodes.Internal, errcodes.DefaultFor(399))
	require.Equal(t, errcodes.Internal, errcodes.DefaultFor(502))
	require.Equal(t, errcodes.Internal, errcodes.DefaultFor(302))
}

// SPEC 7.1.
func TestTheStatusDecidesTheCategory(t *testing.T) {
	known := map[int]errcodes.Category{
		401: {Name: "auth", Then: "re-authenticate"},
		403: {Name: "auth", Then: "ask for the permission"},
		404: {Name: "client error", Then: "correct the address or id"},
		409: {Name: "state", Then: "re-fetch the state"},
		422: {Name: "business rule", Then: "adjust the request"},
		429: {Name: "throttling", Retry: true},
	}
	for status := 200; status < 600; status++ {
		want, ok := known[status]
		switch {
		case ok || status < 400:
		case status < 500:
			want = errcodes.Category{Name: "client error", Then: "correct the request"}
		default:
			want = errcodes.Category{Name: "server", Retry: true}
		}
		require.Equal(t, want, errcodes.CategoryOf(status), status)
	}
}

func TestOf(t *testing.T) {
	inner := errcodes.New(errcodes.NotFound, "")
	for _, c := range []struct {
		name string
		err  error
		want errcodes.Code
	}{
		{"no error has no code", nil, ""},
		{"a coded error", inner, errcodes.NotFound},
		{"a coded error wrapped in another error", fmt.Errorf("reading: %w", inner), errcodes.NotFound},
		{"the outermost code counts", errcodes.Wrap(errcodes.Conflict, "", inner), errcodes.Conflict},
		{"a bare code", fmt.Errorf("x: %w", errcodes.Forbidden), errcodes.Forbidden},
		{"a cancelled context", fmt.Errorf("x: %w", context.Canceled), errcodes.Canceled},
		{"a deadline", context.DeadlineExceeded, errcodes.DeadlineExceeded},
		{"an error without a code", io.EOF, errcodes.Internal},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, errcodes.Of(c.err)) })
	}
}

func TestErrorsIsAndAs(t *testing.T) {
	err := fmt.Errorf("withdraw: %w", errcodes.Wrap(errcodes.ExchangeInsufficientBalance, "", io.ErrUnexpectedEOF).
		WithDetails(errcodes.BalanceDetails{Available: "1.00", Required: "2.00"}))
	require.ErrorIs(t, err, errcodes.ExchangeInsufficientBalance)
	require.NotErrorIs(t, err, errcodes.ExchangeAmountOutOfRange)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	var balance errcodes.BalanceDetails
	require.ErrorAs(t, err, &balance)
	require.Equal(t, "2.00", balance.Required)
	var amount errcodes.RangeDetails
	require.NotErrorAs(t, err, &amount)
	require.NotErrorAs(t, errcodes.New(errcodes.NotFound, ""), &amount, "an error without details")
	var coded *errcodes.Error
	require.ErrorAs(t, err, &coded)
	require.Equal(t, balance, coded.Details())
}

func TestDetailsAreFoundByTheirType(t *testing.T) {
	for text, details := range map[string]errcodes.Details{
		"balance details": errcodes.BalanceDetails{Available: "1"}, "range details": errcodes.RangeDetails{Min: "1"},
		"field details":               errcodes.FieldDetails{Fields: []errcodes.Field{{Name: "base", Reason: "missing"}}},
		"duplicate reference details": errcodes.DuplicateReferenceDetails{ExistingSessionID: "cs_1"},
		"replacement details":         errcodes.ReplacementDetails{RateLockID: "rl_1"},
	} {
		require.EqualError(t, details, text)
		found := reflect.New(reflect.TypeOf(details))
		require.ErrorAs(t, errcodes.New(errcodes.Conflict, "").WithDetails(details), found.Interface())
		require.Equal(t, details, found.Elem().Interface())
	}
}

func TestTheTextOfAnErrorWithoutACodeIsNotShown(t *testing.T) {
	err := errors.New("dial 10.0.0.7: password secret")
	for _, body := range []any{errcodes.FlatOf(err), errcodes.TokenOf(err), errcodes.ExchangeOf(err)} {
		require.NotContains(t, toJSON(t, body), "secret")
	}
	wrapped := errcodes.Wrap(errcodes.Unavailable, "", err)
	require.NotContains(t, toJSON(t, errcodes.FlatOf(wrapped)), "secret")
	require.Contains(t, wrapped.Error(), "secret", "logs see the cause")
}

func TestWithDetailsAndWithRetryAfterReturnCopies(t *testing.T) {
	plain := errcodes.New(errcodes.TooManyRequests, "slow down")
	later := plain.WithRetryAfter(3 * time.Second).WithDetails(errcodes.RangeDetails{Max: "5"})
	require.Zero(t, errcodes.RetryAfterOf(plain))
	require.Nil(t, plain.Details())
	require.Equal(t, 3*time.Second, errcodes.RetryAfterOf(fmt.Errorf("x: %w", later)))
	require.Zero(t, errcodes.RetryAfterOf(io.EOF))
}

func TestEnvelopes(t *testing.T) {
	duplicate := errcodes.New(errcodes.DuplicateReference, "used").
		WithDetails(errcodes.DuplicateReferenceDetails{ExistingSessionID: "cs_1"})
	for _, c := range []struct{ name, got, want string }{
		{
			"a flat body shows the reason phrase", toJSON(t, errcodes.FlatOf(errcodes.New(errcodes.PairNotOffered, ""))),
			`{"message":"The currency pair is not offered","error":"Unprocessable Entity","statusCode":422}`,
		},
		{
			"a flat body shows a machine code", toJSON(t, errcodes.FlatOf(errcodes.New(errcodes.RateLockInvalid, "expired"))),
			`{"message":"expired","error":"rate_lock_invalid","statusCode":422}`,
		},
		{
			"an Exchange body with details", toJSON(t, errcodes.ExchangeOf(errcodes.New(errcodes.ExchangeAmountOutOfRange, "m").
				WithDetails(errcodes.RangeDetails{Min: "1.00", Max: "9.00"}))),
			`{"error":{"code":"AMOUNT_OUT_OF_RANGE","message":"m","details":{"min":"1.00","max":"9.00"}}}`,
		},
		{
			"an Exchange body for a generic code", toJSON(t, errcodes.ExchangeOf(errcodes.New(errcodes.InvalidRequest, "m").
				WithDetails(errcodes.FieldDetails{Fields: []errcodes.Field{{Name: "base", Reason: "missing"}}}))),
			`{"error":{"code":"INVALID_REQUEST","message":"m","details":{"fields":[{"field":"base","reason":"missing"}]}}}`,
		},
		{"an Exchange body for a 401", toJSON(t, errcodes.ExchangeOf(errcodes.Unauthorized)), `{"error":{"code":"UNAUTHENTICATED","message":"Unauthorized"}}`},
		{"an Exchange body for a 403", toJSON(t, errcodes.ExchangeOf(errcodes.Forbidden)), `{"error":{"code":"FORBIDDEN","message":"Not permitted"}}`},
		{"an Exchange body for a server problem", toJSON(t, errcodes.ExchangeOf(io.EOF)), `{"error":{"code":"INTERNAL","message":"An unknown error occurred"}}`},
		{"the gateway's body", toJSON(t, errcodes.GatewayUnauthorized), `{"message":"Unauthorized"}`},
		{"the token route: a bad body", toJSON(t, errcodes.TokenOf(errcodes.New(errcodes.TokenInvalidBody, ""))), `{"error":"Invalid request body"}`},
		{"the token route: a missing field", toJSON(t, errcodes.TokenOf(errcodes.New(errcodes.TokenMissingCredentials, ""))), `{"error":"client_id and client_secret are required"}`},
		{"the token route: wrong credentials", toJSON(t, errcodes.TokenOf(errcodes.New(errcodes.TokenInvalidCredentials, ""))), `{"error":"Invalid client credentials"}`},
		{"the token route: an error without a code", toJSON(t, errcodes.TokenOf(io.EOF)), `{"error":"An unknown error occurred"}`},
		{"the token route: a server problem with a code", toJSON(t, errcodes.TokenOf(errcodes.New(errcodes.Configuration, "no key"))), `{"error":"An unknown error occurred"}`},
		{"the token route: an outage", toJSON(t, errcodes.TokenOf(errcodes.New(errcodes.StorageUnavailable, "disk full"))), `{"error":"Authentication service unavailable"}`},
		{"a duplicate reference", duplicateBody(t, duplicate), `{"code":"DUPLICATE_REFERENCE","message":"used","existingSessionId":"cs_1"}`},
	} {
		t.Run(c.name, func(t *testing.T) { require.JSONEq(t, c.want, c.got); require.Equal(t, c.want, c.got) })
	}
	_, ok := errcodes.DuplicateReferenceOf(io.EOF)
	require.False(t, ok)
}

func duplicateBody(t *testing.T, err error) string {
	t.Helper()
	body, ok := errcodes.DuplicateReferenceOf(err)
	require.True(t, ok)
	return toJSON(t, body)
}

func toJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

func TestAnUnknownCodeCountsAsInternal(t *testing.T) {
	err := errcodes.New("made_up", "m")
	require.Equal(t, 500, errcodes.StatusOf(err))
	require.Equal(t, errcodes.Code("made_up"), errcodes.Of(err))
	require.Equal(t, errcodes.Row{Code: "made_up", Status: 500, Text: "An unknown error occurred"}, errcodes.Info("made_up"))
	require.Equal(t, "Internal Server Error", errcodes.FlatOf(err).Error)
	require.Equal(t, 200, errcodes.StatusOf(nil))
}

func ExampleNew() {
	err := errcodes.New(errcodes.RateLockInvalid, "The rate lock has expired").
		WithDetails(errcodes.ReplacementDetails{RateLockID: "rl_2"})

	var live errcodes.ReplacementDetails
	fmt.Println(errcodes.Of(err), errcodes.StatusOf(err), errors.As(err, &live), live.RateLockID)
	// Output: rate_lock_invalid 422 true rl_2
}

func ExampleWrap() {
	err := errcodes.Wrap(errcodes.PriceUnavailable, "", io.ErrUnexpectedEOF)
	fmt.Println(errcodes.MessageOf(err))
	fmt.Println(err)
	// Output:
	// Rates for the pair are temporarily unavailable
	// price_unavailable: Rates for the pair are temporarily unavailable: unexpected EOF
}

func TestCodedAgreesWithOf(t *testing.T) {
	bare := errors.New("disk on fire")
	for _, err := range []error{
		bare, context.Canceled, context.DeadlineExceeded, fmt.Errorf("reading: %w", context.Canceled),
		errcodes.NotFound, errcodes.New(errcodes.Conflict, ""), errors.Join(bare, errcodes.New(errcodes.Conflict, "")),
	} {
		coded := errcodes.Coded(err)
		require.ErrorIs(t, coded, errcodes.Of(err))
		require.Equal(t, errcodes.Of(err), errcodes.Of(coded))
		require.ErrorIs(t, coded, err)
	}
	require.NoError(t, errcodes.Coded(nil))
	known := errcodes.New(errcodes.Conflict, "taken")
	require.Same(t, known, errcodes.Coded(known))
}
