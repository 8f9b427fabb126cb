package storetest

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// transactionRecordChecks check that records are returned as saved, providers' texts byte for byte (I26).
var transactionRecordChecks = []storeCheck{
	{"every field of a pending transaction is returned as saved", func(k *storeKit) {
		kit.Each(k, []errcodes.Direction{errcodes.Payin, errcodes.Payout}, kit.Text, func(direction errcodes.Direction) {
			t := pendingTransaction("acme", "waits "+string(direction))
			t.Direction = direction
			transactions.keeps(k, t, "a pending transaction")
			t.ID, t.CreatedAt, t.RespondBy = "close "+string(direction), kit.Epoch.Add(time.Millisecond), kit.Epoch.Add(2*time.Millisecond)
			transactions.keeps(k, t, "a pending transaction whose times are close together")
			t.ID, t.RespondBy = "without a deadline "+string(direction), time.Time{}
			transactions.keeps(k, t, "a pending transaction without a deadline")
		})
	}},
	{"every field of an ended transaction is returned as saved", transactionEndRoundTrip},
	{"every field of a late payment is returned as saved", func(k *storeKit) {
		kit.Each(k, badEnds, kit.Text, func(status ports.TransactionStatus) {
			t := transactions.save(k, endedTransaction(pendingTransaction("acme", string(status)), status))
			t.LateAt, t.LateRaw = t.EndedAt, ports.RawFailure{Code: "\x00\xff", Message: " said later"}
			transactions.keeps(k, t, "a late payment in the millisecond of the end")
			t = transactions.save(k, endedTransaction(pendingTransaction("acme", "silent "+string(status)), status))
			t.LateAt = t.EndedAt.Add(time.Millisecond)
			transactions.keeps(k, t, "a late payment without a code and message")
		})
	}},
	{"empty fields are returned empty", emptyTransaction},
	{"distant times are returned unchanged", transactions.farTimes},
	{"transaction ids that look alike are different transactions", transactions.idsApart},
	// The two transactions change independently.
	{"two owners may use the same id", func(k *storeKit) {
		first := transactions.save(k, pendingTransaction("acme", "tx-1"))
		second := transactions.save(k, endedTransaction(pendingTransaction("zenith", "tx-1"), ports.TransactionFailed))
		first = transactions.keeps(k, endedTransaction(first, ports.TransactionErrored), "one owner's transaction")
		transactions.has(k, second, "the other owner's transaction of the same id")
		second = transactions.save(k, withLate(second))
		transactions.has(k, first, "one owner's transaction after a late payment of the other owner's")
		transactions.has(k, second, "the other owner's transaction with a late payment")
	}},
	{"owners and ids with equal concatenations are different", transactionKeysMeet},
	{"raw codes and messages of any bytes are returned unchanged (I26)", func(k *storeKit) {
		for i, raw := range raws {
			k.Case(kit.Name(raw), func() {
				next := raws[(i+1)%len(raws)] // so that no two fields are equal
				t := endedTransaction(pendingTransaction("acme", fmt.Sprint("tx-", i)), ports.TransactionFailed)
				t.Raw = ports.RawFailure{Code: raw, Message: next}
				t = transactions.keeps(k, t, fmt.Sprintf("a transaction with the raw text %+q", raw))
				t = withLate(t)
				t.LateRaw = ports.RawFailure{Code: next, Message: raw}
				transactions.keeps(k, t, fmt.Sprintf("a late payment with the raw text %+q", raw))
			})
		}
	}},
	{"a raw code or message of 64 KiB is stored whole (I26)", func(k *storeKit) {
		long := strings.Repeat("\xff\x00", ports.MaxRaw/2-1) + "\x00z"
		kit.EachOf(k, rawFields, func(name string, field func(t *ports.Transaction) *string) {
			t := withLate(endedTransaction(pendingTransaction("acme", name), ports.TransactionFailed))
			*field(&t) = long
			transactions.keeps(k, t, "a transaction with a long "+name)
		})
		t := withLate(endedTransaction(pendingTransaction("acme", "all"), ports.TransactionErrored))
		for _, field := range rawFields {
			*field(&t) = long
		}
		transactions.keeps(k, t, "a transaction with all texts long")
	}},
	{"a raw code or message above 64 KiB is rejected and stores nothing", rawTooLong},
	{"changing an argument after Save does not change the store", func(k *storeKit) {
		change := transactions.queued(pendingTransaction("acme", "tx-1"), "creation")
		event, work := change.events[0], change.work[0]
		event.Data, work.Payload = bytes.Clone(event.Data), bytes.Clone(work.Payload)
		transactions.saveAll(k, change)
		change.events[0].Data[0], change.work[0].Payload[0] = '!', '!'
		event.Attempt, work.Attempt = 1, 1
		if k.Outbox != nil {
			k.Same(events.take(k, kit.Epoch, 1)[0], event, "the event after its bytes were changed outside the store")
		}
		if k.Work != nil {
			k.Same(items.take(k, kit.Epoch, 1)[0], work, "the work after its bytes were changed outside the store")
		}
	}},
}

// transactionEndRoundTrip saves each end both as a new transaction and as a change
// of a pending one.
func transactionEndRoundTrip(k *storeKit) {
	kit.Each(k, ends, kit.Text, func(status ports.TransactionStatus) {
		t := endedTransaction(pendingTransaction("acme", "at once "+string(status)), status)
		transactions.keeps(k, t, "a transaction created as "+string(status))

		before := transactions.save(k, pendingTransaction("acme", "later "+string(status)))
		after := endedTransaction(before, status)
		after.Direction, after.Scheme, after.Tables = errcodes.Payout, "s\xffcheme \"2'", "2026-03-02.7"
		after.Raw = ports.RawFailure{Code: " 05,'\x00", Message: "\xffno\"\n"}
		if status == ports.TransactionErrored {
			after.Code = errcodes.ErrorNetwork
		}
		for ms, at := range []*time.Time{&after.CreatedAt, &after.EndedAt, &after.RespondBy} {
			*at = kit.Epoch.Add(time.Duration(ms+1) * time.Millisecond)
		}
		transactions.keeps(k, after, "a transaction that ended later as "+string(status))
	})
}

// emptyTransaction omits the fields that an end without a provider's answer lacks.
func emptyTransaction(k *storeKit) {
	kit.Each(k, append(ends, ports.TransactionPending), kit.Text, func(status ports.TransactionStatus) {
		t := ports.Transaction{ID: string(status), Owner: "acme", Direction: errcodes.Payout, Status: status, CreatedAt: kit.Epoch}
		switch status {
		case ports.TransactionFailed:
			t.Code, t.EndedAt = errcodes.FailureTimeout, kit.Epoch
		case ports.TransactionErrored:
			t.Code, t.EndedAt = errcodes.ErrorNetwork, kit.Epoch
		case ports.TransactionSucceeded:
			t.EndedAt = kit.Epoch
		case ports.TransactionPending:
		}
		transactions.keeps(k, t, "a transaction with empty fields")
	})
}

func transactionKeysMeet(k *storeKit) {
	var saved []ports.Transaction
	for i, key := range [][2]string{
		{"ab", "c"}, {"a", "bc"}, {"", "abc"}, {"abc", ""}, {"a\x00", "b"}, {"a", "\x00b"}, {"a/b", "c"}, {"a", "b/c"}, {"a:", "b"}, {"a", ":b"},
	} {
		t := pendingTransaction(key[0], key[1])
		t.CreatedAt = kit.Epoch.Add(time.Duration(i) * time.Millisecond)
		saved = append(saved, transactions.save(k, t))
	}
	for _, t := range saved {
		k.Case(kit.Name(t.Owner)+" "+kit.Name(t.ID), func() {
			transactions.has(k, t, "a transaction among those with the same concatenation of owner and id")
		})
	}
}

var everyByte = func() string {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	return string(all)
}()

// raws are texts that text columns and careless copying damage.
var raws = []string{
	"", "\x00", "a\x00b", "\x00\x00", "\xff\xfe", "a\xc3(", "\xed\xa0\x80", everyByte, " blanks\t\r\n ", "05", "1e3", "0x41",
	`{"message":"caf` + "\u00e9" + `"}`, "cafe\u0301", "\ufeffmark", "'; --", "NULL",
}

var rawFields = map[string]func(t *ports.Transaction) *string{
	"code":         func(t *ports.Transaction) *string { return &t.Raw.Code },
	"message":      func(t *ports.Transaction) *string { return &t.Raw.Message },
	"late code":    func(t *ports.Transaction) *string { return &t.LateRaw.Code },
	"late message": func(t *ports.Transaction) *string { return &t.LateRaw.Message },
}

func rawTooLong(k *storeKit) {
	pending := transactions.save(k, pendingTransaction("acme", "pending"))
	for name, field := range rawFields {
		for _, t := range []ports.Transaction{pendingTransaction("acme", "new"), pending} {
			k.Case(t.ID+" "+name, func() {
				t = withLate(endedTransaction(t, ports.TransactionFailed))
				*field(&t) = strings.Repeat("x", ports.MaxRaw+1)
				err := transactions.write(k.Context(), k.Store, transactions.queued(t, "stray"))
				k.Code(err, errcodes.PayloadTooLarge, "Save of a "+name+" above 64 KiB")
				k.nothingQueued("after a " + name + " above 64 KiB")
			})
		}
	}
	transactions.absent(k, "acme", "new", "a new transaction that was too long")
	transactions.has(k, pending, "the pending transaction after an end that was too long")
	transactions.save(k, endedTransaction(pending, ports.TransactionFailed))
}
