package service

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/ports"
)

// Processes that start concurrently do not overwrite each other's secrets.
func TestConcurrentStartsKeepAllSecrets(t *testing.T) {
	t.Parallel()
	spec := shared.empty(t)
	var stores []*Store
	for range clientauth.MaxSecrets {
		s, err := OpenShared(t.Context(), Shipped(), spec)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		stores = append(stores, s)
	}
	for range 10 {
		var out screen
		var all sync.WaitGroup
		for _, s := range stores {
			all.Go(func() {
				greet, err := introduceSandbox(t.Context(), s)
				if assert.NoError(t, err) {
					greet(&out, "")
				}
			})
		}
		all.Wait()
		client, err := stores[0].Clients().Client(t.Context(), sandboxClientID)
		require.NoError(t, err)
		secrets := printedSecrets(out.String())
		require.Len(t, secrets, len(stores), "secrets are missing")
		for _, secret := range secrets {
			hash := ports.ClientSecret{SHA256: clientauth.HashSecret(secret)}
			require.Contains(t, client.Secrets, hash, "each is good")
		}
	}
}

// printedSecrets returns the secrets that all processes printed.
func printedSecrets(text string) (secrets []string) {
	for line := range strings.Lines(text) {
		if secret, ok := strings.CutPrefix(strings.TrimSpace(line), "client_secret "); ok {
			secrets = append(secrets, secret)
		}
	}
	return secrets
}
