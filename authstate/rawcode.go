package authstate

import (
	"encoding/json"
	"strings"

	"github.com/corridor-go/corridor/errcodes"
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
	case len(data) >= 2 && data[0] == '"':
		text, err := unquoted(string(data[1 : len(data)-1]))
		if err != nil {
			return err
		}
		*c = RawCode(text)
	case len(data) > 0 && (data[0] == '-' || data[0] >= '0' && data[0] <= '9'):
		*c = RawCode(data)
	default:
		return errcodes.New(errcodes.InvalidRequest, "A raw code must be a JSON number or string")
	}
	return nil
}

// unquoted resolves the escapes of a JSON string and leaves all other bytes as
// they are, where the decoder would replace those that are no UTF-8.
func unquoted(s string) (string, error) {
	var b strings.Builder
	for {
		plain, rest, escaped := strings.Cut(s, `\`)
		b.WriteString(plain)
		if !escaped {
			return b.String(), nil
		}
		run := escapes(rest)
		var text string
		if err := json.Unmarshal([]byte(`"\`+rest[:run]+`"`), &text); err != nil {
			return "", errcodes.Wrap(errcodes.InvalidRequest, "A raw code must be a JSON number or string", err)
		}
		b.WriteString(text)
		s = rest[run:]
	}
}

// escapes gives the length of an escape whose backslash is gone: of both where
// they are a pair of surrogates.
func escapes(rest string) int {
	n := escape(rest)
	if second, ok := strings.CutPrefix(rest[n:], `\`); ok && surrogate(rest, "89abAB") && surrogate(second, "cdefCDEF") {
		n += 1 + escape(second)
	}
	return n
}

// surrogate reports whether an escape is uDx.., x being one of the digits.
func surrogate(rest, digits string) bool {
	return len(rest) >= 5 && rest[0] == 'u' && (rest[1] == 'd' || rest[1] == 'D') && strings.IndexByte(digits, rest[2]) >= 0
}

func escape(rest string) int {
	if strings.HasPrefix(rest, "u") {
		return min(5, len(rest))
	}
	return min(1, len(rest))
}
