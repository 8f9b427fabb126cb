package storetest

import (
	"context"
	"fmt"
	"reflect"
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
	runStore(t, h, transactionChecks, func(s Store) string {
		if s.Transactions == nil {
			return "the store keeps no transactions"
		}
		return ""
	})
}

var transactionChecks = slices.Concat(
	transactionRecordChecks,
	rawChecks,
	transactionKeyChecks,
	transactionVersionChecks,
	transactionEndChecks,
	transactionQueueChecks,
	transactionOutcomeChecks,
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

// saveTransaction stores the transaction and gives it as it should be now.
func (k *storeKit) saveTransaction(t ports.Transaction) ports.Transaction {
	k.Helper()
	k.OK(k.Transactions.Save(k.Context(), ports.TransactionChange{Transaction: t}), "Save")
	t.Version++
	return t
}

// hasTransaction reads the transaction and compares it.
func (k *storeKit) hasTransaction(want ports.Transaction, what string) {
	k.Helper()
	got, err := k.Transactions.Transaction(k.Context(), want.Owner, want.ID)
	k.OK(err, "Transaction")
	if differ := differing(got, want); len(differ) > 0 {
		k.Fatalf("%s differs in %s:\n got %s\nwant %s", what, differ, shortGo(got), shortGo(want))
	}
}

// differing names the fields that are not the same.
func differing(got, want ports.Transaction) []string {
	var names []string
	g, w := reflect.ValueOf(got), reflect.ValueOf(want)
	for i := range g.NumField() {
		if !reflect.DeepEqual(g.Field(i).Interface(), w.Field(i).Interface()) {
			names = append(names, g.Type().Field(i).Name)
		}
	}
	return names
}

// shortGo shows a transaction with what its String leaves out.
func shortGo(t ports.Transaction) string {
	const most = 1200
	type fields ports.Transaction
	s := fmt.Sprintf("%#v", fields(t))
	return s[:min(len(s), most)]
}

// noTransaction checks that the owner has no transaction of the id.
func (k *storeKit) noTransaction(owner, id, what string) {
	k.Helper()
	_, err := k.Transactions.Transaction(k.Context(), owner, id)
	k.Code(err, errcodes.NotFound, "Transaction of "+what)
}

// refusedTransaction checks that the change is a conflict and leaves no trace.
func (k *storeKit) refusedTransaction(t ports.Transaction, what string) {
	k.Helper()
	k.Code(k.Transactions.Save(k.Context(), strayTransaction(t)), errcodes.Conflict, what)
	k.nothingQueued("after a conflict")
}

// strayTransaction makes a change that is to be refused.
func strayTransaction(t ports.Transaction) ports.TransactionChange {
	return ports.TransactionChange{
		Transaction: t,
		Events:      []ports.Event{transactionEvent("stray-event", "stray")},
		Work:        []ports.WorkItem{job("stray-work", kit.Epoch)},
	}
}

// transactionEvent makes an event of a transaction.
func transactionEvent(id, transaction string) ports.Event {
	e := kit.Event(id, transaction)
	e.Kind = "transaction.updated"
	return e
}

// queuedTransaction makes a change of the transaction with an event and a work
// item.
func queuedTransaction(t ports.Transaction) ports.TransactionChange {
	return ports.TransactionChange{
		Transaction: t,
		Events:      []ports.Event{transactionEvent("event of "+string(t.Status), t.ID)},
		Work:        []ports.WorkItem{job("work of "+string(t.Status), kit.Epoch)},
	}
}

// transactionCalls makes every call of the port.
func (k *storeKit) transactionCalls(change ports.TransactionChange, have ports.Transaction) map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"Save": func(ctx context.Context) error { return k.Transactions.Save(ctx, change) },
		"Transaction": func(ctx context.Context) error {
			_, err := k.Transactions.Transaction(ctx, have.Owner, have.ID)
			return err
		},
	}
}
