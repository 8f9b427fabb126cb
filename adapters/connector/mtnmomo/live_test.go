//go:build contract

package mtnmomo_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/connector/mtnmomo"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// accountVariable contains a number with a wallet, such as 233241234567; the sandbox
// finds 46733123450.
const accountVariable = "CORRIDOR_MTNMOMO_CONTRACT_ACCOUNT"

// TestAgainstMTN sends lookups to MTN, with the credentials of FromEnv:
//
//	go test -tags contract -run Against ./adapters/connector/mtnmomo
func TestAgainstMTN(t *testing.T) {
	connector, err := mtnmomo.FromEnv(os.Getenv, nil)
	if errcodes.Of(err) == errcodes.Configuration {
		t.Skip(errcodes.MessageOf(err))
	}
	require.NoError(t, err)
	account := ports.Account{Market: ports.Market{Country: "GHA", Type: ports.MobileMoney}, Identifier: os.Getenv(accountVariable)}
	if account.Identifier == "" {
		t.Skip(accountVariable + " is not set to a number")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()

	found, err := connector.Lookup(ctx, ports.AccountLookup{Account: account})
	require.NoError(t, err)
	require.Equal(t, ports.OutcomeFound, found.Kind, found.Code)
	require.NotEmpty(t, strings.TrimSpace(found.HolderName))

	if os.Getenv(mtnmomo.EnvTargetEnvironment) == mtnmomo.Sandbox {
		t.Skip("the sandbox finds every number")
	}
	account.Identifier = "233240000000"
	unknown, err := connector.Lookup(ctx, ports.AccountLookup{Account: account})
	require.NoError(t, err)
	require.Equal(t, ports.OutcomeUnsupported, unknown.Kind, unknown.Code)
}
