package mtnmomo_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/connector/mtnmomo"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/connectortest"
)

func TestConforms(t *testing.T) {
	connectortest.AccountConnector(t, connectortest.Harness{
		New: func(tb testing.TB, up connectortest.Upstream) ports.AccountConnector {
			tb.Helper()
			c, err := mtnmomo.New(mtnmomo.Credentials{
				SubscriptionKey: up.Secret2, APIUser: up.UserID, APIKey: up.Secret, TargetEnvironment: "mtnghana",
			}, &mtnmomo.Config{BaseURL: up.BaseURL, Client: up.Client, Clock: up.Clock})
			require.NoError(tb, err)
			return c
		},
		Scenarios: os.DirFS("testdata"),
		Tokens:    []string{"/disbursement/token/"},
		TokenLife: time.Hour,
		Except: map[string]string{
			"scenario not_found": "MTN only knows its own wallets: the number may have a wallet on another network",
		},
	})
}
