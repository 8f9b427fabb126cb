package memory

import (
	"context"
	"time"

	"github.com/corridor-go/corridor/ports"
)

// transactionKey identifies a transaction: ids are unique per owner.
type transactionKey struct{ owner, id string }

// transactionState contains the transactions; the pointed-to ones never change.
type transactionState map[transactionKey]*ports.Transaction

// admits reports whether t may be stored: either it is new, or it follows the stored
// version. If the stored transaction has ended, t may only add its first late payment.
func (s transactionState) admits(t *ports.Transaction) bool {
	old := s[transactionKey{t.Owner, t.ID}]
	if old == nil {
		return t.Version == 1
	}
	return old.Version == t.Version-1 && (!old.Status.Terminal() || onlyLate(*old, *t))
}

// onlyLate reports whether t equals an ended transaction, or only adds its first late
// payment (I27).
func onlyLate(before, t ports.Transaction) bool {
	if before.LateAt.IsZero() {
		before.LateAt, before.LateRaw = t.LateAt, t.LateRaw
	}
	before.Version = t.Version
	return before == t
}

// storedTransaction returns the transaction as the store keeps it.
func storedTransaction(t ports.Transaction) *ports.Transaction {
	t.Version++
	for _, at := range [...]*time.Time{&t.CreatedAt, &t.RespondBy, &t.EndedAt, &t.LateAt} {
		*at = ports.Millis(*at)
	}
	return &t
}

// transactions implements ports.TransactionStore.
type transactions struct{ s *Store }

func (t transactions) Save(ctx context.Context, change ports.TransactionChange) error {
	if err := ports.CheckRaw(change.Transaction.Raw, change.Transaction.LateRaw); err != nil {
		return err
	}
	if err := ports.CheckQueued(change.Events, change.Work, change.Audit); err != nil {
		return err
	}
	kept := storedTransaction(change.Transaction)
	if err := t.s.writing(ctx); err != nil {
		return err
	}
	defer t.s.mu.Unlock()
	if !t.s.transactions.admits(kept) || !t.s.admitsWork(change.Work) {
		return errTransactionChanged
	}
	if err := t.s.faults(BeforeCommit); err != nil {
		return err
	}
	t.s.transactions[transactionKey{kept.Owner, kept.ID}] = kept
	t.s.enqueue(change.Events, change.Work, change.Audit)
	return t.s.faults(AfterCommit)
}

func (t transactions) Transaction(ctx context.Context, owner, id string) (ports.Transaction, error) {
	if err := t.s.reading(ctx); err != nil {
		return ports.Transaction{}, err
	}
	defer t.s.mu.RUnlock()
	kept := t.s.transactions[transactionKey{owner, id}]
	if kept == nil {
		return ports.Transaction{}, errNoTransaction
	}
	return *kept, nil
}
