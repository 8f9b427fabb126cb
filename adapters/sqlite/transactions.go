package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

type transactions struct{ *Store }

const (
	transactionState = `version, direction, status, code, raw_code, raw_message, scheme, tables,
		created_at, respond_by, ended_at, late_at, late_code, late_message`

	selectTransaction = `SELECT owner, id, ` + transactionState + ` FROM transactions WHERE owner = ? AND id = ?`

	insertTransaction = `INSERT INTO transactions (owner, id, ` + transactionState + `)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (owner, id) DO NOTHING`

	// updateTransaction takes the arguments of insertTransaction. Terminal states are
	// final for writers of all processes (I27): an ended row accepts only a change
	// that leaves its fields as they are or adds the first late payment.
	updateTransaction = `UPDATE transactions SET (` + transactionState + `)
			= (?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
		WHERE owner = ?1 AND id = ?2 AND version = ?3 - 1 AND (status = 'PENDING' OR
			(direction, status, code, raw_code, raw_message, scheme, tables, created_at, respond_by, ended_at)
				IS (?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
			AND (late_at IS NULL OR (late_at, late_code, late_message) IS (?14, ?15, ?16)))`
)

// transactionFields returns the destinations of owner, id and transactionState.
func transactionFields(t *ports.Transaction) []any {
	return []any{
		&t.Owner, &t.ID, &t.Version, known[errcodes.Direction]{&t.Direction, directions}, known[ports.TransactionStatus]{&t.Status, transactionStatuses}, text{(*string)(&t.Code)},
		&t.Raw.Code, &t.Raw.Message, &t.Scheme, &t.Tables, instant{&t.CreatedAt}, instant{&t.RespondBy},
		instant{&t.EndedAt}, instant{&t.LateAt}, &t.LateRaw.Code, &t.LateRaw.Message,
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
	return t.saveRecord(ctx, "transaction", c.Transaction.Version, insertTransaction, updateTransaction, transactionArgs(&c.Transaction), queued{c.Events, c.Work, c.Audit},
		func(ctx context.Context, s *session) (outcome, error) { return transactionOutcome(ctx, s, &c) })
}

// transactionArgs returns the values of owner, id and transactionState after a save
// of t.
func transactionArgs(t *ports.Transaction) []any {
	return []any{
		blob(t.Owner), blob(t.ID), t.Version + 1, string(t.Direction), string(t.Status), optionalText(string(t.Code)),
		blob(t.Raw.Code), blob(t.Raw.Message), t.Scheme, t.Tables, t.CreatedAt.UnixMilli(), optionalMillis(t.RespondBy),
		optionalMillis(t.EndedAt), optionalMillis(t.LateAt), blob(t.LateRaw.Code), blob(t.LateRaw.Message),
	}
}

// transactionOutcome compares the transaction's row, which is never removed, with the
// change. An equal row proves little: another process may have stored the same. The
// change's events and work items then decide; if it has none, an equal row is all
// that the caller asked for.
func transactionOutcome(ctx context.Context, s *session, c *ports.TransactionChange) (outcome, error) {
	var now ports.Transaction
	args := []any{blob(c.Transaction.Owner), blob(c.Transaction.ID)}
	err := s.scan(ctx, selectTransaction, args, transactionFields(&now)...)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return unknown, err
	}
	saved := storedTransaction(c.Transaction)
	switch {
	case now.Version < saved.Version: // 0 if there is no row
		return discarded, nil
	case now.Version == saved.Version && now != saved:
		return discarded, nil
	case saved.Status.Terminal() && !mayFollow(saved, now):
		return discarded, nil // the row cannot have followed the end that this change stores
	case now.Version == saved.Version && queued{c.Events, c.Work, c.Audit}.isEmpty():
		return stored, nil
	}
	return outcomeOfQueued(ctx, s, c.Events, c.Work)
}

// mayFollow reports whether an ended transaction can have become now.
func mayFollow(ended, now ports.Transaction) bool {
	if ended.LateAt.IsZero() {
		ended.LateAt, ended.LateRaw = now.LateAt, now.LateRaw
	}
	ended.Version = now.Version
	return ended == now
}

// storedTransaction returns t as a save stores it.
func storedTransaction(t ports.Transaction) ports.Transaction {
	t.Version++
	for _, at := range [...]*time.Time{&t.CreatedAt, &t.RespondBy, &t.EndedAt, &t.LateAt} {
		*at = ports.Millis(*at)
	}
	return t
}

func (t transactions) Transaction(ctx context.Context, owner, id string) (ports.Transaction, error) {
	return one(ctx, t.Store, "No such transaction", transactionFields, selectTransaction, blob(owner), blob(id))
}
