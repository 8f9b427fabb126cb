package mtnmomo

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
	f.Add(http.StatusOK, []byte(`{"given_name":"\u0000","status":"active"}`))
}

// requireValid checks the rules for every answer.
func requireValid(t *testing.T, status int, got ports.Answer, err error) {
	t.Helper()
	code := errcodes.Of(err)
	require.Contains(t, []errcodes.Code{"", errcodes.Configuration, errcodes.Unavailable, errcodes.MalformedAnswer}, code)
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		require.Equal(t, errcodes.Configuration, code)
	}
	if err != nil {
		require.Zero(t, got)
		return
	}
	require.NoError(t, got.Check())
	if status == http.StatusTooManyRequests {
		require.Equal(t, ports.OutcomeTryLater, got.Kind)
	}
}

func FuzzHolder(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		got, err := holderOf(httpcall.Reply{Status: status, Body: body})
		requireValid(t, status, got, err)
		require.NotEqual(t, ports.OutcomeNotFound, got.Kind, "MTN only knows its own wallets")
		if got.Kind == ports.OutcomeFound {
			require.NotEmpty(t, strings.TrimSpace(got.HolderName))
			require.Less(t, status, 300)
		}
	})
}

func TestEachStatusAndCodeHasItsOutcome(t *testing.T) {
	for status, want := range map[string]ports.Outcome{
		"": ports.OutcomeFound, "ACTIVE": ports.OutcomeFound, "active": ports.OutcomeFound,
		"BLOCKED": ports.OutcomeUnusable, "Closed": ports.OutcomeUnusable, "DORMANT": ports.OutcomeUnusable,
		"INACTIVE": ports.OutcomeUnusable, "SUSPENDED": ports.OutcomeUnusable, "REGISTERED": ports.OutcomeFailed,
	} {
		got, err := holder{GivenName: "Ama", Status: status}.answer()
		require.NoError(t, err)
		require.Equal(t, want, got.Kind, status)
		require.Equal(t, want == ports.OutcomeFound, got.HolderName == "Ama", status)
	}
	for code, want := range map[string]ports.Outcome{
		"RESOURCE_NOT_FOUND": ports.OutcomeUnsupported, "PAYEE_NOT_FOUND": ports.OutcomeUnsupported, "PAYER_NOT_FOUND": ports.OutcomeUnsupported,
		"PAYEE_NOT_ALLOWED_TO_RECEIVE": ports.OutcomeUnusable, "RESOURCE_ALREADY_EXIST": ports.OutcomeFailed, "COULD_NOT_PERFORM_TRANSACTION": ports.OutcomeFailed,
		// from momodevelopercommunity.mtn.com
		"NOT_ENOUGH_FUNDS": ports.OutcomeFailed, "PAYER_LIMIT_REACHED": ports.OutcomeFailed, "SENDER_ACCOUNT_NOT_ACTIVE": ports.OutcomeFailed,
		"TRANSACTION_NOT_FOUND": ports.OutcomeFailed, "SERVICE_UNAVAILABLE": ports.OutcomeFailed, "INTERNAL_PROCESSING_ERROR": ports.OutcomeFailed,
	} {
		got, err := holderOf(httpcall.Reply{Status: http.StatusBadRequest, Body: []byte(`{"code":"` + code + `","message":"a message"}`)})
		require.NoError(t, err)
		require.Equal(t, ports.Answer{Kind: want, Code: code, Message: "a message"}, got)
	}
}
