package paystack_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/connector/paystack"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/connectortest"
)

func TestConforms(t *testing.T) {
	connectortest.AccountConnector(t, connectortest.Harness{
		New: func(tb testing.TB, up connectortest.Upstream) ports.AccountConnector {
			tb.Helper()
			c, err := paystack.New(up.Secret, &paystack.Config{BaseURL: up.BaseURL, Client: up.Client, Clock: up.Clock})
			require.NoError(tb, err)
			return c
		},
		Scenarios: os.DirFS("testdata"),
	})
}
