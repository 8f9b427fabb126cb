package failures_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
)

// payload is the body of a webhook.
type payload struct {
	Code failures.RawCode `json:"code"`
}

func decoded(value string) (failures.RawCode, error) {
	p := payload{Code: "what was there before"}
	err := json.Unmarshal([]byte(`{"code": `+value+`}`), &p)
	return p.Code, err
}

func TestARawCodeIsTheExactText(t *testing.T) {
	for name, c := range map[string]struct{ value, want string }{
		"a number":                           {`1032`, "1032"},
		"zero":                               {`0`, "0"},
		"minus zero":                         {`-0`, "-0"},
		"a negative number":                  {`-1`, "-1"},
		"a fraction with its zeros":          {`0.10`, "0.10"},
		"an exponent":                        {`1E+2`, "1E+2"},
		"a number beyond a float":            {`12345678901234567890123`, "12345678901234567890123"},
		"a number between blanks":            {" \n 7 \t", "7"},
		"a string":                           {`"0032"`, "0032"},
		"an empty string":                    {`""`, ""},
		"null":                               {`null`, ""},
		"the text null":                      {`"null"`, "null"},
		"each short escape":                  {`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t"},
		"NUL":                                {`"\u0000"`, "\x00"},
		"escaped letters":                    {`"\u00e9\u20AC"`, "é€"},
		"a backslash before a u":             {`"\\u0041"`, `\u0041`},
		"a pair of surrogates":               {`"\ud83d\ude00"`, "😀"},
		"a pair of surrogates in capitals":   {`"\uD83D\uDE00"`, "😀"},
		"the highest pair":                   {`"\udbff\udfff"`, "\U0010ffff"},
		"the highest pair in capitals":       {`"\uDBFF\uDFFF"`, "\U0010ffff"},
		"a high surrogate without a low one": {`"\ud83d"`, "\ufffd"},
		"a low surrogate without a high one": {`"\ude00x"`, "\ufffdx"},
		"a high surrogate and a letter":      {`"\ud83d\u0041"`, "\ufffdA"},
		"a high surrogate and a line break":  {`"\ud83d\n"`, "\ufffd\n"},
		"two high surrogates and a low one":  {`"\ud83d\ud83d\ude00"`, "\ufffd😀"},
		"plain and escaped":                  {`"a\n\u0062c"`, "a\nbc"},
		"bytes that are not UTF-8":           {"\"a\xff\\n\xfe\"", "a\xff\n\xfe"},
		"an escape after such a byte":        {"\"\xff\\u0041\"", "\xffA"},
	} {
		got, err := decoded(c.value)
		require.NoError(t, err, name)
		assert.Equal(t, c.want, string(got), name)
	}
}

func TestOtherJSONIsNotARawCode(t *testing.T) {
	for _, value := range []string{`true`, `false`, `{}`, `{"a": 1}`, `[]`, `[1]`} {
		_, err := decoded(value)
		require.ErrorIs(t, err, errcodes.InvalidRequest, value)
	}
	// Invalid JSON, which encoding/json never passes.
	for _, data := range []string{``, `"`, `"\"`, `"\u12"`, `"\x"`, `"\ud83d\u"`, `tru`, `+1`, `.5`} {
		var c failures.RawCode
		require.ErrorIs(t, c.UnmarshalJSON([]byte(data)), errcodes.InvalidRequest, data)
		assert.Empty(t, c)
	}
}

// I26.
func TestAnyStringOrNumberIsReadExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		var written bytes.Buffer
		encoder := json.NewEncoder(&written)
		encoder.SetEscapeHTML(rapid.Bool().Draw(t, "escaped"))
		require.NoError(t, encoder.Encode(text))
		got, err := decoded(written.String())
		require.NoError(t, err)
		require.Equal(t, text, string(got))

		number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?`).Draw(t, "number")
		got, err = decoded(number)
		require.NoError(t, err)
		require.Equal(t, number, string(got))
	})
}

// Valid and broken escapes in any order.
func TestRawCodesReadEscapesAsEncodingJSONDoes(t *testing.T) {
	pieces := []string{`\ud83d`, `\ude00`, `\uDBFF`, `\uDC00`, `\uDFFF`, `\u0041`, `\n`, `\\`, `\"`, `\/`, `u`, `d83d`, `é`, `😀`, ``}
	rapid.Check(t, func(t *rapid.T) {
		value := `"` + strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "") + `"`
		var want string
		require.NoError(t, json.Unmarshal([]byte(value), &want))
		got, err := decoded(value)
		require.NoError(t, err)
		require.Equal(t, want, string(got), value)
	})
}

func FuzzRawCode(f *testing.F) {
	for _, seed := range []string{`1032`, `"0032"`, `"\ud83d\ud83d\ude00"`, "\"\xff\\n\"", `null`, `true`, `[1]`, `-0.10e+5`, `"a\u0000"`, ` 7 `} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var c failures.RawCode
		err := json.Unmarshal(data, &c)
		var other any
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.UseNumber()
		if !json.Valid(data) || decoder.Decode(&other) != nil {
			require.Error(t, err)
			return
		}
		switch want := other.(type) {
		case nil:
			require.NoError(t, err)
			require.Empty(t, c)
		case json.Number:
			require.NoError(t, err)
			require.Equal(t, want.String(), string(c))
		case string:
			require.NoError(t, err)
			if utf8.Valid(data) {
				require.Equal(t, want, string(c))
			}
			require.Equal(t, want, jsonText(t, string(c)), "marshalled like any string")
		default:
			require.ErrorIs(t, err, errcodes.InvalidRequest)
			require.Empty(t, c)
		}
	})
}

// jsonText returns a text after marshalling and unmarshalling, where bytes that are not
// UTF-8 become U+FFFD.
func jsonText(t testing.TB, text string) string {
	t.Helper()
	written, err := json.Marshal(text)
	require.NoError(t, err)
	var out string
	require.NoError(t, json.Unmarshal(written, &out))
	return out
}
