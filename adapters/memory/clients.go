package memory

import (
	"context"
	"slices"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// clients implements ports.ClientStore.
type clients struct{ s *Store }

func (c clients) Client(ctx context.Context, id string) (ports.Client, error) {
	if err := c.s.reading(ctx); err != nil {
		return ports.Client{}, err
	}
	defer c.s.mu.RUnlock()
	kept, ok := c.s.clients[id]
	if !ok {
		return ports.Client{}, errcodes.New(errcodes.NotFound, "No such client")
	}
	return copyClient(kept), nil
}

func (c clients) PutClient(ctx context.Context, v ports.Client, audit ports.AuditRow) error {
	if err := audit.Check(); err != nil {
		return err
	}
	if err := c.s.writing(ctx); err != nil {
		return err
	}
	defer c.s.mu.Unlock()
	c.s.clients[v.ID] = copyClient(v)
	c.s.record(audit)
	return nil
}

func copyClient(c ports.Client) ports.Client {
	c.Merchants = slices.Clone(c.Merchants)
	c.RevokedBefore = ports.Millis(c.RevokedBefore)
	c.Secrets = slices.Clone(c.Secrets)
	for i := range c.Secrets {
		secret := &c.Secrets[i]
		secret.NotBefore, secret.NotAfter = ports.Millis(secret.NotBefore), ports.Millis(secret.NotAfter)
	}
	return c
}
