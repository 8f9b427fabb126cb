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
	err := decodeStrings(body, []field{{"base", &pair.Base}, {"quote", &pair.Quote}})
	if err != nil {
		return ports.Pair{}, err
	}
	return pair, nil
}

// DecodeToken reads the body of SPEC 2.1. A body that is no JSON object, and a
// field that is no string or stands twice, is [errcodes.TokenInvalidBody]; then
// a field that is missing or empty is [errcodes.TokenMissingCredentials].
func DecodeToken(body []byte) (clientID, clientSecret string, err error) {
	err = decodeStrings(body, []field{{"client_id", &clientID}, {"client_secret", &clientSecret}})
	if err != nil {
		return "", "", errcodes.Wrap(errcodes.TokenInvalidBody, "", err)
	}
	if clientID == "" || clientSecret == "" {
		return "", "", errcodes.New(errcodes.TokenMissingCredentials, "")
	}
	return clientID, clientSecret, nil
}
