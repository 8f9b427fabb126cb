package clientauth

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Static is a fixed set of clients in memory. It is a [Clients].
type Static struct{ clients map[string]ports.Client }

// Parse parses "id:secret,id:secret", the form of the CORRIDOR_CLIENTS variable, which
// is for trials: any secret without a comma, any merchant. Spaces around an entry are
// ignored. It returns [errcodes.Configuration] if there is no client, if an entry lacks
// the id or the secret, and if an id is repeated; the message has the number of the
// entry, never its content.
func Parse(text string) (*Static, error) {
	s := &Static{clients: map[string]ports.Client{}}
	for i, item := range strings.Split(text, ",") {
		id, secret, ok := strings.Cut(strings.TrimSpace(item), ":")
		if !ok || id == "" || secret == "" {
			return nil, badConfig(fmt.Sprintf("client %d must be written id:secret", i+1))
		}
		if _, twice := s.clients[id]; twice {
			return nil, badConfig(fmt.Sprintf("client %d: its id is repeated", i+1))
		}
		s.clients[id] = ports.Client{ID: id, Secrets: []ports.ClientSecret{{SHA256: HashSecret(secret)}}}
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
