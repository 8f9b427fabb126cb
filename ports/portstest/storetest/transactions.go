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

// transactionQueueChecks: what a change asks for comes with it (I32).
var transactionQueueChecks = []storeCheck{
	{"events become claimable with their change, in its order", transactionEvents},
	{"work becomes claimable with its change", transactionWork},
	{"of many racers only the winner's events and work are stored", transactionRacersQueue},
	{queuedTwice, transactionQueuedTwice},
}

// transactionOutcomeChecks: how it ends when it does not go well.
var transactionOutcomeChecks = []storeCheck{
	{"a context that is done gives its own code and changes nothing", transactionsCancelled},
	{"a closed store says so", transactionsClosed},
	{"a lost acknowledgement is an unknown outcome, and the change whole or absent", transactionLost},
	{"a full store says so, stores nothing, and goes on when there is room", transactionFull},
	{"a store that is opened again has everything", transactionsReopened},
}

func transactionEvents(k *storeKit) {
	k.Need(k.Outbox != nil, "Outbox")
	t := pendingTransaction("acme", "tx-1")
	opened, other := transactionEvent("opened", t.ID), transactionEvent("other", "another key")
	opened.Attempt, opened.Claim = 7, 7 // set by Claim: what was saved does not count
	k.nothingQueued("before the save")
	k.OK(k.Transactions.Save(k.Context(), ports.TransactionChange{Transaction: t, Events: []ports.Event{opened, other}}), "Save")
	opened.Attempt, other.Attempt = 1, 1
	got := k.claimEvents(kit.Epoch, 10)
	k.Same(eventIDs(got), []string{"opened", "other"}, "the events of a new transaction")
	k.Same(got[0], opened, "the first event")
	k.Same(got[1], other, "the second event")

	t.Version++
	end := ports.TransactionChange{
		Transaction: endedTransaction(t, ports.TransactionFailed), Events: []ports.Event{transactionEvent("failed", t.ID)},
	}
	k.OK(k.Transactions.Save(k.Context(), end), "Save")
	end.Transaction.Version++
	late := ports.TransactionChange{Transaction: withLate(end.Transaction), Events: []ports.Event{transactionEvent("late", t.ID)}}
	k.OK(k.Transactions.Save(k.Context(), late), "Save")
	k.Same(len(k.claimEvents(kit.Epoch, 10)), 0, "the number of events while an earlier one of the key is out")
	k.OK(k.Outbox.Ack(k.Context(), got[0]), "Ack")
	k.OK(k.Outbox.Ack(k.Context(), k.first(kit.Epoch, "failed")), "Ack")
	k.first(kit.Epoch, "late")
}

func transactionWork(k *storeKit) {
	k.Need(k.Work != nil, "Work")
	t := pendingTransaction("acme", "tx-1")
	want := job("timeout", t.RespondBy)
	k.nothingQueued("before the save")
	k.OK(k.Transactions.Save(k.Context(), ports.TransactionChange{Transaction: t, Work: []ports.WorkItem{want, job("first", kit.Epoch)}}), "Save")
	k.Same(workIDs(k.claimWork(kit.Epoch, 10)), []string{"first"}, "the work that is due at once")
	want.Attempt = 1
	got := k.claimWork(t.RespondBy.Add(-time.Millisecond), 10)
	k.Same(workIDs(got), []string{"first"}, "the work before the other is due") // its lease has ended
	got = k.claimWork(t.RespondBy, 10)
	k.Same(workIDs(got), []string{"timeout"}, "the work that was due later")
	k.Same(got[0], want, "the work item")
}

func transactionQueuedTwice(k *storeKit) {
	k.Need(k.Outbox != nil && k.Work != nil, "Outbox and Work")
	k.queuedTwice(func(events []ports.Event, work []ports.WorkItem) error {
		return k.Transactions.Save(k.Context(), ports.TransactionChange{Transaction: pendingTransaction("acme", "tx-1"), Events: events, Work: work})
	})
	_, err := k.Transactions.Transaction(k.Context(), "acme", "tx-1")
	k.Code(err, errcodes.NotFound, "reading a record whose change was refused")
}

func transactionRacersQueue(k *storeKit) {
	k.Need(k.Outbox != nil && k.Work != nil, "Outbox and Work")
	id := func(i int) string { return fmt.Sprint("of racer ", i) }
	won := k.winner(kit.Race(kit.Racers, func(i int) error {
		return k.Transactions.Save(k.Context(), ports.TransactionChange{
			Transaction: pendingTransaction("acme", "tx-1"),
			Events:      []ports.Event{transactionEvent(id(i), id(i))},
			Work:        []ports.WorkItem{job(id(i), kit.Epoch)},
		})
	}))
	k.Same(eventIDs(k.claimEvents(kit.Epoch, 100)), []string{id(won)}, "the events after a race")
	k.Same(workIDs(k.claimWork(kit.Epoch, 100)), []string{id(won)}, "the work after a race")
}

func transactionsCancelled(k *storeKit) {
	pending := k.saveTransaction(pendingTransaction("acme", "pending"))
	failed := k.saveTransaction(endedTransaction(pendingTransaction("acme", "failed"), ports.TransactionFailed))
	k.Case("a new transaction", func() {
		k.doneContexts(k.transactionCalls(queuedTransaction(pendingTransaction("acme", "fresh")), failed))
	})
	k.Case("an end", func() {
		k.doneContexts(k.transactionCalls(queuedTransaction(endedTransaction(pending, ports.TransactionFailed)), pending))
	})
	k.Case("a late payment", func() { k.doneContexts(k.transactionCalls(queuedTransaction(withLate(failed)), failed)) })
	k.noTransaction("acme", "fresh", "a save with a context that was done")
	k.hasTransaction(pending, "the transaction after an end with a context that was done")
	k.hasTransaction(failed, "the transaction after a late payment with a context that was done")
	k.nothingQueued("after a save with a context that was done")
}

func transactionsClosed(k *storeKit) {
	t := k.saveTransaction(pendingTransaction("acme", "tx-1"))
	k.closed(k.transactionCalls(queuedTransaction(endedTransaction(t, ports.TransactionFailed)), t))
}

// transactionLost loses the acknowledgement of a new transaction, of its end,
// and of a late payment.
func transactionLost(k *storeKit) {
	k.Need(k.LoseNextCommit != nil, "LoseNextCommit")
	t := k.losesTransaction(queuedTransaction(pendingTransaction("acme", "tx-1")), func() {
		k.noTransaction("acme", "tx-1", "a transaction without the change")
	})
	for _, next := range []func(t ports.Transaction) ports.Transaction{
		func(t ports.Transaction) ports.Transaction { return endedTransaction(t, ports.TransactionFailed) },
		withLate,
	} {
		before := t
		change := queuedTransaction(next(before))
		change.Events[0].ID = fmt.Sprint("event after version ", before.Version)
		change.Work[0].ID = fmt.Sprint("work after version ", before.Version)
		t = k.losesTransaction(change, func() { k.hasTransaction(before, "the transaction without the change") })
	}
	k.saveTransaction(pendingTransaction("acme", "next"))
}

// losesTransaction saves the change, whose acknowledgement is lost, and finds it
// whole or absent; then it can still be made.
func (k *storeKit) losesTransaction(change ports.TransactionChange, absent func()) ports.Transaction {
	k.Helper()
	k.LoseNextCommit()
	k.Code(k.Transactions.Save(k.Context(), change), errcodes.OutcomeUnknown, "Save that loses its acknowledgement")
	want := change.Transaction
	want.Version++
	now, err := k.Transactions.Transaction(k.Context(), want.Owner, want.ID)
	if errcodes.Of(err) == errcodes.NotFound || err == nil && now.Version == change.Transaction.Version {
		absent()
		k.nothingQueued("without the change")
		k.OK(k.Transactions.Save(k.Context(), change), "Save of a change that was not made")
	}
	k.hasTransaction(want, "the transaction with the change")
	k.queuedOnce()
	return want
}

func transactionFull(k *storeKit) {
	k.Need(k.Fill != nil, "Fill")
	before := k.saveTransaction(pendingTransaction("acme", "changed"))
	change, fresh := queuedTransaction(endedTransaction(before, ports.TransactionFailed)), queuedTransaction(pendingTransaction("acme", "fresh"))
	empty := k.Fill()
	k.Code(k.Transactions.Save(k.Context(), change), errcodes.StorageUnavailable, "Save of an end in a full store")
	k.Code(k.Transactions.Save(k.Context(), fresh), errcodes.StorageUnavailable, "Save of a new transaction in a full store")
	k.hasTransaction(before, "the transaction in a full store")
	k.noTransaction("acme", "fresh", "a full store")
	empty()
	k.nothingQueued("after saves that found no room")
	k.OK(k.Transactions.Save(k.Context(), change), "Save when there was room again")
	change.Transaction.Version++
	k.hasTransaction(change.Transaction, "a transaction saved when there was room again")
	k.queuedOnce()
}

func transactionsReopened(k *storeKit) {
	k.Need(k.Reopen != nil, "Reopen: it is not durable")
	pending := k.saveTransaction(pendingTransaction("acme", "pending"))
	failed := k.saveTransaction(endedTransaction(k.saveTransaction(pendingTransaction("acme", "failed")), ports.TransactionFailed))
	late := k.saveTransaction(withLate(k.saveTransaction(endedTransaction(pendingTransaction("acme", "late"), ports.TransactionErrored))))
	k.Store = k.Reopen()
	for _, t := range []ports.Transaction{pending, failed, late} {
		k.hasTransaction(t, "the transaction after opening again")
	}
	other := late
	other.Late.At = other.Late.At.Add(time.Millisecond)
	k.refusedTransaction(other, "a second late payment after opening again")
	k.refusedTransaction(endedTransaction(failed, ports.TransactionErrored), "another end after opening again")
	k.hasTransaction(k.saveTransaction(withLate(failed)), "a late payment after opening again")
	k.hasTransaction(k.saveTransaction(endedTransaction(pending, ports.TransactionSucceeded)), "an end after opening again")
}
