package storetest

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// rawChecks: a provider's words come back byte for byte (I26), up to a bound.
var rawChecks = []storeCheck{
	{"raw codes and messages of any bytes come back (I26)", rawRoundTrip},
	{"a raw code or message of 64 KiB is kept whole (I26)", rawLongest},
	{"a raw code or message above 64 KiB is refused and stores nothing", rawTooLong},
	{"changing what was passed in changes nothing stored", transactionNotAliased},
}

// everyByte holds each byte once.
var everyByte = func() string {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	return string(all)
}()

// raws are texts that columns of text and careless copies damage.
var raws = []string{
	"", "\x00", "a\x00b", "\x00\x00", "\xff\xfe", "a\xc3(", "\xed\xa0\x80", everyByte, " blanks\t\r\n ", "05", "1e3", "0x41",
	`{"message":"caf` + "\u00e9" + `"}`, "cafe\u0301", "\ufeffmark", "'; --", "NULL",
}

func rawRoundTrip(k *storeKit) {
	for i, raw := range raws {
		next := raws[(i+1)%len(raws)] // so that no two fields are equal
		t := endedTransaction(pendingTransaction("acme", fmt.Sprint("tx-", i)), ports.TransactionFailed)
		t.Raw = ports.RawFailure{Code: raw, Message: next}
		t = k.saveTransaction(t)
		k.hasTransaction(t, fmt.Sprintf("a transaction whose provider said %+q", raw))
		t = withLate(t)
		t.Late.Raw = ports.RawFailure{Code: next, Message: raw}
		k.hasTransaction(k.saveTransaction(t), fmt.Sprintf("a late payment whose provider said %+q", raw))
	}
}

// rawFields are the four places of a provider's words.
var rawFields = map[string]func(t *ports.Transaction) *string{
	"code":         func(t *ports.Transaction) *string { return &t.Raw.Code },
	"message":      func(t *ports.Transaction) *string { return &t.Raw.Message },
	"late code":    func(t *ports.Transaction) *string { return &t.Late.Raw.Code },
	"late message": func(t *ports.Transaction) *string { return &t.Late.Raw.Message },
}

func rawLongest(k *storeKit) {
	long := strings.Repeat("\xff\x00", ports.MaxRaw/2-1) + "\x00z"
	for name, field := range rawFields {
		t := withLate(endedTransaction(pendingTransaction("acme", name), ports.TransactionFailed))
		*field(&t) = long
		k.hasTransaction(k.saveTransaction(t), "a transaction with a long "+name)
	}
	t := withLate(endedTransaction(pendingTransaction("acme", "all"), ports.TransactionErrored))
	for _, field := range rawFields {
		*field(&t) = long
	}
	k.hasTransaction(k.saveTransaction(t), "a transaction whose every word is long")
}

func rawTooLong(k *storeKit) {
	pending := k.saveTransaction(pendingTransaction("acme", "pending"))
	for name, field := range rawFields {
		for _, t := range []ports.Transaction{pendingTransaction("acme", "new"), pending} {
			t = withLate(endedTransaction(t, ports.TransactionFailed))
			*field(&t) = strings.Repeat("x", ports.MaxRaw+1)
			err := k.Transactions.Save(k.Context(), strayTransaction(t))
			k.Code(err, errcodes.PayloadTooLarge, "Save of a "+name+" above 64 KiB")
			k.nothingQueued("after a " + name + " above 64 KiB")
		}
	}
	k.noTransaction("acme", "new", "a transaction that was too long")
	k.hasTransaction(pending, "the transaction whose end was too long")
	k.saveTransaction(endedTransaction(pending, ports.TransactionFailed))
}

func transactionNotAliased(k *storeKit) {
	change := queuedTransaction(pendingTransaction("acme", "tx-1"))
	event, work := change.Events[0], change.Work[0]
	event.Data, work.Payload = bytes.Clone(event.Data), bytes.Clone(work.Payload)
	k.OK(k.Transactions.Save(k.Context(), change), "Save")
	change.Events[0].Data[0], change.Work[0].Payload[0] = '!', '!'
	event.Attempt, work.Attempt = 1, 1
	if k.Outbox != nil {
		k.Same(k.claimEvents(kit.Epoch, 1)[0], event, "the event after its bytes were changed outside")
	}
	if k.Work != nil {
		k.Same(k.claimWork(kit.Epoch, 1)[0], work, "the work after its bytes were changed outside")
	}
}
