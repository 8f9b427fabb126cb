package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

type transactions struct{ *Store }

const (
	transactionState = `version, direction, status, code, raw_code, raw_message, scheme, tables,
		created_at, respond_by, ended_at, late_at, late_code, late_message`

	selectTransaction = `SELECT owner, id, ` + transactionState + ` FROM transactions WHERE owner = ? AND id = ?`
)

// transactionFields are the targets of owner, id and transactionState.
func transactionFields(t *ports.Transaction) []any {
	return []any{
		&t.Owner, &t.ID, &t.Version, direction{&t.Direction}, transactionStatus{&t.Status}, text{(*string)(&t.Code)},
		&t.Raw.Code, &t.Raw.Message, &t.Scheme, &t.Tables, instant{&t.CreatedAt}, instant{&t.RespondBy},
		instant{&t.EndedAt}, instant{&t.Late.At}, &t.Late.Raw.Code, &t.Late.Raw.Message,
	}
}

// transactionStatus scans a status. One that is none must not pass for an end.
type transactionStatus struct{ s *ports.TransactionStatus }

func (t transactionStatus) Scan(value any) error {
	var s string
	if err := (text{&s}).Scan(value); err != nil {
		return err
	}
	*t.s = ports.TransactionStatus(s)
	switch *t.s {
	case ports.TransactionPending, ports.TransactionSucceeded, ports.TransactionFailed, ports.TransactionErrored:
		return nil
	default:
		return errcodes.Wrap(errcodes.CorruptRecord, "", fmt.Errorf("the status %q is none", s))
	}
}

// direction scans a direction. One that is none has no codes (I24).
type direction struct{ d *errcodes.Direction }

func (d direction) Scan(value any) error {
	var s string
	if err := (text{&s}).Scan(value); err != nil {
		return err
	}
	*d.d = errcodes.Direction(s)
	if !d.d.Valid() {
		return errcodes.Wrap(errcodes.CorruptRecord, "", fmt.Errorf("the direction %q is none", s))
	}
	return nil
}

func (t transactions) Transaction(ctx context.Context, owner, id string) (ports.Transaction, error) {
	var found ports.Transaction
	err := t.scan(ctx, selectTransaction, []any{blob(owner), blob(id)}, transactionFields(&found)...)
	if errors.Is(err, sql.ErrNoRows) {
		err = errcodes.New(errcodes.NotFound, "No such transaction")
	}
	if err != nil {
		return ports.Transaction{}, err
	}
	return found, nil
}
