package wire

import (
	"strconv"

	"github.com/corridor-go/corridor/errcodes"
)

// AppendFlat appends the flat envelope of err (SPEC 7.3) to dst.
func AppendFlat(dst []byte, err error) []byte {
	f := errcodes.FlatOf(err)
	dst = appendField(dst, `{"message":`, f.Message)
	dst = appendField(dst, `,"error":`, f.Error)
	dst = strconv.AppendInt(append(dst, `,"statusCode":`...), int64(f.StatusCode), 10)
	return append(dst, '}')
}

// AppendTokenError appends the token route's body for err (SPEC 5.3) to dst.
func AppendTokenError(dst []byte, err error) []byte {
	dst = appendField(dst, `{"error":`, errcodes.TokenOf(err).Error)
	return append(dst, '}')
}

// AppendUnauthorized appends the body of a 401 outside the token route (SPEC 5.2) to
// dst.
func AppendUnauthorized(dst []byte) []byte {
	dst = appendField(dst, `{"message":`, errcodes.GatewayUnauthorized.Message)
	return append(dst, '}')
}
