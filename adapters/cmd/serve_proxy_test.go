package cmd

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Behind a proxy that terminates TLS all requests come from one address. A flood of
// requests for tokens without credentials must not use up the rate of all clients.
func TestAFloodBehindAProxyDoesNotLimitOtherClients(t *testing.T) {
	s := serve(t, nil, "--sandbox", "--store", "memory:", "--clients-file", clientsFile(t), "--address-limit", "0.2", "--client-addr-header", "X-Forwarded-For")
	ask := func(from, body string) int {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/v1/auth/oauth2/token", strings.NewReader(body))
		require.NoError(t, err)
		request.Header.Set("X-Forwarded-For", from)
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		return answer.StatusCode
	}
	acme := `{"client_id":"acme","client_secret":"` + acmeSecret + `"}`
	require.Equal(t, http.StatusBadRequest, ask("203.0.113.7", "junk"))
	require.Equal(t, http.StatusTooManyRequests, ask("203.0.113.7", "junk"))
	require.Equal(t, http.StatusTooManyRequests, ask("192.0.2.1, 203.0.113.7", "junk"), "what the stranger wrote before the proxy did")
	require.Equal(t, http.StatusOK, ask("198.51.100.9", acme))
}
