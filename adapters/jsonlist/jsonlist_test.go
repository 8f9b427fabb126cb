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

func TestTheBytesOfALists(t *testing.T) {
	for name, c := range map[string]struct {
		list []string
		want string
	}{
		"none":             {nil, `[]`},
		"an empty list":    {[]string{}, `[]`},
		"plain texts":      {[]string{"amount", ""}, `["amount",""]`},
		"no UTF-8":         {[]string{"a\xff"}, `[{"base64":"Yf8="}]`},
		"NUL":              {[]string{"\x00"}, `[{"base64":"AA=="}]`},
		"what looks coded": {[]string{`{"base64":"AA=="}`}, `["{\"base64\":\"AA==\"}"]`},
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

// TestAnotherVersionsNULIsRead: SQLite's rows had it as an escape.
func TestAnotherVersionsNULIsRead(t *testing.T) {
	texts, err := jsonlist.ReadTexts([]byte(`["amount",{"base64":"Yf8="},"\u0000"]`))
	require.NoError(t, err)
	require.Equal(t, []string{"amount", "a\xff", "\x00"}, texts)
	filters, err := jsonlist.ReadFilters([]byte(`[{"column":"a\u0000","oneOf":["\u0000"],"from":"","to":"\u0000"}]`))
	require.NoError(t, err)
	require.Equal(t, []ports.Filter{{Column: "a\x00", OneOf: []string{"\x00"}, To: "\x00"}}, filters)
}

// TestDamagedListsAreRefused, and the refusal shows nothing of them.
func TestDamagedListsAreRefused(t *testing.T) {
	for name, data := range map[string]string{
		"nothing":                   ``,
		"null":                      `null`,
		"cut short":                 `["secret"`,
		"a text":                    `"secret"`,
		"an object":                 `{"column":"secret"}`,
		"numbers":                   `[1]`,
		"a list of null":            `[null]`,
		"another shape":             `[{"secret":"YQ=="}]`,
		"ill base64":                `[{"base64":"secret!"}]`,
		"base64 of null":            `[{"base64":null}]`,
		"a list in the list":        `[["secret"]]`,
		"a column of another shape": `[{"column":{"secret":1}}]`,
		"a choice of null":          `[{"column":"a","oneOf":[null]}]`,
	} {
		t.Run(name, func(t *testing.T) {
			refuses := func(err error) {
				require.ErrorIs(t, err, errcodes.CorruptRecord)
				require.NotContains(t, err.Error()+errcodes.MessageOf(err), "secret")
			}
			filters, err := jsonlist.ReadFilters([]byte(data))
			refuses(err)
			require.Empty(t, filters)
			if !strings.Contains(data, `"column":"a"`) {
				texts, err := jsonlist.ReadTexts([]byte(data))
				refuses(err)
				require.Empty(t, texts)
			}
		})
	}
}

var (
	anyText  = rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.SampledFrom([]byte("\x00 a%'\"\\{\x80\xed\xff"))), func(b []byte) string { return string(b) }))
	anyTexts = rapid.Map(rapid.SliceOfN(anyText, 0, 4), func(list []string) []string { return append([]string(nil), list...) })
)

// TestListsComeBackEqual writes any lists, as PostgreSQL's jsonb takes them.
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
	require.NotContains(t, strings.ReplaceAll(data, `\\`, ""), `\u0000`, "which jsonb refuses; behind a backslash it is text")
	got, err := read([]byte(data))
	require.NoError(t, err)
	require.Equal(t, list, got)
}

// FuzzRead reads any bytes as lists: they are refused as a damaged record, or are
// lists that are the same once they are written and read again.
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
