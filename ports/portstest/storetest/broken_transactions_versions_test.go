package storetest_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
)

const (
	transactionVersions = "a pending transaction may change, and each save raises the version by one"
	transactionTaken    = "an id that the owner has used is a conflict and stores nothing"
	transactionStolen   = "a change of another owner's transaction is a conflict"
	transactionForGood  = "no field of an ended transaction changes (I27)"
	transactionClosed   = "an ended transaction cannot be opened again (I27)"
	lateAlone           = "a late payment changes no other field (I27)"
	lateOnce            = "a late payment is recorded once (I27)"
	endedAgain          = "saving an ended transaction unchanged only raises its version"
	newRacersOfOwners   = "of many concurrent saves of one new id one succeeds for each owner"
	oneVersionRacers    = "of many concurrent saves at one version one succeeds (I27)"
)

type transactionName struct{ owner, id string }

func nameOf(t ports.Transaction) transactionName { return transactionName{t.Owner, t.ID} }

// refusesTransactions calls fn after a change was rejected as a conflict, with the
// change and the last record saved under its id, and returns fn's result.
func refusesTransactions(fn func(save func(ports.TransactionChange) error, c ports.TransactionChange, now ports.Transaction, known bool) error) func(b *bundle) {
	var mu sync.Mutex
	last := map[transactionName]ports.Transaction{}
	return savesTransactions(func(ctx context.Context, save saveTransactionFunc, c ports.TransactionChange) error {
		mu.Lock()
		defer mu.Unlock()
		err := save(ctx, c)
		if err == nil {
			now := c.Transaction
			now.Version++
			last[nameOf(now)] = now
		}
		if errcodes.Of(err) != errcodes.Conflict {
			return err
		}
		now, known := last[nameOf(c.Transaction)]
		return fn(func(c ports.TransactionChange) error { return save(ctx, c) }, c, now, known)
	})
}

// passes ignores the conflicts for which when is true.
func passes(when func(t, now ports.Transaction, known bool) bool) func(b *bundle) {
	return func(b *bundle) {
		refusesTransactions(func(_ func(ports.TransactionChange) error, c ports.TransactionChange, now ports.Transaction, known bool) error {
			if when(c.Transaction, now, known) {
				return nil
			}
			return errcodes.New(errcodes.Conflict, "")
		})(b)
	}
}

// overlooks treats an ended transaction as unchanged if fn makes it so.
func overlooks(fn func(t *ports.Transaction, now ports.Transaction)) func(b *bundle) {
	return passes(func(t, now ports.Transaction, _ bool) bool {
		late := !t.LateAt.IsZero() && now.LateAt.IsZero()
		fn(&t, now)
		if late {
			t.LateAt, t.LateRaw = now.LateAt, now.LateRaw
		}
		return now.Status.Terminal() && t == now
	})
}

// leaksTransaction stores the events and work of a rejected change.
func leaksTransaction(part func(c ports.TransactionChange) ports.TransactionChange) func(b *bundle) {
	n := 0
	return refusesTransactions(func(save func(ports.TransactionChange) error, c ports.TransactionChange, _ ports.Transaction, _ bool) error {
		n++
		stray := part(c)
		stray.Transaction = ports.Transaction{ID: fmt.Sprint("leak-", n), Status: ports.TransactionPending}
		if err := save(stray); err != nil {
			return err
		}
		return errcodes.New(errcodes.Conflict, "")
	})
}

func leakedEvents(c ports.TransactionChange) ports.TransactionChange {
	return ports.TransactionChange{Events: c.Events}
}

func leakedWork(c ports.TransactionChange) ports.TransactionChange {
	return ports.TransactionChange{Work: c.Work}
}

// keepsRefused returns a conflict and then the rejected transaction.
func keepsRefused(b *bundle) {
	stored := map[transactionName]ports.Transaction{}
	refusesTransactions(func(_ func(ports.TransactionChange) error, c ports.TransactionChange, _ ports.Transaction, _ bool) error {
		stored[nameOf(c.Transaction)] = c.Transaction
		return errcodes.New(errcodes.Conflict, "")
	})(b)
	onTransaction(b, func(t *ports.Transaction) {
		if other, ok := stored[nameOf(*t)]; ok {
			*t = other
		}
	})
}

func recodesTransactions(from, to errcodes.Code) func(b *bundle) {
	return savesTransactions(func(ctx context.Context, save saveTransactionFunc, c ports.TransactionChange) error {
		return broken.Recode(save(ctx, c), from, to)
	})
}

// rejects returns a conflict for the changes for which when is true.
func rejects(when func(c ports.TransactionChange) bool) func(b *bundle) {
	return savesTransactions(func(ctx context.Context, save saveTransactionFunc, c ports.TransactionChange) error {
		if when(c) {
			return errcodes.New(errcodes.Conflict, "")
		}
		return save(ctx, c)
	})
}

var transactionVersionFlaws = []flawedStore{
	{"counts versions by two", transactionVersions, eachTransaction(func(t *ports.Transaction) { t.Version *= 2 })},
	{"rejects changes of a pending transaction other than its end", transactionVersions, rejects(func(c ports.TransactionChange) bool {
		return c.Transaction.Version > 0 && c.Transaction.Status == ports.TransactionPending
	})},
	{"keeps the first RespondBy", transactionVersions, func(b *bundle) {
		first := map[string]time.Time{}
		onSaveTransaction(func(c *ports.TransactionChange) {
			if c.Transaction.Version == 0 {
				first[c.Transaction.ID] = c.Transaction.RespondBy
			}
		})(b)
		onTransaction(b, func(t *ports.Transaction) { t.RespondBy = first[t.ID] })
	}},
	{"accepts a used id", transactionTaken, passes(func(t, _ ports.Transaction, known bool) bool { return known && t.Version == 0 })},
	{"accepts the same record again", transactionTaken, passes(func(t, now ports.Transaction, known bool) bool {
		t.Version = now.Version
		return known && t == now
	})},
	{"accepts the id of an ended transaction", transactionTaken, passes(func(t, now ports.Transaction, _ bool) bool { return t.Version == 0 && now.Status.Terminal() })},
	{"stores a new transaction with a used id", transactionTaken, keepsRefused},
	{"stores the events of a used id", transactionTaken, leaksTransaction(leakedEvents)},
	{"loses the version check", stale, passes(func(t, now ports.Transaction, _ bool) bool { return t.Version > 0 && t.Version < now.Version })},
	{"loses the version check of a late payment", stale, passes(func(t, now ports.Transaction, _ bool) bool {
		return !t.LateAt.IsZero() && t.Version < now.Version
	})},
	{"stores a stale transaction", stale, keepsRefused},
	{"stores the events of a stale change", stale, leaksTransaction(leakedEvents)},
	{"stores the work of a stale change", stale, leaksTransaction(leakedWork)},
	{"calls a conflict internal", stale, recodesTransactions(errcodes.Conflict, errcodes.Internal)},
	{"rejects only older versions", validationFuture, passes(func(t, now ports.Transaction, known bool) bool { return known && t.Version > now.Version })},
	{"creates at any version", validationFuture, passes(func(_, _ ports.Transaction, known bool) bool { return !known })},
	{"reports changes of unknown records as not found", validationFuture, recodesTransactions(errcodes.Conflict, errcodes.NotFound)},
	{"lets every owner change a transaction", transactionStolen, passes(func(t, _ ports.Transaction, known bool) bool { return !known && t.Version > 0 })},
	{"lets every concurrent save create a transaction", newRacersOfOwners, passes(func(t, _ ports.Transaction, _ bool) bool { return t.Version == 0 })},
	{"lets only one owner's save succeed", newRacersOfOwners, oneNamespace},
	{"stores the last concurrent transaction", newRacersOfOwners, keepsRefused},
	{"accepts every concurrent change of a transaction", oneVersionRacers, passes(func(t, _ ports.Transaction, _ bool) bool { return t.Version == 1 })},
	{"accepts every concurrent end of a transaction", oneVersionRacers, passes(func(t, _ ports.Transaction, _ bool) bool { return t.Version == 2 })},
	{"accepts every concurrent late payment", oneVersionRacers, passes(func(t, _ ports.Transaction, _ bool) bool { return t.Version == 3 })},
	{"returns some unexpected errors", "saves of different transactions do not conflict", func(b *bundle) {
		var n atomic.Int32
		savesTransactions(func(ctx context.Context, save saveTransactionFunc, c ports.TransactionChange) error {
			if n.Add(1)%4 == 0 {
				return errcodes.New(errcodes.StorageUnavailable, "busy")
			}
			return save(ctx, c)
		})(b)
	}},
}

// overlooked are the fields of an ended transaction whose change a store may
// overlook.
var overlooked = map[string]func(t *ports.Transaction, now ports.Transaction){
	"the direction": func(t *ports.Transaction, now ports.Transaction) { t.Direction = now.Direction },
	"the status": func(t *ports.Transaction, now ports.Transaction) {
		t.Status, t.Code, t.LateAt, t.LateRaw = now.Status, now.Code, now.LateAt, now.LateRaw
	},
	"the code":      func(t *ports.Transaction, now ports.Transaction) { t.Code = now.Code },
	"a raw code":    func(t *ports.Transaction, now ports.Transaction) { t.Raw.Code = now.Raw.Code },
	"a raw message": func(t *ports.Transaction, now ports.Transaction) { t.Raw.Message = now.Raw.Message },
	"the scheme":    func(t *ports.Transaction, now ports.Transaction) { t.Scheme = now.Scheme },
	"the tables":    func(t *ports.Transaction, now ports.Transaction) { t.Tables = now.Tables },
	"the creation":  func(t *ports.Transaction, now ports.Transaction) { t.CreatedAt = now.CreatedAt },
	"how long":      func(t *ports.Transaction, now ports.Transaction) { t.RespondBy = now.RespondBy },
	"the end":       func(t *ports.Transaction, now ports.Transaction) { t.EndedAt = now.EndedAt },
}

// overlooksEnds returns a flaw for each field, for either check.
func overlooksEnds() []flawedStore {
	var out []flawedStore
	for name, fn := range overlooked {
		out = append(out, flawedStore{"ignores another value of " + name, transactionForGood, overlooks(fn)},
			flawedStore{"ignores another value of " + name + " with a late payment", lateAlone, overlooks(fn)})
	}
	return out
}

// secondLate accepts a second late payment for which when is true.
func secondLate(when func(t, now ports.Transaction) bool) func(b *bundle) {
	return passes(func(t, now ports.Transaction, _ bool) bool {
		return t.Version == now.Version && !now.LateAt.IsZero() && when(t, now)
	})
}

var transactionEndFlaws = append(overlooksEnds(),
	flawedStore{"stores another end", transactionForGood, keepsRefused},
	flawedStore{"stores the events of another end", transactionForGood, leaksTransaction(leakedEvents)},
	flawedStore{"stores the work of another end", transactionForGood, leaksTransaction(leakedWork)},
	flawedStore{"changes a success to a failure", transactionForGood, passes(func(t, now ports.Transaction, _ bool) bool {
		return t.Version == now.Version && now.Status == ports.TransactionSucceeded && t.Status != now.Status
	})},
	flawedStore{"changes a failure to a success with a late payment", transactionForGood, passes(func(t, now ports.Transaction, _ bool) bool {
		return t.Version == now.Version && now.Status != t.Status && t.Status == ports.TransactionSucceeded
	})},
	flawedStore{"reopens ended transactions", transactionClosed, passes(func(t, now ports.Transaction, _ bool) bool {
		return t.Version == now.Version && t.Status == ports.TransactionPending
	})},
	flawedStore{"reopens failures", transactionClosed, passes(func(t, now ports.Transaction, _ bool) bool {
		return t.Version == now.Version && t.Status == ports.TransactionPending && now.Status == ports.TransactionFailed
	})},
	flawedStore{"reopens transactions with a late payment", transactionClosed, passes(func(t, now ports.Transaction, _ bool) bool {
		return t.Version == now.Version && t.Status == ports.TransactionPending && !now.LateAt.IsZero()
	})},
	flawedStore{"rejects every late payment", lateAlone, rejects(func(c ports.TransactionChange) bool { return !c.Transaction.LateAt.IsZero() })},
	flawedStore{"accepts any late payment", lateAlone, passes(func(t, now ports.Transaction, _ bool) bool {
		return t.Version == now.Version && !t.LateAt.IsZero()
	})},
	flawedStore{"lets a late payment change its time", lateOnce, secondLate(func(t, now ports.Transaction) bool { return t.LateRaw == now.LateRaw })},
	flawedStore{"lets a late payment change its code", lateOnce, secondLate(func(t, now ports.Transaction) bool {
		return t.LateAt.Equal(now.LateAt) && t.LateRaw.Message == now.LateRaw.Message
	})},
	flawedStore{"lets a late payment change its message", lateOnce, secondLate(func(t, now ports.Transaction) bool {
		return t.LateAt.Equal(now.LateAt) && t.LateRaw.Code == now.LateRaw.Code
	})},
	flawedStore{"removes a late payment", lateOnce, secondLate(func(t, _ ports.Transaction) bool { return t.LateAt.IsZero() })},
	flawedStore{"keeps the last late payment", lateOnce, keepsRefused},
	flawedStore{"rejects a save without a change", endedAgain, func(b *bundle) {
		last := map[transactionName]ports.Transaction{}
		savesTransactions(func(ctx context.Context, save saveTransactionFunc, c ports.TransactionChange) error {
			if now, ok := last[nameOf(c.Transaction)]; ok && now == c.Transaction {
				return errcodes.New(errcodes.Conflict, "")
			}
			err := save(ctx, c)
			c.Transaction.Version++
			last[nameOf(c.Transaction)] = c.Transaction
			return err
		})(b)
	}},
)
