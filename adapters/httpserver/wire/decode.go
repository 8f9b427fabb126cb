package wire

import (
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// DecodeLock decodes the body of SPEC 4.2. It returns [errcodes.InvalidRequest] unless
// the body is a JSON object whose base and quote are strings and not repeated. A
// missing field is empty; the domain checks currencies.
func DecodeLock(body []byte) (ports.Pair, error) {
	var pair ports.Pair
	err := decodeStrings(body, []field{{name: "base", into: &pair.Base}, {name: "quote", into: &pair.Quote}})
	if err != nil {
		return ports.Pair{}, err
	}
	return pair, nil
}

// DecodeToken decodes the body of SPEC 2.1. It returns [errcodes.TokenInvalidBody]
// unless the body is a JSON object whose fields are strings and not repeated, and then
// [errcodes.TokenMissingCredentials] if a field is missing or empty.
func DecodeToken(body []byte) (clientID, clientSecret string, err error) {
	err = decodeStrings(body, []field{{name: "client_id", into: &clientID}, {name: "client_secret", into: &clientSecret}})
	if err != nil {
		return "", "", errcodes.Wrap(errcodes.TokenInvalidBody, "", err)
	}
	if clientID == "" || clientSecret == "" {
		return "", "", errcodes.New(errcodes.TokenMissingCredentials, "")
	}
	return clientID, clientSecret, nil
}

// Revocation is the decoded body of the revocation of a token. The credentials are
// empty if it has none.
type Revocation struct{ Token, ClientID, ClientSecret string }

// DecodeRevocation decodes the body of the revocation route. It returns
// [errcodes.TokenInvalidBody] unless the body is a JSON object whose fields are strings
// or null and not repeated, or if token is missing or empty.
func DecodeRevocation(body []byte) (Revocation, error) {
	var r Revocation
	err := decodeStrings(body, []field{
		{name: "token", into: &r.Token, optional: true},
		{name: "client_id", into: &r.ClientID, optional: true},
		{name: "client_secret", into: &r.ClientSecret, optional: true},
	})
	if err != nil {
		return Revocation{}, errcodes.Wrap(errcodes.TokenInvalidBody, "", err)
	}
	if r.Token == "" {
		return Revocation{}, errcodes.New(errcodes.TokenInvalidBody, "token is required")
	}
	return r, nil
}

// Validation is the decoded body of an account validation (SPEC 2.7), not checked yet.
type Validation struct {
	MerchantID, Country, AccountType, AccountIdentifier, BankCode, AccountHolderName string
}

// DecodeValidation decodes the body of SPEC 4.7. It returns [errcodes.InvalidRequest]
// unless the body is a JSON object whose fields are strings and not repeated; bankCode
// and accountHolderName may be null. A missing field is empty; the domain checks what
// is required.
func DecodeValidation(body []byte) (Validation, error) {
	var v Validation
	err := decodeStrings(body, []field{
		{name: "merchantId", into: &v.MerchantID},
		{name: "country", into: &v.Country},
		{name: "accountType", into: &v.AccountType},
		{name: "accountIdentifier", into: &v.AccountIdentifier},
		{name: "bankCode", into: &v.BankCode, optional: true},
		{name: "accountHolderName", into: &v.AccountHolderName, optional: true},
	})
	if err != nil {
		return Validation{}, err
	}
	return v, nil
}

// Failure is one raw failure to normalise.
type Failure struct {
	Scheme, Direction, Code, Message, State string
}

// DecodeFailure decodes one line of raw failures: an object of strings, whose code may
// also be a number, of which it keeps the text. All fields may be missing or null. It
// returns [errcodes.InvalidRequest] if the line is not a JSON object, or a field has
// another type or is repeated. Bytes that are not UTF-8 are accepted unchanged, since
// providers send them.
func DecodeFailure(line []byte) (Failure, error) {
	var f Failure
	err := decodeFields("line", line, []field{
		{name: "scheme", into: &f.Scheme, optional: true},
		{name: "direction", into: &f.Direction, optional: true},
		{name: "code", into: &f.Code, optional: true, number: true},
		{name: "message", into: &f.Message, optional: true},
		{name: "state", into: &f.State, optional: true},
	})
	if err != nil {
		return Failure{}, err
	}
	return f, nil
}
