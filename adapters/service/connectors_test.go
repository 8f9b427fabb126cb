package service

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/httpserver"
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

// The start logs what is unsafe outside the sandbox, one line each.
func TestTheStartNamesWhatIsUnsafe(t *testing.T) {
	const (
		oneKey  = "k1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
		key     = "personal data is sealed with a key that is in the store itself: set CORRIDOR_DATA_KEYS"
		plain   = "other machines can reach plain HTTP: listen on 127.0.0.1, behind a proxy with TLS"
		forged  = "everybody who can reach the listener can forge X-Real-Ip: let only the proxy reach it"
		clients = "CORRIDOR_CLIENTS has the secrets of clients in plain text: use --clients-file, which has their hashes"
		noRate  = "clients may send any number of requests: --rate-limit is 0"
		noLimit = "anybody may send any number of requests without a token: --address-limit is 0"
		sandbox = "other machines can reach the sandbox, whose client and rates are for experiments"
	)
	for name, c := range map[string]struct {
		env  map[string]string
		set  func(*Settings)
		want []string
	}{
		"the defaults":       {want: []string{key}},
		"everything is safe": {env: map[string]string{dataKeysEnv: oneKey}},
		"on every address":   {env: map[string]string{dataKeysEnv: oneKey}, set: func(s *Settings) { s.Listen = "0.0.0.0:0" }, want: []string{plain}},
		"behind a proxy": {
			env: map[string]string{dataKeysEnv: oneKey}, set: func(s *Settings) { s.Listen, s.AddrHeader = "[::]:0", "X-Real-Ip" }, want: []string{forged},
		},
		"no limits": {
			env: map[string]string{dataKeysEnv: oneKey}, set: func(s *Settings) { s.Limits.RateLimit, s.Limits.AddressLimit = 0, 0 },
			want: []string{noRate, noLimit},
		},
		"clients in the environment": {
			env: map[string]string{dataKeysEnv: oneKey, clientsEnv: "acme:gf7C2tJzXo1vQ0bN5hWkLw:*"}, set: func(s *Settings) { s.ClientsFile = "" },
			want: []string{clients},
		},
		"the sandbox": {set: func(s *Settings) {
			s.Sandbox, s.Limits = true, LimitSettings{MaxConnections: 1, MaxAddressConnections: 1, MaxBodyMemory: 2 << 20}
		}},
		"the sandbox on every address": {set: func(s *Settings) { s.Sandbox, s.Listen = true, "0.0.0.0:0" }, want: []string{sandbox}},
	} {
		t.Run(name, func(t *testing.T) {
			setenv(t, c.env)
			require.Equal(t, c.want, linesAtStart(t, Shipped(), "unsafe: ", c.set))
		})
	}
}

// The start also says that the process may not open as many files as it has connections.
func TestTheStartNamesTooFewFiles(t *testing.T) {
	const many = httpserver.MaxMaxConnections
	if fits(many) {
		t.Skip("this process may open any number of files")
	}
	lines := linesAtStart(t, Shipped(), "unsafe: ", func(s *Settings) { s.Limits.MaxConnections = many })
	require.Contains(t, lines, "the process may open fewer files than --max-connections and 300 others need: raise ulimit -n, or lower it")
}

// A server elsewhere must prove that it is the database.
func TestUnverifiedDatabases(t *testing.T) {
	t.Parallel()
	for dsn, want := range map[string]bool{
		"postgres://u@db.example/payments":                     true,
		"postgres://u@db.example/payments?sslmode=disable":     true,
		"postgres://u@db.example/payments?sslmode=require":     true,
		"postgres://u@192.0.2.1/payments?sslmode=prefer":       true,
		"postgres://u@db.example/payments?sslmode=verify-full": false,
		"postgres://u@127.0.0.1/payments":                      false,
		"postgres://u@[::1]/payments?sslmode=disable":          false,
		"postgres://u@localhost/payments":                      false,
		"postgres://u@/payments?host=/var/run/postgresql":      false,
	} {
		config, err := poolConfig(dsn)
		require.NoError(t, err)
		require.Equal(t, want, unverified(&config.ConnConfig.Config), dsn)
	}
}

// marketsAtStart returns the markets that the start of a service names.
func marketsAtStart(t *testing.T, parts Parts, connectors []string) string {
	t.Helper()
	const begin = "no connector serves these markets"
	lines := linesAtStart(t, parts, begin, func(s *Settings) { s.Accounts.Connectors = connectors })
	if len(lines) == 0 {
		return ""
	}
	require.Len(t, lines, 1)
	_, markets, found := strings.Cut(strings.TrimSuffix(lines[0], "\""), `validationType internal_rules does not mean that the account exists" markets="`)
	require.True(t, found, lines[0])
	return markets
}

// linesAtStart starts a service outside the sandbox and returns its warnings that begin
// with a text, without it.
func linesAtStart(t *testing.T, parts Parts, begin string, set func(*Settings)) (lines []string) {
	t.Helper()
	dir := t.TempDir()
	settings := Defaults()
	settings.Listen, settings.Store, settings.Feed = "127.0.0.1:0", "memory:", []string{"file:" + filepath.Join(dir, "rates.json")}
	settings.ClientsFile, settings.Reports.ReportFiles = filepath.Join(dir, "clients.json"), "dir:"+dir
	for path, text := range map[string]string{
		"rates.json":   `{"rates":[{"base":"USD","quote":"ZAR","mid":"18.25"}]}`,
		"clients.json": `[{"id":"acme","secrets":[{"sha256":"` + strings.Repeat("0", 64) + `"}]}]`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600))
	}
	if set != nil {
		set(&settings)
	}
	var log bytes.Buffer
	s, err := New(t.Context(), &settings, parts, &Config{Stdout: io.Discard, Stderr: &log})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	for line := range strings.Lines(log.String()) {
		if _, text, found := strings.Cut(line, `level=WARN msg="`+begin); found {
			lines = append(lines, strings.TrimSuffix(text, "\"\n"))
		}
	}
	return lines
}
