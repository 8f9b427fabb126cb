package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// TransactionStore checks a ports.TransactionStore.
func TransactionStore(t *testing.T, h Harness) {
	t.Helper()
	runStore(t, h, transactionChecks, "the store keeps no transactions", func(s Store) bool { return s.Transactions != nil })
}

var transactionChecks = slices.Concat(
	transactionRecordChecks,
	rawChecks,
	transactionKeyChecks,
	transactionVersionChecks,
	transactionEndChecks,
	transactions.queueChecks(),
	transactions.outcomeChecks(transactionsReopened),
)

// ends are the ends of a transaction; the bad ones may be followed by a late
// payment.
var (
	badEnds = []ports.TransactionStatus{ports.TransactionFailed, ports.TransactionErrored}
	ends    = append([]ports.TransactionStatus{ports.TransactionSucceeded}, badEnds...)
)

// pendingTransaction makes a transaction that waits for its provider.
func pendingTransaction(owner, id string) ports.Transaction {
	return ports.Transaction{
		ID: id, Owner: owner, Direction: errcodes.Payin, Status: ports.TransactionPending,
		CreatedAt: kit.Epoch, RespondBy: kit.Epoch.Add(5 * time.Minute),
	}
}

// endedTransaction gives a pending transaction its end.
func endedTransaction(t ports.Transaction, status ports.TransactionStatus) ports.Transaction {
	t.Status, t.EndedAt = status, t.CreatedAt.Add(1234*time.Millisecond)
	t.Raw = ports.RawFailure{Code: "51", Message: "said of " + t.ID}
	t.Scheme, t.Tables = "provider-1", "2026-03-01"
	switch status {
	case ports.TransactionFailed:
		t.Code = errcodes.FailureDeclined
	case ports.TransactionErrored:
		t.Code = errcodes.ErrorDownstream
	case ports.TransactionSucceeded, ports.TransactionPending:
		t.Code = ""
	}
	return t
}

// withLate records that money landed after a bad end.
func withLate(t ports.Transaction) ports.Transaction {
	t.Late = ports.LatePayment{At: t.EndedAt.Add(time.Hour), Raw: ports.RawFailure{Code: "00", Message: "landed of " + t.ID}}
	return t
}

var transactions = &records[ports.Transaction]{
	name: "Transaction", stem: "tx-", perOwner: true,
	write: func(ctx context.Context, s Store, c change[ports.Transaction]) error {
		return s.Transactions.Save(ctx, ports.TransactionChange{Transaction: c.record, Events: c.events, Work: c.work})
	},
	read: func(ctx context.Context, s Store, owner, id string) (ports.Transaction, error) {
		return s.Transactions.Transaction(ctx, owner, id)
	},
	calls: func(Store, ports.Transaction) map[string]func(ctx context.Context) error {
		return map[string]func(ctx context.Context) error{}
	},
	head: func(t *ports.Transaction) header { return header{&t.Owner, &t.ID, &t.Version} },
	times: func(t *ports.Transaction) []*time.Time {
		return []*time.Time{&t.CreatedAt, &t.RespondBy, &t.EndedAt, &t.Late.At}
	},
	plain: func(t ports.Transaction) ports.Transaction { return t },
	open:  pendingTransaction,
	change: step[ports.Transaction]{"a change", func(t ports.Transaction, i int) ports.Transaction {
		t.RespondBy = t.RespondBy.Add(time.Duration(i+1) * time.Millisecond)
		return t
	}},
	ends: endsAs(badEnds, func(t ports.Transaction, status ports.TransactionStatus, i int) ports.Transaction {
		t = endedTransaction(t, status)
		t.Raw.Code = fmt.Sprint("code ", i)
		return t
	}),
	after: []step[ports.Transaction]{{"a late payment", func(t ports.Transaction, i int) ports.Transaction {
		t = withLate(t)
		t.Late.Raw.Message = fmt.Sprint("message ", i)
		return t
	}}},
	samples: func() []ports.Transaction {
		return []ports.Transaction{
			pendingTransaction("acme", "pending"),
			endedTransaction(pendingTransaction("acme", "succeeded"), ports.TransactionSucceeded),
			withLate(endedTransaction(pendingTransaction("acme", "failed"), ports.TransactionFailed)),
		}
	},
	long: func(t ports.Transaction, long string) ports.Transaction {
		t = endedTransaction(t, ports.TransactionFailed)
		t.Scheme, t.Tables = long+"scheme", long+"tables"
		return t
	},
}

func transactionsReopened(k *storeKit) {
	k.Need(k.Reopen != nil, "Reopen: it is not durable")
	pending := transactions.save(k, pendingTransaction("acme", "pending"))
	failed := transactions.save(k, endedTransaction(transactions.save(k, pendingTransaction("acme", "failed")), ports.TransactionFailed))
	late := transactions.save(k, withLate(transactions.save(k, endedTransaction(pendingTransaction("acme", "late"), ports.TransactionErrored))))
	k.Store = k.Reopen()
	for _, t := range []ports.Transaction{pending, failed, late} {
		transactions.has(k, t, "the transaction after opening again")
	}
	other := late
	other.Late.At = other.Late.At.Add(time.Millisecond)
	transactions.refused(k, other, "a second late payment after opening again")
	transactions.refused(k, endedTransaction(failed, ports.TransactionErrored), "another end after opening again")
	transactions.keeps(k, withLate(failed), "a late payment after opening again")
	transactions.keeps(k, endedTransaction(pending, ports.TransactionSucceeded), "an end after opening again")
}
