package flutterwave_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/connector/flutterwave"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

var _ ports.AccountConnector = (*flutterwave.Connector)(nil)

func TestNewRejectsBadValues(t *testing.T) {
	for name, c := range map[string]struct{ secret, base, text string }{
		"no key":                  {"", "", "the Flutterwave secret key must be"},
		"a key with a line break": {"sk_canary\n", "", "the Flutterwave secret key must be"},
		"an address with http":    {"sk_canary", "http://api.example.com", "BaseURL must be https"},
		"an address with a user":  {"sk_canary", "https://sk_canary@api.example.com", "BaseURL must be an address"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := flutterwave.New(c.secret, &flutterwave.Config{BaseURL: c.base})
			require.Equal(t, errcodes.Configuration, errcodes.Of(err))
			require.ErrorContains(t, err, c.text)
			require.NotContains(t, err.Error(), "canary")
		})
	}
	_, err := flutterwave.New("sk_canary", nil)
	require.NoError(t, err)
}

func TestFromEnv(t *testing.T) {
	var authorization string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		authorization = r.Header.Get("Authorization")
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer server.Close()
	env := map[string]string{
		"CORRIDOR_FLUTTERWAVE_SECRET_KEY": "sk_of_the_environment",
		"CORRIDOR_FLUTTERWAVE_BASE_URL":   server.URL,
	}
	getenv := func(name string) string { return env[name] }

	c, err := flutterwave.FromEnv(getenv, &flutterwave.Config{BaseURL: "https://unused.example"})
	require.NoError(t, err)
	_, err = c.Lookup(t.Context(), ports.AccountLookup{Account: ports.Account{
		Market: ports.Market{Country: "NGA", Type: ports.BankAccount}, Identifier: "0123456785", BankCode: "058",
	}})
	require.Equal(t, errcodes.Configuration, errcodes.Of(err))
	require.Equal(t, "Bearer sk_of_the_environment", authorization)

	delete(env, "CORRIDOR_FLUTTERWAVE_BASE_URL")
	_, err = flutterwave.FromEnv(getenv, nil)
	require.NoError(t, err)

	delete(env, "CORRIDOR_FLUTTERWAVE_SECRET_KEY")
	_, err = flutterwave.FromEnv(getenv, nil)
	require.Equal(t, errcodes.Configuration, errcodes.Of(err))
	require.ErrorContains(t, err, "CORRIDOR_FLUTTERWAVE_SECRET_KEY is not set")
}

func TestAnotherMarketIsUnsupported(t *testing.T) {
	c, err := flutterwave.New("sk_canary", &flutterwave.Config{BaseURL: "http://127.0.0.1:1"}) // no server
	require.NoError(t, err)
	for _, market := range []ports.Market{
		{Country: "NGA", Type: ports.MobileMoney}, {Country: "KEN", Type: ports.BankAccount}, {Country: "EGY", Type: ports.BankAccount},
		{Country: "GHA", Type: ports.InstitutionWallet}, {},
	} {
		answer, err := c.Lookup(t.Context(), ports.AccountLookup{Account: ports.Account{Market: market, Identifier: "0123456785", BankCode: "058"}})
		require.NoError(t, err, market)
		require.Equal(t, ports.Answer{Kind: ports.OutcomeUnsupported}, answer, market)
	}
}

func ExampleNew() {
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, `{"status":"success","message":"Account details fetched","data":{"account_number":"0123456785","account_name":"DOE JANE AMINA"}}`)
	}))
	defer provider.Close()

	connector, err := flutterwave.New("sk_test_key", &flutterwave.Config{BaseURL: provider.URL}) // nil for Flutterwave
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := connector.Lookup(context.Background(), ports.AccountLookup{Account: ports.Account{
		Market:     ports.Market{Country: "NGA", Type: ports.BankAccount},
		Identifier: "0123456785",
		BankCode:   "058",
	}})
	fmt.Println(answer.Kind, answer.HolderName, err)
	// Output: found DOE JANE AMINA <nil>
}

func ExampleFromEnv() {
	empty := func(string) string { return "" } // in a program: os.Getenv
	_, err := flutterwave.FromEnv(empty, nil)
	fmt.Println(err)
	// Output: configuration: CORRIDOR_FLUTTERWAVE_SECRET_KEY is not set
}
