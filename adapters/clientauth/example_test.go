package clientauth_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

func ExampleNew() {
	clients, err := clientauth.Parse("acme:gf7C2tJzXo1vQ0bN5hWkLw:*")
	if err != nil {
		panic(err)
	}
	tokens := &store{tokens: map[[32]byte]ports.Token{}} // any ports.TokenStore
	auth, err := clientauth.New(clientauth.Ports{Clients: clients, Tokens: tokens}, nil)
	if err != nil {
		panic(err)
	}

	ctx := context.Background()
	token, expiresIn, err := auth.Issue(ctx, "acme", "gf7C2tJzXo1vQ0bN5hWkLw")
	if err != nil {
		panic(err)
	}
	client, err := auth.Authenticate(ctx, token)
	fmt.Println(client.ID, expiresIn, err)

	if err := auth.Revoke(ctx, "acme", token); err != nil {
		panic(err)
	}
	_, err = auth.Authenticate(ctx, token)
	fmt.Println(errcodes.Of(err))
	// Output:
	// acme 24h0m0s <nil>
	// unauthorized
}

func ExampleParse() {
	_, err := clientauth.Parse("acme:gf7C2tJzXo1vQ0bN5hWkLw:*,beta:short:*")
	fmt.Println(err)
	// Output: configuration: client 2 must have a secret of at least 22 bytes (128 random bits)
}

func ExampleOpenFile() {
	dir, err := os.MkdirTemp("", "clients")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	hash := clientauth.HashSecret("s1")
	text, err := json.Marshal([]map[string]any{{
		"id": "acme", "merchants": []string{"m1"},
		"secrets": []map[string]any{{"sha256": hex.EncodeToString(hash[:]), "notAfter": "2027-01-01T00:00:00Z"}},
	}})
	if err != nil {
		panic(err)
	}
	path := filepath.Join(dir, "clients.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		panic(err)
	}

	file, err := clientauth.OpenFile(path, nil)
	if err != nil {
		panic(err)
	}
	client, err := file.Client(context.Background(), "acme")
	fmt.Println(client.Merchants, client.Secrets[0].NotAfter, err)
	// Output: [m1] 2027-01-01 00:00:00 +0000 UTC <nil>
}

func ExampleNewSecret() {
	// A random source for the test; use crypto/rand.Reader.
	secret, hash, err := clientauth.NewSecret(bytes.NewReader(make([]byte, 32)))
	if err != nil {
		panic(err)
	}
	fmt.Println(secret) // a log shows a mask
	fmt.Println(string(secret))
	fmt.Println(hash == clientauth.HashSecret(string(secret)))
	// Output:
	// cor_sk_…
	// cor_sk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
	// true
}
