package errcodes

import (
	"errors"
	"strings"
)

// Token is the body of every error of the token route: one field (SPEC 5.3).
type Token struct {
	Error string `json:"error"`
}

// Flat is the error body of most families (SPEC 7.3).
type Flat struct {
	Message    string `json:"message"`
	Error      string `json:"error"`
	StatusCode int    `json:"statusCode"`
}

// Exchange is the error body of the Exchange family (SPEC 7.4).
type Exchange struct {
	Error ExchangeError `json:"error"`
}

// ExchangeError is the inner object of [Exchange].
type ExchangeError struct {
	Code    Code    `json:"code"`
	Message string  `json:"message"`
	Details Details `json:"details,omitempty"`
}

// DuplicateReferenceBody is the body of the 409 with which session creation
// rejects a merchant reference that was used before (SPEC 7.3). It has neither
// error nor statusCode.
type DuplicateReferenceBody struct {
	Code              Code   `json:"code"`
	Message           string `json:"message"`
	ExistingSessionID string `json:"existingSessionId"`
}

// Gateway is the body of a 401 outside the token route (SPEC 5.2).
type Gateway struct {
	Message string `json:"message"`
}

// GatewayUnauthorized is the only Gateway that is ever sent.
var GatewayUnauthorized = Gateway{Message: "Unauthorized"}

// StatusOf returns the HTTP status of err, and 200 for nil.
func StatusOf(err error) int {
	if err == nil {
		return 200
	}
	return Info(Of(err)).Status
}

// TokenOf returns the token route's body for err. The text of a 5xx is fixed.
func TokenOf(err error) Token {
	switch {
	case StatusOf(err) == 503:
		return Token{"Authentication service unavailable"}
	case StatusOf(err) >= 500:
		return Token{Info(Internal).Text}
	default:
		return Token{MessageOf(err)}
	}
}

// FlatOf returns the flat body for err.
func FlatOf(err error) Flat {
	row := Info(Of(err))
	f := Flat{Message: MessageOf(err), Error: Phrase(row.Status), StatusCode: row.Status}
	if row.Shown {
		f.Error = string(row.Code)
	}
	return f
}

// ExchangeOf returns the Exchange body for err. A code of another family becomes
// the general Exchange code of its status (400, 401 and 403 have one, SPEC 7.4);
// otherwise it is written in upper case.
func ExchangeOf(err error) Exchange {
	e := ExchangeError{Code: exchangeCode(Of(err)), Message: MessageOf(err)}
	if coded, ok := errors.AsType[*Error](err); ok {
		e.Details = coded.details
	}
	return Exchange{e}
}

func exchangeCode(code Code) Code {
	if strings.ToUpper(string(code)) == string(code) {
		return code
	}
	switch Info(code).Status {
	case 400:
		return ExchangeInvalidRequest
	case 401:
		return ExchangeUnauthenticated
	case 403:
		return ExchangeForbidden
	default:
		return Code(strings.ToUpper(string(code)))
	}
}

// DuplicateReferenceOf returns the session-creation body for err, and reports
// whether err is a [DuplicateReference].
func DuplicateReferenceOf(err error) (DuplicateReferenceBody, bool) {
	if Of(err) != DuplicateReference {
		return DuplicateReferenceBody{}, false
	}
	b := DuplicateReferenceBody{Code: DuplicateReference, Message: MessageOf(err)}
	if d, ok := errors.AsType[DuplicateReferenceDetails](err); ok {
		b.ExistingSessionID = d.ExistingSessionID
	}
	return b, true
}
