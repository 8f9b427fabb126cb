package flutterwave

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/connector/httpcall"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

const number = "0690000032"

// seed adds the bodies of all scenarios.
func seed(f *testing.F) {
	f.Helper()
	files, err := fs.Glob(os.DirFS("testdata"), "*.json")
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, file := range files {
		text, err := os.ReadFile("testdata/" + file)
		require.NoError(f, err)
		var s struct {
			Exchanges []struct {
				Response struct {
					Status int
					Body   json.RawMessage
				}
			}
		}
		require.NoError(f, json.Unmarshal(text, &s))
		for _, x := range s.Exchanges {
			f.Add(x.Response.Status, []byte(x.Response.Body))
		}
	}
	f.Add(http.StatusBadGateway, []byte("<html>"))
	f.Add(http.StatusOK, []byte(`{"status":"success","data":{"account_number":"0690000032","account_name":"\u0000"}}`))
}

// requireValid checks the rules for every answer.
func requireValid(t *testing.T, status int, got ports.Answer, err error) {
	t.Helper()
	code := errcodes.Of(err)
	require.Contains(t, []errcodes.Code{"", errcodes.Configuration, errcodes.Unavailable, errcodes.MalformedAnswer}, code)
	require.Equal(t, status == http.StatusUnauthorized || status == http.StatusForbidden, code == errcodes.Configuration)
	if err != nil {
		require.Zero(t, got)
		return
	}
	require.NoError(t, got.Check())
	if status == http.StatusTooManyRequests {
		require.Equal(t, ports.OutcomeTryLater, got.Kind)
	}
}

func FuzzResolved(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		got, err := resolved(httpcall.Reply{Status: status, Body: body}, number)
		requireValid(t, status, got, err)
		if got.Kind == ports.OutcomeFound {
			require.NotEmpty(t, strings.TrimSpace(got.HolderName))
			require.Less(t, status, 300)
		}
	})
}
