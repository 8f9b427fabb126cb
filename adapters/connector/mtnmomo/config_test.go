package mtnmomo_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/connector/mtnmomo"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

var _ ports.AccountConnector = (*mtnmomo.Connector)(nil)

func TestNewRejectsBadValues(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*mtnmomo.Credentials, *mtnmomo.Config)
		text   string
	}{
		"no subscription key":    {func(c *mtnmomo.Credentials, _ *mtnmomo.Config) { c.SubscriptionKey = "" }, "SubscriptionKey must be"},
		"no API user":            {func(c *mtnmomo.Credentials, _ *mtnmomo.Config) { c.APIUser = "" }, "APIUser must be"},
		"no API key":             {func(c *mtnmomo.Credentials, _ *mtnmomo.Config) { c.APIKey += "\r\n" }, "APIKey must be"},
		"no target environment":  {func(c *mtnmomo.Credentials, _ *mtnmomo.Config) { c.TargetEnvironment = "" }, "TargetEnvironment must be"},
		"an invalid environment": {func(c *mtnmomo.Credentials, _ *mtnmomo.Config) { c.TargetEnvironment = "MTN Ghana" }, "TargetEnvironment must be"},
		"another product":        {func(c *mtnmomo.Credentials, _ *mtnmomo.Config) { c.Product = "widget" }, `Product "widget" must be`},
		"an address with http":   {func(_ *mtnmomo.Credentials, c *mtnmomo.Config) { c.BaseURL = "http://api.example.com" }, "BaseURL must be https"},
	} {
		t.Run(name, func(t *testing.T) {
			credentials, cfg := credentials(), mtnmomo.Config{}
			c.change(&credentials, &cfg)
			_, err := mtnmomo.New(credentials, &cfg)
			require.Equal(t, errcodes.Configuration, errcodes.Of(err))
			require.ErrorContains(t, err, c.text)
			require.NotContains(t, err.Error(), "canary")
		})
	}
}

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// asked returns the address of a connector's first request.
func asked(t *testing.T, open func(*http.Client) (*mtnmomo.Connector, error)) string {
	t.Helper()
	var address string
	c, err := open(&http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		address = r.URL.String()
		return nil, http.ErrServerClosed
	})})
	require.NoError(t, err)
	_, err = c.Lookup(t.Context(), lookup())
	require.Equal(t, errcodes.Unavailable, errcodes.Of(err))
	return address
}

func TestTheEnvironmentAndTheProductDecideTheAddress(t *testing.T) {
	for want, c := range map[string]struct{ environment, product, base string }{
		"https://proxy.momoapi.mtn.com/disbursement/token/":         {"mtnghana", "", ""},
		"https://proxy.momoapi.mtn.com/collection/token/":           {"mtnghana", "collection", ""},
		"https://sandbox.momodeveloper.mtn.com/disbursement/token/": {"sandbox", "", ""},
		"https://mtn.example/remittance/token/":                     {"sandbox", "remittance", "https://mtn.example/"},
	} {
		require.Equal(t, want, asked(t, func(client *http.Client) (*mtnmomo.Connector, error) {
			credentials := credentials()
			credentials.TargetEnvironment, credentials.Product = c.environment, c.product
			return mtnmomo.New(credentials, &mtnmomo.Config{Client: client, BaseURL: c.base})
		}))
	}
}

func TestFromEnv(t *testing.T) {
	env := map[string]string{
		"CORRIDOR_MTNMOMO_SUBSCRIPTION_KEY":   "subscription",
		"CORRIDOR_MTNMOMO_API_USER":           "user",
		"CORRIDOR_MTNMOMO_API_KEY":            "key",
		"CORRIDOR_MTNMOMO_TARGET_ENVIRONMENT": "mtnghana",
	}
	getenv := func(name string) string { return env[name] }
	_, err := mtnmomo.FromEnv(getenv, nil)
	require.NoError(t, err)

	env["CORRIDOR_MTNMOMO_BASE_URL"] = "https://mtn.example"
	require.Equal(t, "https://mtn.example/disbursement/token/", asked(t, func(client *http.Client) (*mtnmomo.Connector, error) {
		return mtnmomo.FromEnv(getenv, &mtnmomo.Config{Client: client, BaseURL: "https://unused.example"})
	}))
	delete(env, "CORRIDOR_MTNMOMO_BASE_URL")

	for missing := range env {
		_, err := mtnmomo.FromEnv(func(name string) string {
			if name == missing {
				return ""
			}
			return env[name]
		}, nil)
		require.Equal(t, errcodes.Configuration, errcodes.Of(err))
		require.ErrorContains(t, err, missing+" is not set")
	}
}

func TestAnotherMarketIsUnsupported(t *testing.T) {
	c, err := mtnmomo.New(credentials(), &mtnmomo.Config{BaseURL: "http://127.0.0.1:1"}) // no server
	require.NoError(t, err)
	for _, market := range []ports.Market{{Country: "GHA", Type: ports.BankAccount}, {Country: "UGA", Type: ports.MobileMoney}, {}} {
		answer, err := c.Lookup(t.Context(), ports.AccountLookup{Account: ports.Account{Market: market, Identifier: "233241234567"}})
		require.NoError(t, err)
		require.Equal(t, ports.Answer{Kind: ports.OutcomeUnsupported}, answer)
	}
}

func TestPrintingShowsNoCredentials(t *testing.T) {
	m := open(t)
	m.finds(t)
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("", "credentials", credentials(), "connector", m.Connector)
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		_, _ = fmt.Fprintf(&log, format+format+format, credentials(), m.Connector, []any{m.Connector})
	}
	shown := log.String()
	require.NotContains(t, shown, "secret")
	require.NotContains(t, shown, `"t1"`)
	require.Contains(t, shown, "mtnghana")
}

func ExampleNew() {
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			_, _ = fmt.Fprint(w, `{"access_token":"token","token_type":"access_token","expires_in":3600}`)
			return
		}
		_, _ = fmt.Fprint(w, `{"given_name":"Ama Serwaa","family_name":"Mensah","status":"ACTIVE"}`)
	}))
	defer provider.Close()

	connector, err := mtnmomo.New(mtnmomo.Credentials{
		SubscriptionKey:   "subscription-key",
		APIUser:           "0ca4a12f-91c7-4e0b-8f5e-3d1d5a6b7c80",
		APIKey:            "api-key",
		TargetEnvironment: "mtnghana",
	}, &mtnmomo.Config{BaseURL: provider.URL}) // nil for MTN
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := connector.Lookup(context.Background(), ports.AccountLookup{Account: ports.Account{
		Market:     ports.Market{Country: "GHA", Type: ports.MobileMoney},
		Identifier: "233241234567",
	}})
	fmt.Println(answer.Kind, answer.HolderName, err)
	// Output: found Ama Serwaa Mensah <nil>
}

func ExampleFromEnv() {
	empty := func(string) string { return "" } // in a program: os.Getenv
	_, err := mtnmomo.FromEnv(empty, nil)
	fmt.Println(err)
	// Output: configuration: CORRIDOR_MTNMOMO_SUBSCRIPTION_KEY is not set
}
