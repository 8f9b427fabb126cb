package storetest

import (
	"context"
	"crypto/sha256"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// ClientStore checks a ports.ClientStore.
func ClientStore(t *testing.T, h Harness) {
	t.Helper()
	runStore(t, h, clientChecks, func(s Store) string {
		if s.Clients == nil {
			return "the store keeps no clients"
		}
		return ""
	})
}

var clientChecks = []storeCheck{
	{"an unknown client is not found", unknownClient},
	{"a client comes back as it was put", clientRoundTrip},
	{"a client without secrets and merchants comes back so", bareClient},
	{"a client is replaced as a whole", clientReplaced},
	{"client ids that look alike are different clients", clientIDsApart},
	{"changing a client outside changes nothing stored", clientNotAliased},
	{"a context that is done gives its own code and changes nothing", clientsCancelled},
	{"a closed store says so", clientsClosed},
	{"a store that is opened again has its clients", clientsReopened},
}

// client makes a client in the middle of a rotation.
func client(id string) ports.Client {
	hash := func(text string) [32]byte { return sha256.Sum256([]byte(id + text)) }
	return ports.Client{
		ID: id,
		Secrets: []ports.ClientSecret{
			{SHA256: hash("old"), NotAfter: kit.Epoch.Add(time.Hour + time.Millisecond)},
			{SHA256: hash("current")},
			{SHA256: hash("next"), NotBefore: kit.Epoch.Add(-time.Millisecond), NotAfter: time.Date(2500, 1, 1, 0, 0, 0, 0, time.UTC)},
		},
		Merchants: []string{"merchant-z", "merchant-a", "Merchant-a ", "m\x00\xff,\"'", ""},
		Disabled:  true,
	}
}

func (k *storeKit) putClient(c ports.Client) {
	k.Helper()
	k.OK(k.Clients.PutClient(k.Context(), c), "PutClient")
}

func (k *storeKit) client(id string) ports.Client {
	k.Helper()
	c, err := k.Clients.Client(k.Context(), id)
	k.OK(err, "Client")
	return c
}

func unknownClient(k *storeKit) {
	k.putClient(client("acme"))
	for _, id := range []string{"zenith", "", "acme ", "ACME", "acme\x00", "%"} {
		_, err := k.Clients.Client(k.Context(), id)
		k.Code(err, errcodes.NotFound, "Client of an unknown id")
	}
}

func clientRoundTrip(k *storeKit) {
	for _, disabled := range []bool{true, false} {
		want := client("acme")
		want.Disabled = disabled
		k.putClient(want)
		k.Same(k.client("acme"), want, "the client")
	}
}

func bareClient(k *storeKit) {
	want := ports.Client{ID: "bare"}
	k.putClient(want)
	k.Same(k.client("bare"), want, "a client of nothing but an id")
}

func clientReplaced(k *storeKit) {
	other := client("zenith")
	k.putClient(other)
	k.putClient(client("acme"))
	want := client("acme")
	want.Secrets, want.Merchants, want.Disabled = want.Secrets[2:], []string{"merchant-b"}, false
	k.putClient(want)
	k.Same(k.client("acme"), want, "the client that was replaced")
	k.Same(k.client("zenith"), other, "the other client")
}

func clientIDsApart(k *storeKit) {
	for _, id := range kit.Distinct {
		k.putClient(client(id))
	}
	for _, id := range kit.Distinct {
		k.Same(k.client(id), client(id), "a client among look-alikes")
	}
}

func clientNotAliased(k *storeKit) {
	in := client("acme")
	k.putClient(in)
	for range 2 {
		in.Secrets[0].SHA256[0]++
		in.Merchants[0] = "changed"
		in = k.client("acme")
		k.Same(in, client("acme"), "the client after a copy was changed")
	}
}

func (k *storeKit) clientCalls(c ports.Client) map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"PutClient": func(ctx context.Context) error { return k.Clients.PutClient(ctx, c) },
		"Client":    func(ctx context.Context) error { _, err := k.Clients.Client(ctx, c.ID); return err },
	}
}

func clientsCancelled(k *storeKit) {
	k.putClient(client("acme"))
	changed := client("acme")
	changed.Disabled = false
	k.doneContexts(k.clientCalls(changed))
	k.Same(k.client("acme"), client("acme"), "the client after a put with a context that was done")
}

func clientsClosed(k *storeKit) {
	k.putClient(client("acme"))
	k.closed(k.clientCalls(client("acme")))
}

func clientsReopened(k *storeKit) {
	k.Need(k.Reopen != nil, "Reopen: it is not durable")
	k.putClient(client("acme"))
	k.Store = k.Reopen()
	k.Same(k.client("acme"), client("acme"), "the client after opening again")
}
