package failures

import (
	"encoding/json"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/jsontext"
)

// RawCode is a provider's code in a struct that JSON is decoded into. Providers
// send one code as a number here and as a string there (M-Pesa's ResultCode);
// either becomes its exact text: 1032, 0.10 and "0032" keep each digit, where a
// float or an int would not. null is "". Anything else is
// errcodes.InvalidRequest.
type RawCode string

// UnmarshalJSON reads a JSON number or string.
func (c *RawCode) UnmarshalJSON(data []byte) error {
	switch {
	case string(data) == "null":
		*c = ""
	case !json.Valid(data):
		return notACode()
	case data[0] == '"':
		*c = RawCode(jsontext.Unquote(data))
	case data[0] == '-' || data[0] >= '0' && data[0] <= '9':
		*c = RawCode(data)
	default:
		return notACode()
	}
	return nil
}

func notACode() error {
	return errcodes.New(errcodes.InvalidRequest, "A raw code must be a JSON number or string")
}
