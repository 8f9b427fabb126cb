package clientauth

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/localfile"
	"github.com/corridor-go/corridor/ports"
)

// fileClient and fileSecret are the JSON of a clients file.
type fileClient struct {
	ID        string       `json:"id"`
	Secrets   []fileSecret `json:"secrets"`
	Merchants []string     `json:"merchants"`
	Disabled  bool         `json:"disabled"`
}

type fileSecret struct {
	SHA256    string    `json:"sha256"`
	NotBefore time.Time `json:"notBefore"`
	NotAfter  time.Time `json:"notAfter"`
}

// parseFile parses a clients file. It is strict, since a misspelled "disabled" would
// let a client in. Its errors do not quote the file, which may contain a secret in
// place of a hash.
func parseFile(data []byte) (*Static, error) {
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		return nil, badConfig("the clients file must be a list: [{\"id\": …}, …]")
	}
	var list []fileClient
	if err := localfile.Decode(data, &list, "id", "secrets", "merchants", "disabled", "sha256", "notBefore", "notAfter"); err != nil {
		return nil, badConfig("the clients file is invalid: " + err.Error())
	}
	clients := make([]ports.Client, len(list))
	for i := range list {
		c, err := list[i].client()
		if err != nil {
			return nil, badConfig(fmt.Sprintf("client %d: %v", i+1, err))
		}
		clients[i] = c
	}
	return newStatic(clients)
}

func (f *fileClient) client() (ports.Client, error) {
	if f.ID == "" {
		return ports.Client{}, errors.New("id is required")
	}
	if len(f.Secrets) > MaxSecrets {
		return ports.Client{}, fmt.Errorf("%d secrets, want at most %d", len(f.Secrets), MaxSecrets)
	}
	c := ports.Client{ID: f.ID, Merchants: f.Merchants, Disabled: f.Disabled}
	for i := range f.Secrets {
		s, err := f.Secrets[i].secret()
		if err != nil {
			return ports.Client{}, fmt.Errorf("secret %d: %w", i+1, err)
		}
		c.Secrets = append(c.Secrets, s)
	}
	return c, nil
}

func (f *fileSecret) secret() (ports.ClientSecret, error) {
	s := ports.ClientSecret{NotBefore: ports.Millis(f.NotBefore), NotAfter: ports.Millis(f.NotAfter)}
	hash, err := hex.DecodeString(f.SHA256)
	if err != nil || len(hash) != len(s.SHA256) {
		return s, errors.New("sha256 must be 64 hex digits")
	}
	copy(s.SHA256[:], hash)
	if !s.NotAfter.IsZero() && !s.NotBefore.Before(s.NotAfter) {
		return s, errors.New("notBefore must be before notAfter")
	}
	return s, nil
}

// Static is a fixed set of clients in memory. It is a [Clients].
type Static struct{ clients map[string]ports.Client }

// Parse parses "id:secret,id:secret", the form of the CORRIDOR_CLIENTS variable, which
// is for trials: any secret without a comma, any merchant. Spaces around an entry are
// ignored. It returns [errcodes.Configuration] if there is no client, if an entry lacks
// the id or the secret, and if an id is repeated; the message has the number of the
// entry, never its content.
func Parse(text string) (*Static, error) {
	var clients []ports.Client
	for i, item := range strings.Split(text, ",") {
		id, secret, ok := strings.Cut(strings.TrimSpace(item), ":")
		if !ok || id == "" || secret == "" {
			return nil, badConfig(fmt.Sprintf("client %d must be written id:secret", i+1))
		}
		clients = append(clients, ports.Client{ID: id, Secrets: []ports.ClientSecret{{SHA256: HashSecret(secret)}}})
	}
	return newStatic(clients)
}

func newStatic(clients []ports.Client) (*Static, error) {
	s := &Static{clients: make(map[string]ports.Client, len(clients))}
	for i, c := range clients {
		if _, twice := s.clients[c.ID]; twice {
			return nil, badConfig(fmt.Sprintf("client %d: its id is repeated", i+1))
		}
		s.clients[c.ID] = c
	}
	return s, nil
}

// Client returns the client with the id, or [errcodes.NotFound].
func (s *Static) Client(ctx context.Context, id string) (ports.Client, error) {
	if err := ctx.Err(); err != nil {
		return ports.Client{}, err
	}
	c, ok := s.clients[id]
	if !ok {
		return ports.Client{}, errcodes.New(errcodes.NotFound, "No such client")
	}
	c.Secrets, c.Merchants = slices.Clone(c.Secrets), slices.Clone(c.Merchants)
	return c, nil
}
