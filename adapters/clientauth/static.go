package clientauth

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Static is a fixed set of clients in memory. It is a [ports.ClientReader].
type Static struct{ clients map[string]ports.Client }

// Parse reads "id:secret,id:secret", the form of the CORRIDOR_CLIENTS variable,
// for trying things out: any secret without a comma, any merchant. Blanks
// around an entry do not count. Text without a client, an entry without id or
// secret, and an id that stands twice are [errcodes.Configuration]; the message
// names the entry by its number, never by its content.
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
			return nil, badConfig(fmt.Sprintf("client %d: its id stands twice", i+1))
		}
		s.clients[c.ID] = c
	}
	return s, nil
}

// Client returns the client of id; an unknown one is [errcodes.NotFound].
func (s *Static) Client(ctx context.Context, id string) (ports.Client, error) {
	if err := ctx.Err(); err != nil {
		return ports.Client{}, err
	}
	c, ok := s.clients[id]
	if !ok {
		return ports.Client{}, errcodes.New(errcodes.NotFound, "unknown client")
	}
	c.Secrets, c.Merchants = slices.Clone(c.Secrets), slices.Clone(c.Merchants)
	return c, nil
}
