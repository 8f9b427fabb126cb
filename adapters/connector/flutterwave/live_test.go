//go:build contract

package flutterwave_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/connector/flutterwave"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// accountVariable contains an existing account, as COUNTRY/BANKCODE/NUMBER; a test key
// finds NGA/044/0690000032.
const accountVariable = "CORRIDOR_FLUTTERWAVE_CONTRACT_ACCOUNT"

// TestAgainstFlutterwave sends lookups to Flutterwave, with the credentials of FromEnv:
//
//	go test -tags contract -run Against ./adapters/connector/flutterwave
func TestAgainstFlutterwave(t *testing.T) {
	connector, err := flutterwave.FromEnv(os.Getenv, nil)
	if errcodes.Of(err) == errcodes.Configuration {
		t.Skip(errcodes.MessageOf(err))
	}
	require.NoError(t, err)
	parts := strings.Split(os.Getenv(accountVariable), "/")
	if len(parts) != 3 {
		t.Skip(accountVariable + " is not set to COUNTRY/BANKCODE/NUMBER")
	}
	account := ports.Account{Market: ports.Market{Country: parts[0], Type: ports.BankAccount}, BankCode: parts[1], Identifier: parts[2]}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()

	found, err := connector.Lookup(ctx, ports.AccountLookup{Account: account})
	require.NoError(t, err)
	require.Equal(t, ports.OutcomeFound, found.Kind, found.Code)
	require.NotEmpty(t, strings.TrimSpace(found.HolderName))

	account.Identifier = strings.Repeat("0", len(account.Identifier))
	unknown, err := connector.Lookup(ctx, ports.AccountLookup{Account: account})
	require.NoError(t, err)
	require.Contains(t, []ports.Outcome{ports.OutcomeNotFound, ports.OutcomeFailed}, unknown.Kind, "see the package comment")
	require.NotEmpty(t, unknown.Message)
}
