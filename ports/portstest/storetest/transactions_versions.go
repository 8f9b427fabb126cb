package storetest

import (
	"fmt"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// transactionVersionChecks: compare-and-swap.
var transactionVersionChecks = []storeCheck{
	{"a pending transaction may change, and each save raises the version by one", transactionVersions},
	{"an id that the owner has is a conflict and stores nothing", transactionTaken},
	{"a stale version is a conflict and stores nothing", transactionStale},
	{"a version that is yet to come is a conflict", transactionFuture},
	{"a change of another owner's transaction is a conflict", transactionStolen},
	{"of many racers with one new id one wins for each owner", newTransactionRacers},
	{"of many racers at one version one wins (I27)", transactionRacers},
	{"saves of different transactions do not get in each other's way", transactionsApart},
}

func transactionVersions(k *storeKit) {
	t := pendingTransaction("acme", "tx-1")
	for version := range int64(5) {
		k.Same(t.Version, version, "the version")
		t.RespondBy = t.RespondBy.Add(time.Second)
		t = k.saveTransaction(t)
		k.hasTransaction(t, "a transaction that is still pending")
	}
	t = k.saveTransaction(endedTransaction(t, ports.TransactionFailed))
	k.hasTransaction(t, "a transaction that has ended")
	t = k.saveTransaction(withLate(t))
	k.Same(t.Version, int64(7), "the version of the late payment")
	k.hasTransaction(t, "a transaction with a late payment")
}

func transactionTaken(k *storeKit) {
	pending := k.saveTransaction(pendingTransaction("acme", "pending"))
	for _, taken := range []ports.Transaction{
		pending,
		k.saveTransaction(endedTransaction(pendingTransaction("acme", "succeeded"), ports.TransactionSucceeded)),
		k.saveTransaction(withLate(endedTransaction(pendingTransaction("acme", "failed"), ports.TransactionFailed))),
	} {
		k.Case(taken.ID, func() {
			again := pendingTransaction("acme", taken.ID)
			k.refusedTransaction(again, "a new transaction as the one that has the id was")
			again.RespondBy = again.RespondBy.Add(time.Second)
			k.refusedTransaction(again, "a new transaction of a taken id")
			k.refusedTransaction(endedTransaction(again, ports.TransactionErrored), "a new and ended transaction of a taken id")
			k.hasTransaction(taken, "the transaction that has the id")
		})
	}
}

func transactionStale(k *storeKit) {
	first := k.saveTransaction(pendingTransaction("acme", "tx-1"))
	next := first
	next.RespondBy = first.RespondBy.Add(time.Second)
	want := k.saveTransaction(next)
	stale := first
	stale.RespondBy = first.RespondBy.Add(time.Minute)
	k.refusedTransaction(stale, "a change at a stale version")
	k.refusedTransaction(endedTransaction(stale, ports.TransactionFailed), "an end at a stale version")
	k.hasTransaction(want, "the transaction after a conflict")

	ended := k.saveTransaction(endedTransaction(want, ports.TransactionFailed))
	late := withLate(ended)
	late.Version = want.Version
	k.refusedTransaction(late, "a late payment at a stale version")
	k.hasTransaction(ended, "the transaction after a conflict")
}

func transactionFuture(k *storeKit) {
	want := k.saveTransaction(pendingTransaction("acme", "tx-1"))
	future := want
	future.Version++
	k.refusedTransaction(future, "a change at a version that is yet to come")
	k.hasTransaction(want, "the transaction after a conflict")

	none := pendingTransaction("acme", "tx-2")
	none.Version = 1
	k.refusedTransaction(none, "a change of a transaction that was never saved")
	k.refusedTransaction(endedTransaction(none, ports.TransactionFailed), "an end of a transaction that was never saved")
	k.noTransaction("acme", "tx-2", "a transaction that was never saved")
}

func transactionStolen(k *storeKit) {
	want := k.saveTransaction(pendingTransaction("acme", "tx-1"))
	for _, owner := range []string{"zenith", "Acme", "acme ", "acme\x00", ""} {
		k.Case(kit.Name(owner), func() {
			stolen := want
			stolen.Owner = owner
			k.refusedTransaction(stolen, "a change of another owner's transaction")
			k.refusedTransaction(endedTransaction(stolen, ports.TransactionFailed), "an end of another owner's transaction")
			k.noTransaction(owner, "tx-1", "another owner's id")
		})
	}
	k.hasTransaction(want, "the transaction after a conflict")
}

func newTransactionRacers(k *storeKit) {
	for round := range 8 {
		racer := func(i int) ports.Transaction {
			t := pendingTransaction(fmt.Sprint("owner-", i%2), fmt.Sprint("tx-", round))
			t.CreatedAt = kit.Epoch.Add(time.Duration(i) * time.Millisecond)
			if i%4 > 1 {
				t = endedTransaction(t, ports.TransactionFailed)
			}
			return t
		}
		errs := kit.Race(kit.Racers, func(i int) error {
			return k.Transactions.Save(k.Context(), ports.TransactionChange{Transaction: racer(i)})
		})
		for owner := range 2 {
			var of []error
			for i := owner; i < kit.Racers; i += 2 {
				of = append(of, errs[i])
			}
			want := racer(2*k.winner(of) + owner)
			want.Version++
			k.hasTransaction(want, "the winner's transaction")
		}
	}
}

// transactionRacers races changes, then ends, then late payments.
func transactionRacers(k *storeKit) {
	t := k.saveTransaction(pendingTransaction("acme", "tx-1"))
	for _, step := range []func(t ports.Transaction, i int) ports.Transaction{
		func(t ports.Transaction, i int) ports.Transaction {
			t.RespondBy = t.RespondBy.Add(time.Duration(i+1) * time.Millisecond)
			return t
		},
		func(t ports.Transaction, i int) ports.Transaction {
			t = endedTransaction(t, badEnds[i%len(badEnds)])
			t.Raw.Code = fmt.Sprint("code ", i)
			return t
		},
		func(t ports.Transaction, i int) ports.Transaction {
			t = withLate(t)
			t.Late.Raw.Message = fmt.Sprint("message ", i)
			return t
		},
	} {
		won := k.winner(kit.Race(kit.Racers, func(i int) error {
			return k.Transactions.Save(k.Context(), ports.TransactionChange{Transaction: step(t, i)})
		}))
		t = step(t, won)
		t.Version++
		k.hasTransaction(t, "the winner's change")
	}
}

func transactionsApart(k *storeKit) {
	made := func(i int) ports.Transaction {
		return pendingTransaction(fmt.Sprint("owner-", i%3), fmt.Sprint("tx-", i/3))
	}
	errs := kit.Race(kit.Racers, func(i int) error {
		return k.Transactions.Save(k.Context(), ports.TransactionChange{Transaction: made(i)})
	})
	for i, err := range errs {
		k.OK(err, "one of many saves of different transactions")
		want := made(i)
		want.Version++
		k.hasTransaction(want, "one of many transactions")
	}
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
			return k.saveTransaction(endedTransaction(t, status))
		})
		ended("later "+string(status), func(t ports.Transaction) ports.Transaction {
			return k.saveTransaction(endedTransaction(k.saveTransaction(t), status))
		})
	}
	for _, status := range badEnds {
		ended("late "+string(status), func(t ports.Transaction) ports.Transaction {
			return k.saveTransaction(withLate(k.saveTransaction(endedTransaction(t, status))))
		})
	}
}

func transactionEndedForGood(k *storeKit) {
	k.eachEnded(func(t ports.Transaction) {
		for what, other := range kit.ByName(othersOf(t)) {
			k.Case(what, func() {
				k.refusedTransaction(other, what+" of a transaction that ended as "+string(t.Status))
				k.hasTransaction(t, "the transaction after "+what)
			})
		}
	})
}

func transactionNotReopened(k *storeKit) {
	k.eachEnded(func(t ports.Transaction) {
		again := pendingTransaction(t.Owner, t.ID)
		again.Version = t.Version
		k.refusedTransaction(again, "opening a transaction again that ended as "+string(t.Status))
		k.hasTransaction(t, "the transaction that was to be opened again")
	})
}

func lateAlone(k *storeKit) {
	for _, status := range badEnds {
		k.Case(string(status), func() {
			t := k.saveTransaction(endedTransaction(pendingTransaction("acme", string(status)), status))
			for what, other := range kit.ByName(othersOf(t)) {
				k.Case(what, func() {
					if other.Status == ports.TransactionSucceeded {
						return // which has no late payment
					}
					other = withLate(other)
					k.refusedTransaction(other, "a late payment with "+what)
					k.hasTransaction(t, "the transaction after a late payment with "+what)
				})
			}
			k.hasTransaction(k.saveTransaction(withLate(t)), "a transaction with a late payment alone")
		})
	}
}

func lateOnce(k *storeKit) {
	for _, status := range badEnds {
		k.Case(string(status), func() {
			t := k.saveTransaction(endedTransaction(pendingTransaction("acme", string(status)), status))
			t = k.saveTransaction(withLate(t))
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
					k.refusedTransaction(other, "a second late payment with "+what)
					k.hasTransaction(t, "the transaction after a second late payment with "+what)
				})
			}
		})
	}
}

func endedSavedAgain(k *storeKit) {
	k.eachEnded(func(t ports.Transaction) {
		k.hasTransaction(k.saveTransaction(t), "a transaction that is saved again as it is")
	})
}
