package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/corridor-go/corridor/ports"
)

type clients struct{ *Store }

const selectClient = `SELECT disabled, revoked_before, secrets::bytea[], not_before, not_after, merchants FROM corridor.clients WHERE id = $1`

var putClient = audited(`INSERT INTO corridor.clients (id, disabled, revoked_before, secrets, not_before, not_after, merchants)
	VALUES ($1, $2, $3, $4::bytea[], $5, $6, $7)
	ON CONFLICT (id) DO UPDATE SET (disabled, revoked_before, secrets, not_before, not_after, merchants)
		= (excluded.disabled, excluded.revoked_before, excluded.secrets, excluded.not_before, excluded.not_after, excluded.merchants)
	RETURNING 1`, 7, `?::bytea`, `?::bytea`)

// clientRow contains the columns of a client.
type clientRow struct {
	disabled            bool
	revokedBefore       time.Time
	secrets             [][]byte
	notBefore, notAfter []pgtype.Timestamptz
	merchants           [][]byte
}

func (c clients) Client(ctx context.Context, id string) (ports.Client, error) {
	row, err := one(ctx, c.Store, "No such client", (*clientRow).fields, selectClient, []byte(id))
	if err != nil {
		return ports.Client{}, err
	}
	return row.client(id)
}

func (r *clientRow) fields() []any {
	return []any{&r.disabled, instant{&r.revokedBefore}, &r.secrets, &r.notBefore, &r.notAfter, &r.merchants}
}

func (r *clientRow) client(id string) (ports.Client, error) {
	c := ports.Client{ID: id, Disabled: r.disabled, RevokedBefore: r.revokedBefore}
	if len(r.notBefore) != len(r.secrets) || len(r.notAfter) != len(r.secrets) {
		return ports.Client{}, corrupt("a client's numbers of secrets and of times differ")
	}
	for i, sum := range r.secrets {
		secret, err := readSecret(sum, r.notBefore[i], r.notAfter[i])
		if err != nil {
			return ports.Client{}, err
		}
		c.Secrets = append(c.Secrets, secret)
	}
	for _, m := range r.merchants {
		c.Merchants = append(c.Merchants, string(m))
	}
	return c, nil
}

func readSecret(sum []byte, notBefore, notAfter pgtype.Timestamptz) (ports.ClientSecret, error) {
	var s ports.ClientSecret
	return s, errors.Join(digest{&s.SHA256}.ScanBytes(sum), instant{&s.NotBefore}.ScanTimestamptz(notBefore), instant{&s.NotAfter}.ScanTimestamptz(notAfter))
}

func (c clients) PutClient(ctx context.Context, client ports.Client, audit ports.AuditRow) error {
	if err := audit.Check(); err != nil {
		return err
	}
	row := rowOf(&client)
	args := []any{[]byte(client.ID), row.disabled, optionalMillis(row.revokedBefore), row.secrets, row.notBefore, row.notAfter, row.merchants}
	_, err := c.count(ctx, putClient, appendAudit(args, &audit)...)
	return err
}

// rowOf returns the columns of c. Its lists are never nil, which would be NULL.
func rowOf(c *ports.Client) clientRow {
	n := len(c.Secrets)
	row := clientRow{
		disabled: c.Disabled, revokedBefore: c.RevokedBefore, secrets: make([][]byte, n), merchants: make([][]byte, len(c.Merchants)),
		notBefore: make([]pgtype.Timestamptz, n), notAfter: make([]pgtype.Timestamptz, n),
	}
	for i := range c.Secrets {
		s := &c.Secrets[i]
		row.secrets[i], row.notBefore[i], row.notAfter[i] = s.SHA256[:], optionalMillis(s.NotBefore), optionalMillis(s.NotAfter)
	}
	for i, m := range c.Merchants {
		row.merchants[i] = []byte(m)
	}
	return row
}
