package storetest_test

import (
	"context"
	"sync"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storetest"
)

var transactionQueueFlaws = []flawedStore{
	{"forgets the events", validationEvents, onSaveTransaction(func(c *ports.TransactionChange) { c.Events = nil })},
	{"forgets the events of an end", validationEvents, onSaveTransaction(func(c *ports.TransactionChange) {
		if c.Transaction.Status.Terminal() && c.Transaction.LateAt.IsZero() {
			c.Events = nil
		}
	})},
	{"forgets the events of a late payment", validationEvents, onSaveTransaction(func(c *ports.TransactionChange) {
		if !c.Transaction.LateAt.IsZero() {
			c.Events = nil
		}
	})},
	{"stores one event of a change", validationEvents, onSaveTransaction(func(c *ports.TransactionChange) { c.Events = c.Events[:min(len(c.Events), 1)] })},
	{"loses the order of a key", validationEvents, onSaveTransaction(func(c *ports.TransactionChange) {
		for i := range c.Events {
			c.Events[i].Key = c.Events[i].ID
		}
	})},
	{"forgets the work", validationWork, onSaveTransaction(func(c *ports.TransactionChange) { c.Work = nil })},
	{"forgets when work is due", validationWork, onSaveTransaction(func(c *ports.TransactionChange) {
		for i := range c.Work {
			c.Work[i].DueAt = c.Transaction.CreatedAt
		}
	})},
	{"stores the events of every concurrent save", racersQueue, leaksTransaction(leakedEvents)},
	{"stores the work of every concurrent save", racersQueue, leaksTransaction(leakedWork)},
	{"stores a repeated event once", queuedTwice, onSaveTransaction(func(c *ports.TransactionChange) { c.Events = once(c.Events, eventID) })},
	{"stores a repeated item once", queuedTwice, onSaveTransaction(func(c *ports.TransactionChange) { c.Work = once(c.Work, itemID) })},
}

// storesFullLater stores the first change that it rejected when full once there is
// room.
func storesFullLater(b *bundle) {
	var mu sync.Mutex
	var kept []ports.TransactionChange
	savesTransactions(func(ctx context.Context, save saveTransactionFunc, c ports.TransactionChange) error {
		mu.Lock()
		defer mu.Unlock()
		err := save(ctx, c)
		if errcodes.Of(err) == errcodes.StorageUnavailable && len(kept) == 0 {
			kept = append(kept, c)
		}
		return err
	})(b)
	fill := b.fill
	b.fill = func() func() {
		empty := fill()
		return func() {
			empty()
			for _, c := range kept {
				if err := b.transactions.save(context.Background(), c); err != nil {
					panic(err)
				}
			}
		}
	}
}

var transactionOutcomeFlaws = append(commonFlaws("a done context returns its code and changes nothing"),
	flawedStore{"reads with a done context", "a done context returns its code and changes nothing", func(b *bundle) {
		read := b.transactions.read
		b.transactions.read = func(ctx context.Context, owner, id string) (ports.Transaction, error) {
			return read(context.WithoutCancel(ctx), owner, id)
		}
	}},
	flawedStore{"reports a lost acknowledgement as success", lost, savesTransactions(func(ctx context.Context, save saveTransactionFunc, c ports.TransactionChange) error {
		if err := save(ctx, c); errcodes.Of(err) != errcodes.OutcomeUnknown {
			return err
		}
		return nil
	})},
	flawedStore{"reports a lost acknowledgement as a failure", lost, recodesTransactions(errcodes.OutcomeUnknown, errcodes.StorageUnavailable)},
	flawedStore{"stores half of a change whose acknowledgement is lost", lost, func(b *bundle) {
		lose, half := b.lose, false
		b.lose = func() { half = true; lose() }
		onSaveTransaction(func(c *ports.TransactionChange) {
			if half {
				c.Work = nil
			}
			half = false
		})(b)
	}},
	flawedStore{"calls a full store internal", full, recodesTransactions(errcodes.StorageUnavailable, errcodes.Internal)},
	flawedStore{"stores changes that it rejected when full", full, storesFullLater},
	flawedStore{"stays full", full, func(b *bundle) {
		fill := b.fill
		b.fill = func() func() { fill(); return func() {} }
	}},
	flawedStore{"forgets transactions", "a reopened store has everything", forgets},
	flawedStore{"forgets late payments when reopened", "a reopened store has everything", func(b *bundle) {
		reopen := b.reopen
		b.reopen = func() storetest.Store {
			onTransaction(b, func(t *ports.Transaction) { t.LateAt, t.LateRaw = time.Time{}, ports.RawFailure{} })
			return reopen()
		}
	}},
)
