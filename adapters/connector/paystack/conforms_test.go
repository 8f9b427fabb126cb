package paystack_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/connector/paystack"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

func TestConforms(t *testing.T) {
	portstest.AccountConnector(t, portstest.ConnectorHarness{
		New: func(tb testing.TB, up portstest.Upstream) ports.AccountConnector {
			tb.Helper()
			c, err := paystack.New(up.Secret, &paystack.Config{BaseURL: up.BaseURL, Client: up.Client, Clock: up.Clock})
			require.NoError(tb, err)
			return c
		},
		Scenarios: os.DirFS("testdata"),
	})
}
