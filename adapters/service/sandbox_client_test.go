package service

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/errcodes"
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
				greet, err := introduceSandbox(t.Context(), s, ports.Pair{Base: "USD", Quote: "ZAR"})
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

// offering is a feed with these pairs or an error.
type offering struct {
	ports.PriceFeed
	pairs []ports.Pair
	err   error
}

func (o offering) Pairs(context.Context) (ports.PairSet, error) {
	return ports.NewPairSet(o.pairs...), o.err
}

func TestTheGreetingLocksAPairOfTheFeed(t *testing.T) {
	zar, kes := ports.Pair{Base: "USD", Quote: "ZAR"}, ports.Pair{Base: "EUR", Quote: "KES"}
	for name, c := range map[string]struct {
		feed offering
		want ports.Pair
	}{
		"the usual pair among others": {offering{pairs: []ports.Pair{kes, zar}}, zar},
		"another pair":                {offering{pairs: []ports.Pair{kes}}, kes},
		"no pair":                     {offering{}, zar},
		"a feed that was not read":    {offering{err: errcodes.PriceUnavailable}, zar},
	} {
		t.Run(name, func(t *testing.T) {
			pair := examplePair(t.Context(), c.feed)
			require.Equal(t, c.want, pair)
			var out screen
			greetSandbox(&out, "http://localhost", "hush", pair)
			require.Contains(t, out.String(), "\nlock "+pair.String()+" for the client:\n")
			require.Contains(t, out.String(), `{"base":"`+pair.Base+`","quote":"`+pair.Quote+`"}`)
		})
	}
}
