package failures

import (
	"encoding/json"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/jsontext"
)

// RawCode is a provider's code in a struct for decoding JSON. Some providers send the same
// code as a number or as a string (M-Pesa's ResultCode). Both become the exact text: 1032,
// 0.10 and "0032" keep every digit, which a float or an int would not.
type RawCode string

// UnmarshalJSON reads a JSON number or string; null becomes "". For other JSON it returns
// [errcodes.InvalidRequest].
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
