package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

type clients struct{ *Store }

const (
	// One statement reads a consistent client: its row, its secrets and its merchants.
	selectClient = `SELECT 'client' AS part, 0 AS position, disabled, revoked_before, NULL AS sha256, NULL AS not_before,
			NULL AS not_after, NULL AS merchant
		FROM clients WHERE id = ?1
		UNION ALL SELECT 'secret', position, NULL, NULL, sha256, not_before, not_after, NULL FROM client_secrets WHERE client_id = ?1
		UNION ALL SELECT 'merchant', position, NULL, NULL, NULL, NULL, NULL, merchant FROM client_merchants WHERE client_id = ?1
		ORDER BY part, position`

	deleteClient   = `DELETE FROM clients WHERE id = ?`
	insertClient   = `INSERT INTO clients (id, disabled, revoked_before) VALUES (?, ?, ?)`
	insertSecret   = `INSERT INTO client_secrets (client_id, position, sha256, not_before, not_after) VALUES (?, ?, ?, ?, ?)`
	insertMerchant = `INSERT INTO client_merchants (client_id, position, merchant) VALUES (?, ?, ?)`
)

func (c clients) Client(ctx context.Context, id string) (ports.Client, error) {
	client, found := ports.Client{ID: id}, false
	err := c.each(ctx, selectClient, []any{blob(id)}, func(rows *sql.Rows) error {
		part, err := scanPart(rows, &client)
		found = found || part == "client"
		return err
	})
	switch {
	case err != nil:
		return ports.Client{}, err
	case !found:
		return ports.Client{}, errcodes.New(errcodes.NotFound, "No such client")
	}
	return client, nil
}

func scanPart(rows *sql.Rows, c *ports.Client) (part string, err error) {
	var (
		position int
		disabled sql.NullBool
		revoked  time.Time
		merchant []byte
		secret   ports.ClientSecret
	)
	err = rows.Scan(&part, &position, &disabled, instant{&revoked}, digest{&secret.SHA256}, instant{&secret.NotBefore}, instant{&secret.NotAfter}, &merchant)
	if err != nil {
		return "", err
	}
	switch part {
	case "client":
		c.Disabled, c.RevokedBefore = disabled.Bool, revoked
	case "secret":
		c.Secrets = append(c.Secrets, secret)
	case "merchant":
		c.Merchants = append(c.Merchants, string(merchant))
	}
	return part, nil
}

func (c clients) PutClient(ctx context.Context, client ports.Client, audit ports.AuditRow) error {
	if err := audit.Check(); err != nil {
		return err
	}
	return c.update(ctx, func(ctx context.Context, s *session) error {
		if err := putClient(ctx, s, &client); err != nil {
			return err
		}
		return addAudit(ctx, s, &audit)
	}, nil)
}

func putClient(ctx context.Context, s *session, c *ports.Client) error {
	id := blob(c.ID)
	if _, err := s.exec(ctx, deleteClient, id); err != nil {
		return err
	}
	if _, err := s.exec(ctx, insertClient, id, c.Disabled, optionalMillis(c.RevokedBefore)); err != nil {
		return err
	}
	for i := range c.Secrets {
		k := &c.Secrets[i]
		_, err := s.exec(ctx, insertSecret, id, i, k.SHA256[:], optionalMillis(k.NotBefore), optionalMillis(k.NotAfter))
		if err != nil {
			return err
		}
	}
	for i, m := range c.Merchants {
		if _, err := s.exec(ctx, insertMerchant, id, i, blob(m)); err != nil {
			return err
		}
	}
	return nil
}
