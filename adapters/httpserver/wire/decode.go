package wire

import (
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// DecodeLock reads the body of SPEC 4.2. A body that is no JSON object, and a
// base or quote that is no string or stands twice, is
// [errcodes.InvalidRequest]. A field that is missing comes back empty: what a
// currency is, the domain says.
func DecodeLock(body []byte) (ports.Pair, error) {
	var pair ports.Pair
	err := decodeStrings(body, []field{{name: "base", into: &pair.Base}, {name: "quote", into: &pair.Quote}})
	if err != nil {
		return ports.Pair{}, err
	}
	return pair, nil
}

// DecodeToken reads the body of SPEC 2.1. A body that is no JSON object, and a
// field that is no string or stands twice, is [errcodes.TokenInvalidBody]; then
// a field that is missing or empty is [errcodes.TokenMissingCredentials].
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

// Validation is the body of an account validation (SPEC 2.7), as it came.
type Validation struct {
	MerchantID, Country, AccountType, AccountIdentifier, BankCode, AccountHolderName string
}

// DecodeValidation reads the body of SPEC 4.7. A body that is no JSON object,
// and a field that is no string or stands twice, is [errcodes.InvalidRequest].
// bankCode and accountHolderName may be null. What is missing comes back empty:
// what must be there, the domain says.
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

// Failure is one raw failure to normalise, as it came.
type Failure struct {
	Scheme, Direction, Code, Message, State string
}

// DecodeFailure reads one line of raw failures: an object of strings, where
// code may be a number, whose text it becomes. All fields may be missing or
// null. A line that is no JSON object, and a field of another type or that
// stands twice, is [errcodes.InvalidRequest]. Bytes that are no UTF-8 are taken
// as they are: providers send them.
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
