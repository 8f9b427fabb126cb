package jsontext_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/internal/jsontext"
)

func TestUnquoteReturnsTheValue(t *testing.T) {
	for quoted, want := range map[string]string{
		`""`: "", `"plain"`: "plain", `"\"\\\/\b\f\n\r\t"`: "\"\\/\b\f\n\r\t", `"\u0000\u00e9"`: "\x00é",
		`"\ud83d\ude00"`: "😀", `"\ud83d\ud83d\ude00"`: "\ufffd😀", `"\ude00\ud83d"`: "\ufffd\ufffd", `"\ud83dA"`: "\ufffdA",
		"\"\xff\\n\xfe\"": "\xff\n\xfe",
	} {
		assert.Equal(t, want, string(jsontext.Unquote([]byte(quoted))), quoted)
	}
}

// Unquote decodes what encoding/json encodes, to the same text as encoding/json.
func TestUnquoteAgreesWithEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		quoted, err := json.Marshal(rapid.String().Draw(t, "text"))
		require.NoError(t, err)
		var want string
		require.NoError(t, json.Unmarshal(quoted, &want))
		require.Equal(t, want, string(jsontext.Unquote(quoted)))
	})
}
