package paystack

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/connector/httpcall"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

const number = "0123456785"

// Whatever /bank/validate answers, only an account that can receive money is found, and
// only a verified one is matched.
func TestTheFlagsAreCheckedInOrder(t *testing.T) {
	yes, no := true, false
	flag := rapid.SampledFrom([]*bool{nil, &yes, &no})
	rapid.Check(t, func(t *rapid.T) {
		v := validatedAccount{
			Verified:              rapid.SampledFrom([]*bool{&yes, &no}).Draw(t, "verified"),
			AccountHolderMatch:    flag.Draw(t, "match"),
			AccountOpen:           flag.Draw(t, "open"),
			AccountAcceptsCredits: flag.Draw(t, "credits"),
			VerificationMessage: rapid.SampledFrom([]string{
				"", "Account is verified successfully", "The provided bank account number is invalid",
			}).Draw(t, "message"),
		}
		payable := v.AccountOpen != &no && v.AccountAcceptsCredits != &no
		got := v.answer()
		require.NoError(t, got.Check())
		require.Equal(t, !payable, got.Kind == ports.OutcomeUnusable)
		require.NotEqual(t, ports.OutcomeFound, got.Kind, "the provider does not return the name")
		if got.Kind == ports.OutcomeNameMatched {
			require.True(t, *v.Verified && v.AccountHolderMatch != &no)
		}
		if got.Kind == ports.OutcomeNotFound {
			require.True(t, !*v.Verified && strings.Contains(v.VerificationMessage, "invalid"))
		}
		if *v.Verified && payable {
			require.True(t, got.Kind.Found())
		}
	})
}

// The messages are from merchants' public code and from Paystack's pages about errors,
// some of them those of transfers.
func TestOnlyAnAnswerAboutTheAccountIsNotFound(t *testing.T) {
	for message, want := range map[string]ports.Outcome{
		"Could not resolve account name. Check parameters or try again.": ports.OutcomeNotFound,
		"Could not resolve account name":                                 ports.OutcomeNotFound,
		"Unknown bank code: 059":                                         ports.OutcomeUnsupported,
		"Test mode daily limit of 3 live bank resolves exceeded. Use test bank codes 001 or upgrade to live mode.": ports.OutcomeTryLater,
		"Bank code is invalid":      ports.OutcomeFailed,
		"Account number is invalid": ports.OutcomeFailed,
		"Account closed":            ports.OutcomeFailed,
		"Sorry, we can't make the transfer to this recipient at the moment": ports.OutcomeFailed,
		"Your balance is not enough to fulfil this request":                 ports.OutcomeFailed,
		"An error occurred":         ports.OutcomeFailed,
		"Could not resolve account": ports.OutcomeFailed,
		"":                          ports.OutcomeFailed,
	} {
		body, err := json.Marshal(map[string]any{"status": false, "message": message})
		require.NoError(t, err)
		for _, status := range []int{http.StatusBadRequest, http.StatusUnprocessableEntity} {
			got, err := resolved(httpcall.Reply{Status: status, Body: body}, number)
			require.NoError(t, err)
			require.Equal(t, ports.Answer{Kind: want, Message: message}, got)
		}
	}
}

func TestOnlyDocumentedCombinationsAreSent(t *testing.T) {
	whole := ports.AccountLookup{
		Account:    ports.Account{Market: southAfrica, Identifier: "0041234567", BankCode: "632005"},
		HolderName: "Thandi Mokoena",
	}
	kinds := []ports.AccountKind{ports.PersonalAccount, ports.BusinessAccount, "", "joint"}
	documents := []ports.DocumentType{ports.NationalID, ports.Passport, ports.BusinessRegistration, "", "licence"}
	sent := map[string]string{}
	for _, kind := range kinds {
		for _, document := range documents {
			whole.Identity = ports.Identity{Kind: kind, Document: document, Number: "9001015009087"}
			if body, complete := validation(whole, "632005"); complete {
				sent[body.AccountType+" "+body.DocumentType] = body.DocumentNumber
			}
		}
	}
	require.Equal(t, map[string]string{
		"personal identityNumber":             "9001015009087",
		"personal passportNumber":             "9001015009087",
		"business businessRegistrationNumber": "9001015009087",
	}, sent)

	whole.Identity = ports.Identity{Kind: ports.PersonalAccount, Document: ports.NationalID, Number: "9001015009087"}
	for name, lacking := range map[string]func(*ports.AccountLookup){
		"the document's number": func(l *ports.AccountLookup) { l.Identity.Number = "" },
		"the holder's name":     func(l *ports.AccountLookup) { l.HolderName = " " },
	} {
		l := whole
		lacking(&l)
		_, complete := validation(l, "632005")
		require.False(t, complete, name)
	}
}

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
	f.Add(http.StatusOK, []byte(`{"status":true,"data":{"account_number":"0123456785","account_name":"\u0000"}}`))
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

func FuzzValidated(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		got, err := validated(httpcall.Reply{Status: status, Body: body})
		requireValid(t, status, got, err)
		require.NotEqual(t, ports.OutcomeFound, got.Kind)
		require.Empty(t, got.HolderName)
	})
}
