package wire

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// AppendRateLock appends the RateLock of SPEC 2.3 to dst: exactly its fields, in its
// order. Only a cancelled lock has a cancellationReason. Times are UTC, cut to the
// millisecond.
func AppendRateLock(dst []byte, l *ports.RateLock) []byte {
	dst = appendField(dst, `{"rateLockId":`, l.ID)
	dst = appendField(dst, `,"status":`, string(l.Status))
	dst = appendField(dst, `,"base":`, l.Base)
	dst = appendField(dst, `,"quote":`, l.Quote)
	dst = appendField(dst, `,"midRate":`, l.MidRate)
	dst = strconv.AppendInt(append(dst, `,"markupBps":`...), int64(l.MarkupBps), 10)
	dst = appendField(dst, `,"allInRate":`, l.AllInRate)
	dst = appendTime(dst, `,"createdAt":"`, l.CreatedAt)
	dst = appendTime(dst, `,"expiresAt":"`, l.ExpiresAt)
	if l.Status == ports.LockCancelled {
		dst = appendField(dst, `,"cancellationReason":`, string(l.CancellationReason))
	}
	return append(dst, '}')
}

// AppendValidation appends the account validation result of SPEC 2.8 to dst: exactly
// its fields, in its order, without empty ones.
func AppendValidation(dst []byte, v *ports.Validation) []byte {
	dst = appendField(dst, `{"id":`, v.ID)
	dst = appendField(dst, `,"status":`, string(v.Status))
	dst = appendField(dst, `,"provider":`, v.Provider)
	if v.HolderName != "" {
		dst = appendField(dst, `,"accountHolderName":`, v.HolderName)
	}
	if v.Type != "" {
		dst = appendField(dst, `,"validationType":`, string(v.Type))
	}
	if !v.ExpiresAt.IsZero() {
		dst = appendTime(dst, `,"expiresAt":"`, v.ExpiresAt)
	}
	if v.FailureReason != "" {
		dst = appendField(dst, `,"failureReason":`, v.FailureReason)
	}
	return append(dst, '}')
}

// AppendTransaction appends the transaction of SPEC 2.9 to dst: the JSON of
// authstate.View.
func AppendTransaction(dst []byte, t *ports.Transaction) []byte {
	dst = appendField(dst, `{"transactionId":`, t.ID)
	dst = appendField(dst, `,"status":`, string(t.Status))
	if state, failed := t.AuthState(); failed {
		dst = AppendAuthState(append(dst, `,"authState":`...), &state)
	}
	return append(dst, '}')
}

// AppendAuthState appends the authState of SPEC 2.9 to dst: exactly its fields, in its
// order, without empty optional ones.
func AppendAuthState(dst []byte, a *ports.AuthState) []byte {
	dst = appendField(dst, `{"state":`, string(a.State))
	dst = appendField(dst, `,"message":`, a.Message)
	dst = appendOptional(dst, `,"code":`, string(a.Code))
	dst = appendOptional(dst, `,"connectorFailureCode":`, a.ConnectorFailureCode)
	dst = appendOptional(dst, `,"connectorFailureMessage":`, a.ConnectorFailureMessage)
	dst = appendTime(dst, `,"transitionedAt":"`, a.TransitionedAt)
	return append(dst, '}')
}

// AppendNoFailure appends the meaning of a raw code that is not a failure.
func AppendNoFailure(dst []byte, outcome, code string) []byte {
	dst = appendField(dst, `{"outcome":`, outcome)
	dst = appendOptional(dst, `,"connectorFailureCode":`, code)
	return append(dst, '}')
}

// AppendLineError appends the error of a line that cannot be parsed. Lines count from
// 1.
func AppendLineError(dst []byte, err error, line int) []byte {
	dst = appendField(dst, `{"error":`, string(errcodes.Of(err)))
	dst = appendField(dst, `,"message":`, errcodes.MessageOf(err))
	dst = strconv.AppendInt(append(dst, `,"line":`...), int64(line), 10)
	return append(dst, '}')
}

// AppendToken appends the token response of SPEC 2.2 to dst. expires_in is in seconds.
func AppendToken(dst []byte, token string, expiresIn time.Duration) []byte {
	dst = appendField(dst, `{"access_token":`, token)
	dst = append(dst, `,"token_type":"Bearer","expires_in":`...)
	dst = strconv.AppendFloat(dst, expiresIn.Seconds(), 'f', -1, 64)
	return append(dst, '}')
}

func appendField(dst []byte, lead, value string) []byte {
	return appendString(append(dst, lead...), value)
}

func appendOptional(dst []byte, lead, value string) []byte {
	if value == "" {
		return dst
	}
	return appendField(dst, lead, value)
}

func appendTime(dst []byte, lead string, t time.Time) []byte {
	t = t.UTC()
	dst = t.AppendFormat(append(dst, lead...), time.RFC3339) // the layout that package time formats fastest
	ms := t.Nanosecond() / int(time.Millisecond)
	return append(dst[:len(dst)-1], '.', '0'+byte(ms/100), '0'+byte(ms/10%10), '0'+byte(ms%10), 'Z', '"')
}

// appendString appends s as a JSON string. Each byte that is not UTF-8 becomes U+FFFD.
func appendString(dst []byte, s string) []byte {
	if plain(s) {
		dst = append(dst, '"')
		dst = append(dst, s...)
		return append(dst, '"')
	}
	quoted, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always marshals
	}
	return append(dst, quoted...)
}

// plain reports whether s needs no escapes in JSON.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
