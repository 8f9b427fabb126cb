package clientauth

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Static is a fixed set of clients in memory. It is a [Clients].
type Static struct{ clients map[string]ports.Client }

// Parse parses "id:secret:merchants,id:secret:merchants", the form of the
// CORRIDOR_CLIENTS variable. A secret has at least [MinSecretLength] bytes, and no comma,
// colon, blank or control character. Merchants are ids joined by "+", or "*" for any.
// Spaces around an entry are ignored. Parse returns [errcodes.Configuration] if there is
// no client, if a part is missing, if a secret is too short or has such a character, and
// if an id is repeated; the message has the number of the entry, never its content.
func Parse(text string) (*Static, error) { return parse(text, false) }

// ParseTrial is [Parse] for sandboxes: a secret may be short, and a client whose
// merchants are left out may name any.
func ParseTrial(text string) (*Static, error) { return parse(text, true) }

func parse(text string, trial bool) (*Static, error) {
	s, form := &Static{clients: map[string]ports.Client{}}, "id:secret:merchants"
	if trial {
		form = "id:secret or id:secret:merchants"
	}
	for i, item := range strings.Split(text, ",") {
		parts := strings.Split(strings.TrimSpace(item), ":")
		if trial && len(parts) == 2 {
			parts = append(parts, ports.AnyMerchant)
		}
		if len(parts) != 3 || slices.Contains(parts, "") {
			return nil, badEntry(i, "must be written "+form+", where * means any merchant")
		}
		id, secret, merchants := parts[0], parts[1], strings.Split(parts[2], "+")
		switch _, twice := s.clients[id]; {
		case twice:
			return nil, badEntry(i, "has an id that is repeated")
		case !trial && len(secret) < MinSecretLength:
			return nil, badEntry(i, fmt.Sprintf("must have a secret of at least %d bytes (128 random bits)", MinSecretLength))
		case strings.ContainsFunc(secret, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
			return nil, badEntry(i, "must have a secret without blanks and control characters")
		case slices.Contains(merchants, ""):
			return nil, badEntry(i, "has a merchant without an id")
		}
		s.clients[id] = ports.Client{ID: id, Merchants: merchants, Secrets: []ports.ClientSecret{{SHA256: HashSecret(secret)}}}
	}
	return s, nil
}

func badEntry(index int, must string) error {
	return badConfig(fmt.Sprintf("client %d %s", index+1, must))
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
