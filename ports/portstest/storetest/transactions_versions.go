package storetest

import (
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// transactionVersionChecks: compare-and-swap.
var transactionVersionChecks = []storeCheck{
	{"a pending transaction may change, and each save raises the version by one", transactions.versions},
	{"an id that the owner has is a conflict and stores nothing", transactions.taken},
	{"a stale version is a conflict and stores nothing", transactions.stale},
	{"a version that is yet to come is a conflict", transactions.future},
	{"a change of another owner's transaction is a conflict", transactions.stolen},
	{"of many racers with one new id one wins for each owner", transactions.newIDRacers},
	{"of many racers at one version one wins (I27)", transactions.racers},
	{"saves of different transactions do not get in each other's way", transactions.apart},
}

// transactionEndChecks: an end is for good, and so is a late payment (I27).
var transactionEndChecks = []storeCheck{
	{"an ended transaction never changes, in no field (I27)", transactionEndedForGood},
	{"an ended transaction is not opened again (I27)", transactionNotReopened},
	{"a late payment comes with no other change (I27)", lateAlone},
	{"a late payment is recorded once (I27)", lateOnce},
	{"saving an ended transaction as it is raises its version alone", endedSavedAgain},
}

// otherwise are the changes of an ended transaction that the domain could have
// made, had it decided otherwise.
var otherwise = map[string]func(t *ports.Transaction){
	"direction":    func(t *ports.Transaction) { t.Direction = errcodes.Payout },
	"raw code":     func(t *ports.Transaction) { t.Raw.Code += "\x00" },
	"no raw code":  func(t *ports.Transaction) { t.Raw.Code = "" },
	"raw message":  func(t *ports.Transaction) { t.Raw.Message += " " },
	"scheme":       func(t *ports.Transaction) { t.Scheme = "Provider-1" },
	"no scheme":    func(t *ports.Transaction) { t.Scheme = "" },
	"tables":       func(t *ports.Transaction) { t.Tables = "2026-03-02" },
	"creation":     func(t *ports.Transaction) { t.CreatedAt = t.CreatedAt.Add(time.Millisecond) },
	"time to wait": func(t *ports.Transaction) { t.RespondBy = t.RespondBy.Add(time.Millisecond) },
	"no time":      func(t *ports.Transaction) { t.RespondBy = time.Time{} },
	"earlier end":  func(t *ports.Transaction) { t.EndedAt = t.EndedAt.Add(-time.Millisecond) },
	"later end":    func(t *ports.Transaction) { t.EndedAt = t.EndedAt.Add(time.Millisecond) },
	"code": func(t *ports.Transaction) {
		t.Code = map[errcodes.State]errcodes.TransactionCode{
			errcodes.StateFailed: errcodes.FailureTimeout, errcodes.StateError: errcodes.ErrorNetwork,
		}[t.Status.State()]
	},
}

// othersOf gives every other state of an ended transaction that is no opening.
func othersOf(t ports.Transaction) map[string]ports.Transaction {
	others := map[string]ports.Transaction{}
	for name, change := range otherwise {
		other := t
		if change(&other); other != t {
			others["another "+name] = other
		}
	}
	for _, status := range ends {
		if status != t.Status {
			other := endedTransaction(t, status)
			if status == ports.TransactionSucceeded {
				other.Late = ports.LatePayment{}
			}
			others["another end as "+string(status)] = other
		}
	}
	return others
}

// eachEnded saves transactions that ended, at once and later, and with a late
// payment. Each is a case.
func (k *storeKit) eachEnded(then func(t ports.Transaction)) {
	ended := func(id string, save func(pending ports.Transaction) ports.Transaction) {
		k.Case(id, func() { then(save(pendingTransaction("acme", id))) })
	}
	for _, status := range ends {
		ended("at once "+string(status), func(t ports.Transaction) ports.Transaction {
			return transactions.save(k, endedTransaction(t, status))
		})
		ended("later "+string(status), func(t ports.Transaction) ports.Transaction {
			return transactions.save(k, endedTransaction(transactions.save(k, t), status))
		})
	}
	for _, status := range badEnds {
		ended("late "+string(status), func(t ports.Transaction) ports.Transaction {
			return transactions.save(k, withLate(transactions.save(k, endedTransaction(t, status))))
		})
	}
}

func transactionEndedForGood(k *storeKit) {
	k.eachEnded(func(t ports.Transaction) {
		for what, other := range kit.ByName(othersOf(t)) {
			k.Case(what, func() {
				transactions.refused(k, other, what+" of a transaction that ended as "+string(t.Status))
				transactions.has(k, t, "the transaction after "+what)
			})
		}
	})
}

func transactionNotReopened(k *storeKit) {
	k.eachEnded(func(t ports.Transaction) {
		again := pendingTransaction(t.Owner, t.ID)
		again.Version = t.Version
		transactions.refused(k, again, "opening a transaction again that ended as "+string(t.Status))
		transactions.has(k, t, "the transaction that was to be opened again")
	})
}

func lateAlone(k *storeKit) {
	for _, status := range badEnds {
		k.Case(string(status), func() {
			t := transactions.save(k, endedTransaction(pendingTransaction("acme", string(status)), status))
			for what, other := range kit.ByName(othersOf(t)) {
				k.Case(what, func() {
					if other.Status == ports.TransactionSucceeded {
						return // which has no late payment
					}
					other = withLate(other)
					transactions.refused(k, other, "a late payment with "+what)
					transactions.has(k, t, "the transaction after a late payment with "+what)
				})
			}
			transactions.keeps(k, withLate(t), "a transaction with a late payment alone")
		})
	}
}

func lateOnce(k *storeKit) {
	for _, status := range badEnds {
		k.Case(string(status), func() {
			t := transactions.save(k, endedTransaction(pendingTransaction("acme", string(status)), status))
			t = transactions.save(k, withLate(t))
			for what, change := range kit.ByName(map[string]func(l *ports.LatePayment){
				"an earlier time": func(l *ports.LatePayment) { l.At = l.At.Add(-time.Millisecond) },
				"a later time":    func(l *ports.LatePayment) { l.At = l.At.Add(time.Millisecond) },
				"another code":    func(l *ports.LatePayment) { l.Raw.Code += "\x00" },
				"another message": func(l *ports.LatePayment) { l.Raw.Message += "\x00" },
				"no words":        func(l *ports.LatePayment) { l.Raw = ports.RawFailure{} },
				"no late payment": func(l *ports.LatePayment) { *l = ports.LatePayment{} },
			}) {
				k.Case(what, func() {
					other := t
					change(&other.Late)
					transactions.refused(k, other, "a second late payment with "+what)
					transactions.has(k, t, "the transaction after a second late payment with "+what)
				})
			}
		})
	}
}

func endedSavedAgain(k *storeKit) {
	k.eachEnded(func(t ports.Transaction) {
		transactions.keeps(k, t, "a transaction that is saved again as it is")
	})
}
