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

// The messages are from the sources in the package comment.
func TestOnlyAnAnswerAboutTheAccountIsNotFound(t *testing.T) {
	for message, want := range map[string]ports.Outcome{
		"Sorry, that account number is invalid, please check and try again":    ports.OutcomeNotFound,
		"Sorry, that account number is invalid":                                ports.OutcomeNotFound,
		"invalid account":                                                      ports.OutcomeNotFound,
		"Invalid account.":                                                     ports.OutcomeNotFound,
		"Sorry, that amount is invalid, please check and try again":            ports.OutcomeFailed,
		"Sorry, that account is not permitted":                                 ports.OutcomeFailed,
		"Sorry, we could not retrieve that account":                            ports.OutcomeFailed,
		"Sorry, we could not connect to your bank":                             ports.OutcomeFailed,
		"Sorry, recipient account could not be validated. Please try again":    ports.OutcomeFailed,
		"Account resolve failed":                                               ports.OutcomeFailed,
		"Invalid account_bank":                                                 ports.OutcomeFailed,
		"Insufficient funds in customer's wallet":                              ports.OutcomeFailed,
		"Sorry, you have exceeded your allowed limit for today":                ports.OutcomeFailed,
		"Merchant requires approval to use resource, please contact support":   ports.OutcomeFailed,
		"Unknown error or an unexpected error occurred during processing":      ports.OutcomeFailed,
		"We did not get: Sorry, that account number is invalid":                ports.OutcomeFailed,
		"Sorry, that account number is invalidated until your bank is back up": ports.OutcomeFailed,
		"": ports.OutcomeFailed,
	} {
		body, err := json.Marshal(map[string]any{"status": "error", "message": message, "data": nil})
		require.NoError(t, err)
		for country, kind := range map[string]ports.Outcome{"NGA": want, "GHA": ports.OutcomeFailed} {
			got, err := resolved(httpcall.Reply{Status: http.StatusBadRequest, Body: body}, number, countries[country].phrases)
			require.NoError(t, err)
			require.Equal(t, ports.Answer{Kind: kind, Message: message}, got, country)
		}
	}
}

func FuzzResolved(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		got, err := resolved(httpcall.Reply{Status: status, Body: body}, number, countries["NGA"].phrases)
		requireValid(t, status, got, err)
		if got.Kind == ports.OutcomeFound {
			require.NotEmpty(t, strings.TrimSpace(got.HolderName))
			require.Less(t, status, 300)
		}
	})
}
