package wire_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/httpserver/wire"
	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

var failed = ports.Transaction{
	ID: "tx_1", Owner: "acme", Version: 7, Direction: errcodes.Payin, Status: ports.TransactionFailed,
	Code: errcodes.FailureTimeout, Raw: ports.RawFailure{Code: "1037", Message: "DS timeout"}, Scheme: "mpesa-daraja", Tables: "mpesa-daraja@1",
	CreatedAt: lock.CreatedAt, RespondBy: lock.CreatedAt, EndedAt: lock.ExpiresAt, LateAt: lock.ExpiresAt,
}

func TestAppendTransaction(t *testing.T) {
	t.Run("a failed transaction has exactly the fields of SPEC 2.9", func(t *testing.T) {
		assert.Equal(t, `{"transactionId":"tx_1","status":"FAILED","authState":{"state":"failed","message":"No response came in time",`+
			`"code":"timeout","connectorFailureCode":"1037","connectorFailureMessage":"DS timeout","transitionedAt":"2026-11-21T13:00:00.007Z"}}`,
			string(wire.AppendTransaction(nil, &failed)))
	})
	t.Run("a failure without a provider's code has no raw fields", func(t *testing.T) {
		own := failed
		own.Raw = ports.RawFailure{}
		text := string(wire.AppendTransaction(nil, &own))
		assert.Contains(t, text, `"code":"timeout","transitionedAt"`)
	})
	t.Run("a transaction that has not failed has no authState", func(t *testing.T) {
		for _, status := range []ports.TransactionStatus{ports.TransactionPending, ports.TransactionSucceeded} {
			open := ports.Transaction{ID: "tx_1", Status: status}
			assert.Equal(t, `{"transactionId":"tx_1","status":"`+string(status)+`"}`, string(wire.AppendTransaction(nil, &open)))
		}
	})
	t.Run("it appends to the buffer", func(t *testing.T) {
		assert.Equal(t, "x"+string(wire.AppendTransaction(nil, &failed)), string(wire.AppendTransaction([]byte("x"), &failed)))
	})
}

// anyText draws a provider's text, sometimes of any bytes.
func anyText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
		rapid.SampledFrom([]string{"", "51", "\x00", "a\xffb", "\xed\xa0\x80", "</script>&\u2028", `"\`, "\ufeff", "\ufffd"}),
	)
}

func anyTime() *rapid.Generator[time.Time] {
	return rapid.Custom(func(t *rapid.T) time.Time {
		zone := time.FixedZone("", rapid.IntRange(-14*3600, 14*3600).Draw(t, "offset"))
		return time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanos")).In(zone)
	})
}

func anyCode() *rapid.Generator[errcodes.TransactionCode] {
	codes := []errcodes.TransactionCode{"", "a future code"}
	for _, row := range errcodes.TransactionCodes() {
		codes = append(codes, row.Code)
	}
	return rapid.SampledFrom(codes)
}

// requireSameJSON also requires UTF-8, as JSON does.
func requireSameJSON(t require.TestingT, want, got []byte) {
	require.JSONEq(t, string(want), string(got))
	require.True(t, utf8.Valid(got), "%q", got)
}

// The test compares the hand-written bytes with the types that define the shapes, for
// any text of a provider (I26).
func TestTransactionsAreTheJSONOfPorts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tx := ports.Transaction{
			ID: anyText().Draw(t, "id"), EndedAt: anyTime().Draw(t, "ended"), Code: anyCode().Draw(t, "code"),
			Status: rapid.SampledFrom([]ports.TransactionStatus{
				ports.TransactionPending, ports.TransactionSucceeded, ports.TransactionFailed, ports.TransactionErrored,
			}).Draw(t, "status"),
			Raw: ports.RawFailure{Code: anyText().Draw(t, "raw code"), Message: anyText().Draw(t, "raw message")},
		}
		want, err := json.Marshal(authstate.ViewOf(&tx))
		require.NoError(t, err)
		requireSameJSON(t, want, wire.AppendTransaction(nil, &tx))
	})
}

func TestAuthStatesAreTheJSONOfPorts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		state := ports.AuthState{
			State: rapid.SampledFrom([]errcodes.State{errcodes.StateFailed, errcodes.StateError}).Draw(t, "state"),
			Code:  anyCode().Draw(t, "code"), Message: anyText().Draw(t, "message"),
			ConnectorFailureCode: anyText().Draw(t, "raw code"), ConnectorFailureMessage: anyText().Draw(t, "raw message"),
			TransitionedAt: anyTime().Draw(t, "at"),
		}
		want, err := json.Marshal(state)
		require.NoError(t, err)
		requireSameJSON(t, want, wire.AppendAuthState(nil, &state))
	})
}

func TestAppendNoFailure(t *testing.T) {
	assert.Equal(t, `{"outcome":"success","connectorFailureCode":"00"}`, string(wire.AppendNoFailure(nil, "success", "00")))
	assert.Equal(t, `x{"outcome":"pending"}`, string(wire.AppendNoFailure([]byte("x"), "pending", "")))
	rapid.Check(t, func(t *rapid.T) {
		code := anyText().Draw(t, "code")
		want, err := json.Marshal(struct {
			Outcome string `json:"outcome"`
			Code    string `json:"connectorFailureCode,omitempty"`
		}{"success", code})
		require.NoError(t, err)
		requireSameJSON(t, want, wire.AppendNoFailure(nil, "success", code))
	})
}

func TestAppendLineError(t *testing.T) {
	coded := errcodes.Wrap(errcodes.InvalidRequest, `scheme "must" be`, errors.New("the cause stays inside"))
	assert.Equal(t, `x{"error":"invalid_request","message":"scheme \"must\" be","line":4000000000}`,
		string(wire.AppendLineError([]byte("x"), coded, 4_000_000_000)))
	plain := string(wire.AppendLineError(nil, errors.New("0690000032"), 1))
	assert.NotContains(t, plain, "0690000032")
	assert.True(t, json.Valid([]byte(plain)), plain)
}

func TestDecodeFailure(t *testing.T) {
	whole := wire.Failure{Scheme: "stripe", Direction: "payin", Code: "51", Message: "no funds", State: "failed"}
	for _, c := range []struct {
		name, line string
		want       wire.Failure
		field      string // the field for which the line is rejected
	}{
		{"all fields", `{"scheme":"stripe","direction":"payin","code":"51","message":"no funds","state":"failed"}`, whole, ""},
		{"in another order, with spaces and a CR", " {\t\"state\"\r : \r\"failed\"\r,\r\"message\":\"no funds\" ,\"code\":\"51\",\"direction\":\"payin\",\"scheme\":\"stripe\"}\r", whole, ""},
		{"nothing", `{}`, wire.Failure{}, ""},
		{"all null", `{"scheme":null,"direction":null,"code":null,"message":null,"state":null}`, wire.Failure{}, ""},
		{"unknown members of every type", `{"a":{"code":"1"},"b":["code",{"code":[]}],"c":1e5,"d":null,"e":true,"code":"51"}`, wire.Failure{Code: "51"}, ""},
		{"names are case-sensitive", `{"Code":"51","SCHEME":7}`, wire.Failure{}, ""},
		{"a number", `{"code":51}`, wire.Failure{Code: "51"}, ""},
		{"a number between spaces", `{"code": -0 }`, wire.Failure{Code: "-0"}, ""},
		{"a number keeps all digits", `{"code":0.10}`, wire.Failure{Code: "0.10"}, ""},
		{"a number above the largest float", `{"code":1e400}`, wire.Failure{Code: "1e400"}, ""},
		{"a number of many digits", `{"code":100000000000000000000001}`, wire.Failure{Code: "100000000000000000000001"}, ""},
		{"escapes", `{"code":"\"\\\/\b\f\n\r\t\u0000\u00e9\u20AC\ud83d\uDE00"}`, wire.Failure{Code: "\"\\/\b\f\n\r\t\x00é€😀"}, ""},
		{"a name with an escape", `{"\u0063ode":"51"}`, wire.Failure{Code: "51"}, ""},
		{"half a surrogate pair", `{"code":"\ud83dx","message":"\ude00\ud83d"}`, wire.Failure{Code: "\ufffdx", Message: "\ufffd\ufffd"}, ""},
		{"half a pair before a pair", `{"code":"\ud83d\ud83d\ude00"}`, wire.Failure{Code: "\ufffd😀"}, ""},
		{"half a pair before another escape", `{"code":"\ud83d\n\ud83d\u0041"}`, wire.Failure{Code: "\ufffd\n\ufffdA"}, ""},
		{"I26: bytes that are not UTF-8", "{\"code\":\"a\xffb\",\"message\":\"\xc3\"}", wire.Failure{Code: "a\xffb", Message: "\xc3"}, ""},
		{"I26: bytes that are not UTF-8, with escapes", "{\"code\":\"\xff\\n\xfe\\u0041\xfd\"}", wire.Failure{Code: "\xff\n\xfeA\xfd"}, ""},
		{"a repeated scheme", `{"scheme":"stripe","scheme":"stripe"}`, wire.Failure{}, "scheme"},
		{"a repeated code, once with an escape", `{"code":"51","c\u006fde":"51"}`, wire.Failure{}, "code"},
		{"a repeated code, once null", `{"code":null,"code":"51"}`, wire.Failure{}, "code"},
		{"a code that is a boolean", `{"code":true}`, wire.Failure{}, "code"},
		{"a code that is a list", `{"code":["51"]}`, wire.Failure{}, "code"},
		{"a code that is an object", `{"code":{"code":"51"}}`, wire.Failure{}, "code"},
		{"a scheme that is a number", `{"scheme":1}`, wire.Failure{}, "scheme"},
		{"a direction that is a number", `{"direction":1}`, wire.Failure{}, "direction"},
		{"a message that is a number", `{"message":1}`, wire.Failure{}, "message"},
		{"a state that is a number", `{"state":1}`, wire.Failure{}, "state"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := wire.DecodeFailure([]byte(c.line))
			assert.Equal(t, c.want, got)
			if c.field == "" {
				assert.NoError(t, err)
				return
			}
			assert.Equal(t, errcodes.InvalidRequest, errcodes.Of(err))
			var d errcodes.FieldDetails
			assert.ErrorAs(t, err, &d)
			assert.Equal(t, c.field, d.Fields[0].Name)
			assert.True(t, strings.HasPrefix(errcodes.MessageOf(err), c.field+" must "), err)
		})
	}
	for name, line := range malformed {
		if name == "invalid UTF-8" {
			continue // is accepted unchanged
		}
		f, err := wire.DecodeFailure([]byte(line))
		assert.Equal(t, errcodes.InvalidRequest, errcodes.Of(err), name)
		assert.Equal(t, "The line must be a JSON object", errcodes.MessageOf(err), name)
		assert.Zero(t, f, name)
	}
}

// Lines are read into a shared buffer.
func TestAFailureDoesNotShareTheLine(t *testing.T) {
	line := []byte(`{"scheme":"stripe","direction":"payin","code":"5\u0031","message":"no funds","state":"failed"}`)
	f, err := wire.DecodeFailure(line)
	require.NoError(t, err)
	for i := range line {
		line[i] = 'x'
	}
	assert.Equal(t, wire.Failure{Scheme: "stripe", Direction: "payin", Code: "51", Message: "no funds", State: "failed"}, f)
}

// The time of decoding is linear in the line's length, also for 1 MiB of escapes,
// spaces or nesting: a quadratic time would be hours.
func TestDecodingTakesLinearTime(t *testing.T) {
	const size = 1 << 20
	for name, line := range map[string]string{
		"escapes":       `{"code":"` + strings.Repeat(`\u0041`, size/6) + `"}`,
		"blanks":        `{` + strings.Repeat(" ", size) + `"code":"51"}`,
		"members":       `{` + strings.Repeat(`"x":1,`, size/6) + `"code":"51"}`,
		"a long number": `{"code":` + strings.Repeat("1", size) + `}`,
		"nesting":       `{"x":` + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + `}`,
	} {
		_, err := wire.DecodeFailure([]byte(line))
		require.NoError(t, err, name)
	}
}
