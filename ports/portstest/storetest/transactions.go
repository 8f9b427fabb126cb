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
	runStore(t, h, transactionChecks, "Store.Transactions is nil", func(s Store) bool { return s.Transactions != nil })
}

var transactionChecks = slices.Concat(transactions.checks("pending", transactionsReopened), transactionRecordChecks, transactionEndChecks)

// ends are the ends of a transaction. A late payment may follow the unsuccessful
// ones.
var (
	badEnds = []ports.TransactionStatus{ports.TransactionFailed, ports.TransactionErrored}
	ends    = append([]ports.TransactionStatus{ports.TransactionSucceeded}, badEnds...)
)

func pendingTransaction(owner, id string) ports.Transaction {
	return ports.Transaction{
		ID: id, Owner: owner, Direction: errcodes.Payin, Status: ports.TransactionPending,
		CreatedAt: kit.Epoch, RespondBy: kit.Epoch.Add(5 * time.Minute),
	}
}

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

func withLate(t ports.Transaction) ports.Transaction {
	t.LateAt, t.LateRaw = t.EndedAt.Add(time.Hour), ports.RawFailure{Code: "00", Message: "landed of " + t.ID}
	return t
}

var transactions = &records[ports.Transaction]{
	name: "Transaction", stem: "tx-", perOwner: true,
	write: func(ctx context.Context, s Store, c change[ports.Transaction]) error {
		return s.Transactions.Save(ctx, ports.TransactionChange{Transaction: c.record, Events: c.events, Work: c.work, Audit: c.audit})
	},
	read: func(ctx context.Context, s Store, owner, id string) (ports.Transaction, error) {
		return s.Transactions.Transaction(ctx, owner, id)
	},
	calls: func(Store, ports.Transaction) map[string]func(ctx context.Context) error {
		return map[string]func(ctx context.Context) error{}
	},
	head: func(t *ports.Transaction) header { return header{&t.Owner, &t.ID, &t.Version} },
	times: func(t *ports.Transaction) []*time.Time {
		return []*time.Time{&t.CreatedAt, &t.RespondBy, &t.EndedAt, &t.LateAt}
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
		t.LateRaw.Message = fmt.Sprint("message ", i)
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
	k.Need(k.Reopen != nil, "Reopen")
	pending := transactions.save(k, pendingTransaction("acme", "pending"))
	failed := transactions.save(k, endedTransaction(transactions.save(k, pendingTransaction("acme", "failed")), ports.TransactionFailed))
	late := transactions.save(k, withLate(transactions.save(k, endedTransaction(pendingTransaction("acme", "late"), ports.TransactionErrored))))
	k.Store = k.Reopen()
	for _, t := range []ports.Transaction{pending, failed, late} {
		transactions.has(k, t, "the transaction after reopening")
	}
	other := late
	other.LateAt = other.LateAt.Add(time.Millisecond)
	transactions.rejected(k, other, "a second late payment after reopening")
	transactions.rejected(k, endedTransaction(failed, ports.TransactionErrored), "another end after reopening")
	transactions.keeps(k, withLate(failed), "a late payment after reopening")
	transactions.keeps(k, endedTransaction(pending, ports.TransactionSucceeded), "an end after reopening")
}

// transactionEndChecks check that an end and a late payment are final (I27).
var transactionEndChecks = []storeCheck{
	{"no field of an ended transaction changes (I27)", func(k *storeKit) {
		k.eachEnded(func(t ports.Transaction) {
			kit.EachOf(k, othersOf(t), func(what string, other ports.Transaction) {
				transactions.rejected(k, other, what+" of a transaction that ended as "+string(t.Status))
				transactions.has(k, t, "the transaction after "+what)
			})
		})
	}},
	{"an ended transaction cannot be opened again (I27)", func(k *storeKit) {
		k.eachEnded(func(t ports.Transaction) {
			again := pendingTransaction(t.Owner, t.ID)
			again.Version = t.Version
			transactions.rejected(k, again, "opening again a transaction that ended as "+string(t.Status))
			transactions.has(k, t, "the transaction after the attempt to open it again")
		})
	}},
	{"a late payment changes no other field (I27)", func(k *storeKit) {
		kit.Each(k, badEnds, kit.Text, func(status ports.TransactionStatus) {
			t := transactions.save(k, endedTransaction(pendingTransaction("acme", string(status)), status))
			kit.EachOf(k, othersOf(t), func(what string, other ports.Transaction) {
				if other.Status == ports.TransactionSucceeded {
					return // a late payment is not possible
				}
				other = withLate(other)
				transactions.rejected(k, other, "a late payment with "+what)
				transactions.has(k, t, "the transaction after a late payment with "+what)
			})
			transactions.keeps(k, withLate(t), "a transaction with only a late payment")
		})
	}},
	{"a late payment is recorded once (I27)", lateOnce},
	{"saving an ended transaction unchanged only raises its version", func(k *storeKit) {
		k.eachEnded(func(t ports.Transaction) {
			transactions.keeps(k, t, "a transaction that is saved again unchanged")
		})
	}},
}

// otherwise are changes of an ended transaction, each of which would have been a
// valid end.
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
				other.LateAt, other.LateRaw = time.Time{}, ports.RawFailure{}
			}
			others["another end as "+string(status)] = other
		}
	}
	return others
}

// eachEnded runs a case for each kind of ended transaction: created as ended, ended
// later, and with a late payment.
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

func lateOnce(k *storeKit) {
	kit.Each(k, badEnds, kit.Text, func(status ports.TransactionStatus) {
		t := transactions.save(k, endedTransaction(pendingTransaction("acme", string(status)), status))
		t = transactions.save(k, withLate(t))
		kit.EachOf(k, map[string]func(t *ports.Transaction){
			"an earlier time":     func(t *ports.Transaction) { t.LateAt = t.LateAt.Add(-time.Millisecond) },
			"a later time":        func(t *ports.Transaction) { t.LateAt = t.LateAt.Add(time.Millisecond) },
			"another code":        func(t *ports.Transaction) { t.LateRaw.Code += "\x00" },
			"another message":     func(t *ports.Transaction) { t.LateRaw.Message += "\x00" },
			"no code and message": func(t *ports.Transaction) { t.LateRaw = ports.RawFailure{} },
			"no late payment":     func(t *ports.Transaction) { t.LateAt, t.LateRaw = time.Time{}, ports.RawFailure{} },
		}, func(what string, change func(t *ports.Transaction)) {
			other := t
			change(&other)
			transactions.rejected(k, other, "a second late payment with "+what)
			transactions.has(k, t, "the transaction after a second late payment with "+what)
		})
	})
}
