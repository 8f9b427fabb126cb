package jsonlist_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/jsonlist"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

func TestFormat(t *testing.T) {
	for name, c := range map[string]struct {
		list []string
		want string
	}{
		"a nil list":                             {nil, `[]`},
		"an empty list":                          {[]string{}, `[]`},
		"plain texts":                            {[]string{"amount", ""}, `["amount",""]`},
		"invalid UTF-8":                          {[]string{"a\xff"}, `[{"base64":"Yf8="}]`},
		"NUL":                                    {[]string{"\x00"}, `[{"base64":"AA=="}]`},
		"text that looks like the base64 object": {[]string{`{"base64":"AA=="}`}, `["{\"base64\":\"AA==\"}"]`},
	} {
		t.Run(name, func(t *testing.T) {
			got := jsonlist.Texts(c.list)
			require.Equal(t, c.want, got)
		})
	}
	got := jsonlist.Filters([]ports.Filter{{Column: "status", OneOf: []string{"FAILED", "\xff"}}, {From: "1.50", To: "\x00"}})
	require.Equal(t, `[{"column":"status","oneOf":["FAILED",{"base64":"/w=="}]},{"column":"","from":"1.50","to":{"base64":"AA=="}}]`, got)
	got = jsonlist.Filters(nil)
	require.Equal(t, `[]`, got)
}

// SQLite's rows of earlier versions have NUL as an escape.
func TestReadTextsAcceptsAnEscapedNUL(t *testing.T) {
	texts, err := jsonlist.ReadTexts([]byte(`["amount",{"base64":"Yf8="},"\u0000"]`))
	require.NoError(t, err)
	require.Equal(t, []string{"amount", "a\xff", "\x00"}, texts)
	filters, err := jsonlist.ReadFilters([]byte(`[{"column":"a\u0000","oneOf":["\u0000"],"from":"","to":"\u0000"}]`))
	require.NoError(t, err)
	require.Equal(t, []ports.Filter{{Column: "a\x00", OneOf: []string{"\x00"}, To: "\x00"}}, filters)
}

// TestDamagedListsAreRejected also checks that the errors do not quote the list.
func TestDamagedListsAreRejected(t *testing.T) {
	for name, data := range map[string]string{
		"nothing":                   ``,
		"null":                      `null`,
		"cut short":                 `["secret"`,
		"a text":                    `"secret"`,
		"an object":                 `{"column":"secret"}`,
		"numbers":                   `[1]`,
		"a list of null":            `[null]`,
		"another shape":             `[{"secret":"YQ=="}]`,
		"invalid base64":            `[{"base64":"secret!"}]`,
		"base64 of null":            `[{"base64":null}]`,
		"a list in the list":        `[["secret"]]`,
		"a column of another shape": `[{"column":{"secret":1}}]`,
		"a choice of null":          `[{"column":"a","oneOf":[null]}]`,
	} {
		t.Run(name, func(t *testing.T) {
			rejects := func(err error) {
				require.ErrorIs(t, err, errcodes.CorruptRecord)
				require.NotContains(t, err.Error()+errcodes.MessageOf(err), "secret")
			}
			filters, err := jsonlist.ReadFilters([]byte(data))
			rejects(err)
			require.Empty(t, filters)
			if !strings.Contains(data, `"column":"a"`) {
				texts, err := jsonlist.ReadTexts([]byte(data))
				rejects(err)
				require.Empty(t, texts)
			}
		})
	}
}

var (
	anyText  = rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.SampledFrom([]byte("\x00 a%'\"\\{\x80\xed\xff"))), func(b []byte) string { return string(b) }))
	anyTexts = rapid.Map(rapid.SliceOfN(anyText, 0, 4), func(list []string) []string { return append([]string(nil), list...) })
)

// TestListsComeBackEqual draws texts of any bytes and checks that jsonb accepts the
// JSON.
func TestListsComeBackEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := anyTexts.Draw(t, "texts")
		var filters []ports.Filter
		for range rapid.IntRange(0, 3).Draw(t, "filters") {
			filters = append(filters, ports.Filter{
				Column: anyText.Draw(t, "column"), OneOf: anyTexts.Draw(t, "one of"), From: anyText.Draw(t, "from"), To: anyText.Draw(t, "to"),
			})
		}
		requireSame(t, texts, jsonlist.Texts, jsonlist.ReadTexts)
		requireSame(t, filters, jsonlist.Filters, jsonlist.ReadFilters)
	})
}

func requireSame[V any](t require.TestingT, list []V, write func([]V) string, read func([]byte) ([]V, error)) {
	data := write(list)
	require.True(t, json.Valid([]byte(data)))
	require.NotContains(t, strings.ReplaceAll(data, `\\`, ""), `\u0000`, "jsonb rejects it")
	got, err := read([]byte(data))
	require.NoError(t, err)
	require.Equal(t, list, got)
}

// FuzzRead checks that any bytes are either rejected as a corrupt record, or are a list
// that survives writing and reading again.
func FuzzRead(f *testing.F) {
	for _, data := range []string{
		`[]`, `null`, `["a",{"base64":"Yf8="},"\u0000"]`, `[{"column":"a","oneOf":["b"],"from":"1","to":{"base64":""}}]`, `["\ud800"]`, `[{}]`, `["\\u0000"]`,
	} {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		again(t, data, jsonlist.Texts, jsonlist.ReadTexts)
		again(t, data, jsonlist.Filters, jsonlist.ReadFilters)
	})
}

func again[V any](t *testing.T, data []byte, write func([]V) string, read func([]byte) ([]V, error)) {
	list, err := read(data)
	if err != nil {
		require.ErrorIs(t, err, errcodes.CorruptRecord)
		require.Nil(t, list)
		return
	}
	require.True(t, json.Valid(data))
	requireSame(t, list, write, read)
}
