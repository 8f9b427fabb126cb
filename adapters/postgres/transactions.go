package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Transactions gives the store of transactions.
func (s *Store) Transactions() ports.TransactionStore { return transactions{s} }

type transactions struct{ *Store }

const (
	transactionColumns = `owner, id, version, direction, status, code, raw_code, raw_message, scheme, tables,
		created_at, respond_by, ended_at, late_at, late_code, late_message`

	selectTransaction = `SELECT ` + transactionColumns + ` FROM corridor.transactions WHERE owner = $1 AND id = $2`
)

// transactionFields are the targets of transactionColumns.
func transactionFields(t *ports.Transaction) []any {
	return []any{
		raw{&t.Owner}, raw{&t.ID}, &t.Version, direction{&t.Direction}, transactionStatus{&t.Status},
		text{(*string)(&t.Code)}, raw{&t.Raw.Code}, raw{&t.Raw.Message}, raw{&t.Scheme}, raw{&t.Tables},
		instant{&t.CreatedAt}, instant{&t.RespondBy}, instant{&t.EndedAt}, instant{&t.Late.At},
		raw{&t.Late.Raw.Code}, raw{&t.Late.Raw.Message},
	}
}

// transactionStatus scans a status. One that is none must not pass for an end.
type transactionStatus struct{ s *ports.TransactionStatus }

// ScanText implements pgtype.TextScanner.
func (t transactionStatus) ScanText(v pgtype.Text) error {
	*t.s = ports.TransactionStatus(v.String)
	switch *t.s {
	case ports.TransactionPending, ports.TransactionSucceeded, ports.TransactionFailed, ports.TransactionErrored:
		return nil
	default:
		return corrupt("a transaction's status is none")
	}
}

// direction scans a direction. One that is none has no codes (I24).
type direction struct{ d *errcodes.Direction }

// ScanText implements pgtype.TextScanner.
func (d direction) ScanText(v pgtype.Text) error {
	*d.d = errcodes.Direction(v.String)
	if !d.d.Valid() {
		return corrupt("a transaction's direction is none")
	}
	return nil
}

func (t transactions) Transaction(ctx context.Context, owner, id string) (ports.Transaction, error) {
	var found ports.Transaction
	err := t.row(ctx, selectTransaction, []any{[]byte(owner), []byte(id)}, transactionFields(&found)...)
	if errors.Is(err, pgx.ErrNoRows) {
		err = errcodes.New(errcodes.NotFound, "No such transaction")
	}
	if err != nil {
		return ports.Transaction{}, err
	}
	return found, nil
}
