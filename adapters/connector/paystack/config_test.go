package paystack_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/connector/paystack"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

var _ ports.AccountConnector = (*paystack.Connector)(nil)

func TestNewRejectsBadValues(t *testing.T) {
	for name, c := range map[string]struct{ secret, base, text string }{
		"no key":                  {"", "", "the Paystack secret key must be"},
		"a key with a line break": {"sk_canary\n", "", "the Paystack secret key must be"},
		"an address with http":    {"sk_canary", "http://api.example.com", "BaseURL must be https"},
		"an address with a user":  {"sk_canary", "https://sk_canary@api.example.com", "BaseURL must be an address"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := paystack.New(c.secret, &paystack.Config{BaseURL: c.base})
			require.Equal(t, errcodes.Configuration, errcodes.Of(err))
			require.ErrorContains(t, err, c.text)
			require.NotContains(t, err.Error(), "canary")
		})
	}
	_, err := paystack.New("sk_canary", nil)
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
		"CORRIDOR_PAYSTACK_SECRET_KEY": "sk_of_the_environment",
		"CORRIDOR_PAYSTACK_BASE_URL":   server.URL,
	}
	getenv := func(name string) string { return env[name] }

	c, err := paystack.FromEnv(getenv, &paystack.Config{BaseURL: "https://unused.example"})
	require.NoError(t, err)
	_, err = c.Lookup(t.Context(), ports.AccountLookup{Account: ports.Account{
		Market: ports.Market{Country: "NGA", Type: ports.BankAccount}, Identifier: "0123456785", BankCode: "058",
	}})
	require.Equal(t, errcodes.Configuration, errcodes.Of(err))
	require.Equal(t, "Bearer sk_of_the_environment", authorization)

	delete(env, "CORRIDOR_PAYSTACK_BASE_URL")
	_, err = paystack.FromEnv(getenv, nil)
	require.NoError(t, err)

	delete(env, "CORRIDOR_PAYSTACK_SECRET_KEY")
	_, err = paystack.FromEnv(getenv, nil)
	require.Equal(t, errcodes.Configuration, errcodes.Of(err))
	require.ErrorContains(t, err, "CORRIDOR_PAYSTACK_SECRET_KEY is not set")
}

func TestAnotherMarketIsUnsupported(t *testing.T) {
	c, err := paystack.New("sk_canary", &paystack.Config{BaseURL: "http://127.0.0.1:1"}) // no server
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
		_, _ = fmt.Fprint(w, `{"status":true,"message":"Account number resolved","data":{"account_number":"0123456785","account_name":"DOE JANE AMINA"}}`)
	}))
	defer provider.Close()

	connector, err := paystack.New("sk_test_key", &paystack.Config{BaseURL: provider.URL}) // nil for Paystack
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
	_, err := paystack.FromEnv(empty, nil)
	fmt.Println(err)
	// Output: configuration: CORRIDOR_PAYSTACK_SECRET_KEY is not set
}
