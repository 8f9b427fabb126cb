package cmd

import (
	"encoding/base64"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// The secrets have 32 and 24 bytes.
var (
	secretA = "whsec_" + base64.StdEncoding.EncodeToString([]byte("0123456789abcdef0123456789abcdef"))
	secretB = "whsec_" + base64.StdEncoding.EncodeToString([]byte("abcdefghijklmnopqrstuvwx"))
)

// A receiver with one of the secrets can verify what was signed while it was set, and no
// process prints them.
func TestSecretsCanBeReplacedAcrossRestarts(t *testing.T) {
	t.Parallel()
	clients, path := clientsFile(t), filepath.Join(t.TempDir(), "corridor.db")
	r := receiving(t, nil)
	var told strings.Builder
	done := 0
	for i, c := range []struct {
		set  string
		a, b bool // which secrets verify
	}{{secretA, true, false}, {secretA + "," + secretB, true, true}, {secretB, false, true}} {
		p := launch(t, clients, "sqlite:"+path, "CORRIDOR_WEBHOOK_URL="+r.URL+"/?key=canarykey", webhookSecretsEnv+"="+c.set)
		status, _ := p.lock("USD", []string{"ZAR", "NGN", "KES"}[i])
		require.Equal(t, http.StatusCreated, status)
		list := p.received(r, done+1)[done:]
		done = len(list) + done
		require.NoError(t, p.end(syscall.SIGTERM), p.log)
		for _, m := range list {
			require.Equal(t, "rate_lock.minted", m.kind)
			require.Len(t, strings.Fields(m.header.Get("Webhook-Signature")), strings.Count(c.set, ",")+1)
		}
		for secret, good := range map[string]bool{secretA: c.a, secretB: c.b} {
			if good {
				requireSigned(t, secret, list)
			} else {
				requireNotSigned(t, secret, list)
			}
		}
		told.WriteString(p.out.String() + p.log.String())
	}
	requireUntold(t, told.String(), secretA, secretB, secretA[6:], secretB[6:], "canarykey", r.URL)
}

// One line has the reason, and never the secret.
func TestBadWebhookSettingsStartNothing(t *testing.T) {
	encoded := func(n int) string {
		return "whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("canary!!", 9)[:n]))
	}
	const good = "https://shop.example/events"
	for _, c := range []struct {
		name, url, secrets, says string
	}{
		{"http", "http://shop.example/events", secretA, "https"},
		{"a private address", "https://10.1.2.3/", secretA, "public"},
		{"this machine", "https://localhost:1/", secretA, "this machine"},
		{"loopback", "https://127.0.0.1:1/", secretA, "public"},
		{"loopback in IPv6", "https://[::1]:1/", secretA, "public"},
		{"loopback in short", "https://127.1/", secretA, "host"},
		{"a user in the URL", "https://canary:canary@shop.example/", secretA, "user"},
		{"a fragment", good + "#canary", secretA, "fragment"},
		{"not a URL", "canary", secretA, "address"},
		{"another scheme", "ftp://shop.example/canary", secretA, "https"},
		{"no secrets", good, "", webhookSecretsEnv},
		{"no URL", "", secretA, "--webhook-url"},
		{"blank secrets", good, "  ", webhookSecretsEnv},
		{"a secret without its prefix", good, "canary" + secretA, "whsec_"},
		{"not base64", good, "whsec_canary!canary!canary!canary!canary!", "base64"},
		{"too short", good, encoded(23), "24 to 64"},
		{"too long", good, encoded(65), "24 to 64"},
		{"a wrong second secret", good, secretA + ",canary", "secret 2"},
		{"a repeated secret", good, secretA + "," + secretA, "is repeated"},
		{"a comma too many", good, secretA + ",", "secret 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "rates.json")
			write(t, path, `{"rates":[]}`)
			code, out, errs := command(t, "", map[string]string{
				"CORRIDOR_WEBHOOK_URL": c.url, webhookSecretsEnv: c.secrets, clientsEnv: "acme:gf7C2tJzXo1vQ0bN5hWkLw:*",
			}, "serve", "--listen", "127.0.0.1:0", "--store", "memory:", "--feed", "file:"+path, "--log-level", "DEBUG")
			require.Equal(t, exitRejected, code, errs)
			require.Empty(t, out)
			require.Equal(t, 1, strings.Count(errs, "\n"), errs)
			require.Contains(t, errs, c.says)
			requireUntold(t, errs, "canary", secretA, secretA[6:])
		})
	}
}

// This is outside the sandbox.
func TestPrivateReceiversMustBeAllowed(t *testing.T) {
	r := receiving(t, nil)
	path := filepath.Join(t.TempDir(), "rates.json")
	write(t, path, `{"rates":[{"base":"USD","quote":"ZAR","mid":"18.25"}]}`)
	t.Setenv(webhookSecretsEnv, secretA+" , "+secretB)
	s := serveAcme(t, "--store", "memory:", "--feed", "file:"+path, "--webhook-url", r.URL, "--webhook-allow-private")
	status, _ := s.lock("USD", "ZAR")
	require.Equal(t, http.StatusCreated, status)
	list := s.received(r, 1)
	requireSigned(t, secretA, list)
	requireSigned(t, secretB, list)
	status, _ = s.send(http.MethodGet, "/v1/payment/tx_sandbox_pending", "", "")
	require.Equal(t, http.StatusNotFound, status, "no plays outside of the sandbox")
	require.Zero(t, s.stop(), s.log)
	require.Empty(t, s.out.String(), "a secret that was set is not shown")
}
