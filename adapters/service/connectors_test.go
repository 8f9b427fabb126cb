package service

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
)

// The start logs in one line in which markets a verified account need not exist.
func TestTheStartNamesMarketsWithoutAConnector(t *testing.T) {
	t.Parallel()
	parts := Shipped()
	parts.Connectors = append(parts.Connectors, ConnectorKind{Name: "bank", Open: func(ConnectorOptions) (ports.AccountConnector, error) {
		return fake.NewConnector("bank", []ports.Capability{
			{Market: ports.Market{Country: "NGA", Type: ports.BankAccount}}, {Market: ports.Market{Country: "KEN", Type: ports.MobileMoney}},
		}), nil
	}})
	for _, c := range []struct {
		name       string
		connectors []string
		want       string
	}{
		{"no connector", nil, "ZAF bank_account, NGA bank_account, EGY bank_account, GHA bank_account, KEN bank_account, " +
			"KEN mobile_money, GHA mobile_money, ZWE institution_wallet"},
		{"a connector for two markets", []string{"bank"}, "ZAF bank_account, EGY bank_account, GHA bank_account, KEN bank_account, " +
			"GHA mobile_money, ZWE institution_wallet"},
		{"connectors for all markets", []string{"bank", "sandbox"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, marketsAtStart(t, parts, c.connectors))
		})
	}
}

// marketsAtStart returns the markets in the log of a service outside the sandbox.
func marketsAtStart(t *testing.T, parts Parts, connectors []string) string {
	t.Helper()
	dir := t.TempDir()
	settings := Defaults()
	settings.Listen, settings.Store, settings.Feed = "127.0.0.1:0", "memory:", []string{"file:" + filepath.Join(dir, "rates.json")}
	settings.ClientsFile, settings.Reports.ReportFiles = filepath.Join(dir, "clients.json"), "dir:"+dir
	settings.Accounts.Connectors = connectors
	for path, text := range map[string]string{
		"rates.json":   `{"rates":[{"base":"USD","quote":"ZAR","mid":"18.25"}]}`,
		"clients.json": `[{"id":"acme","secrets":[{"sha256":"` + strings.Repeat("0", 64) + `"}]}]`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600))
	}
	var log bytes.Buffer
	s, err := New(t.Context(), &settings, parts, &Config{Stdout: io.Discard, Stderr: &log})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	lines := log.String()
	if lines == "" {
		return ""
	}
	require.Equal(t, 1, strings.Count(lines, "\n"), lines)
	_, markets, found := strings.Cut(strings.TrimSuffix(lines, "\"\n"), `validationType internal_rules does not mean that the account exists" markets="`)
	require.True(t, found, lines)
	return markets
}
