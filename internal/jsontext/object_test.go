package jsontext_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/internal/jsontext"
)

func TestTheBytesEqualThoseOfEncodingJSON(t *testing.T) {
	type shape struct {
		Text   string    `json:"text"`
		Number int64     `json:"number"`
		Bool   bool      `json:"bool"`
		Time   time.Time `json:"time"`
	}
	rapid.Check(t, func(t *rapid.T) {
		in := shape{
			rapid.String().Draw(t, "text"), rapid.Int64().Draw(t, "number"), rapid.Bool().Draw(t, "bool"),
			time.UnixMilli(rapid.Int64Range(0, 4e12).Draw(t, "ms")).UTC(),
		}
		if rapid.Bool().Draw(t, "raw") {
			in.Text = string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		}
		want, err := json.Marshal(in)
		require.NoError(t, err)
		var o jsontext.Object
		o.Text("text", in.Text)
		o.Number("number", in.Number)
		o.Bool("bool", in.Bool)
		o.Time("time", in.Time)
		got, err := o.Done()
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	})
}

func TestAnEmptyObjectHasNoMembers(t *testing.T) {
	var o jsontext.Object
	got, err := o.Done()
	require.NoError(t, err)
	require.Equal(t, "{}", string(got))
}
