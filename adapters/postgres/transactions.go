package postgres

import (
	"context"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

type transactions struct{ *Store }

const (
	transactionColumns = `owner, id, version, direction, status, code, raw_code, raw_message, scheme, tables,
		created_at, respond_by, ended_at, late_at, late_code, late_message`

	selectTransaction = `SELECT ` + transactionColumns + ` FROM corridor.transactions WHERE owner = $1 AND id = $2`

	insertTransaction = `saved AS (INSERT INTO corridor.transactions (` + transactionColumns + `)
		VALUES ($1, $2, $3::bigint + 1, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
		ON CONFLICT (owner, id) DO NOTHING RETURNING 1)`

	// updateTransaction takes the parameters of insertTransaction. Terminal states are
	// final for writers of all processes (I27): an ended row accepts only a change
	// that leaves its fields as they are or adds the first late payment. A writer that
	// waited for another is checked against the row as that one left it.
	updateTransaction = `saved AS (UPDATE corridor.transactions
		SET (version, direction, status, code, raw_code, raw_message, scheme, tables,
				created_at, respond_by, ended_at, late_at, late_code, late_message)
			= (version + 1, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
		WHERE owner = $1 AND id = $2 AND version = $3 AND (status = 'PENDING' OR
			(direction, status, code, raw_code, raw_message, scheme, tables, created_at, respond_by, ended_at)
				IS NOT DISTINCT FROM ($4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
			AND (late_at IS NULL OR (late_at, late_code, late_message) IS NOT DISTINCT FROM ($14, $15, $16)))
		RETURNING 1)`
)

var (
	beginTransaction  = newSaveStatement(insertTransaction, 16)
	changeTransaction = newSaveStatement(updateTransaction, 16)
)

// transactionFields returns the destinations of transactionColumns.
func transactionFields(t *ports.Transaction) []any {
	return []any{
		byteString{&t.Owner}, byteString{&t.ID}, &t.Version, known[errcodes.Direction]{&t.Direction, directions}, known[ports.TransactionStatus]{&t.Status, transactionStatuses},
		text{(*string)(&t.Code)}, byteString{&t.Raw.Code}, byteString{&t.Raw.Message}, byteString{&t.Scheme}, byteString{&t.Tables},
		instant{&t.CreatedAt}, instant{&t.RespondBy}, instant{&t.EndedAt}, instant{&t.LateAt},
		byteString{&t.LateRaw.Code}, byteString{&t.LateRaw.Message},
	}
}

var (
	transactionStatuses = []ports.TransactionStatus{
		ports.TransactionPending, ports.TransactionSucceeded, ports.TransactionFailed, ports.TransactionErrored,
	}
	directions = []errcodes.Direction{errcodes.Payin, errcodes.Payout} // others have no failure codes (I24)
)

func (t transactions) Save(ctx context.Context, c ports.TransactionChange) error {
	if err := ports.CheckRaw(c.Transaction.Raw, c.Transaction.LateRaw); err != nil {
		return err
	}
	return t.saveRecord(ctx, "transaction", c.Transaction.Version, beginTransaction, changeTransaction, transactionArgs(&c.Transaction), queued{c.Events, c.Work, c.Audit})
}

// transactionArgs returns the arguments of insertTransaction and updateTransaction.
func transactionArgs(t *ports.Transaction) []any {
	return []any{
		[]byte(t.Owner), []byte(t.ID), t.Version, string(t.Direction), string(t.Status), optionalText(string(t.Code)),
		[]byte(t.Raw.Code), []byte(t.Raw.Message), []byte(t.Scheme), []byte(t.Tables), millis(t.CreatedAt),
		optionalMillis(t.RespondBy), optionalMillis(t.EndedAt), optionalMillis(t.LateAt), []byte(t.LateRaw.Code), []byte(t.LateRaw.Message),
	}
}

func (t transactions) Transaction(ctx context.Context, owner, id string) (ports.Transaction, error) {
	return one(ctx, t.Store, "No such transaction", transactionFields, selectTransaction, []byte(owner), []byte(id))
}
