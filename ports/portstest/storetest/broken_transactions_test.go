package storetest_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
)

type saveTransactionFunc = func(context.Context, ports.TransactionChange) error

// onTransaction lets fn change what Transaction returns.
func onTransaction(b *bundle, fn func(t *ports.Transaction)) {
	read := b.transactions.read
	b.transactions.read = func(ctx context.Context, owner, id string) (ports.Transaction, error) {
		t, err := read(ctx, owner, id)
		if err == nil {
			fn(&t)
		}
		return t, err
	}
}

func eachTransaction(fn func(t *ports.Transaction)) func(b *bundle) {
	return func(b *bundle) { onTransaction(b, fn) }
}

// eachRaw lets fn change the provider's texts that Transaction returns.
func eachRaw(fn func(s string) string) func(b *bundle) {
	return eachTransaction(func(t *ports.Transaction) {
		for _, s := range rawsOf(t) {
			*s = fn(*s)
		}
	})
}

func rawsOf(t *ports.Transaction) []*string {
	return []*string{&t.Raw.Code, &t.Raw.Message, &t.LateRaw.Code, &t.LateRaw.Message}
}

// savesTransactions replaces Save with fn.
func savesTransactions(fn func(ctx context.Context, save saveTransactionFunc, c ports.TransactionChange) error) func(b *bundle) {
	return func(b *bundle) {
		save := b.transactions.save
		b.transactions.save = func(ctx context.Context, c ports.TransactionChange) error { return fn(ctx, save, c) }
	}
}

// onSaveTransaction lets fn change each change before it is saved.
func onSaveTransaction(fn func(c *ports.TransactionChange)) func(b *bundle) {
	return savesTransactions(func(ctx context.Context, save saveTransactionFunc, c ports.TransactionChange) error {
		c.Events, c.Work = slices.Clone(c.Events), slices.Clone(c.Work)
		fn(&c)
		return save(ctx, c)
	})
}

// mapTransactionKeys stores transactions under the result of f for owner and id.
func mapTransactionKeys(b *bundle, f func(owner, id string) (string, string)) {
	read := b.transactions.read
	b.transactions.read = func(ctx context.Context, owner, id string) (ports.Transaction, error) {
		mappedOwner, mappedID := f(owner, id)
		t, err := read(ctx, mappedOwner, mappedID)
		t.Owner, t.ID = owner, id
		return t, err
	}
	onSaveTransaction(func(c *ports.TransactionChange) {
		c.Transaction.Owner, c.Transaction.ID = f(c.Transaction.Owner, c.Transaction.ID)
	})(b)
}

func mapTransactionOwners(b *bundle, f func(string) string) {
	mapTransactionKeys(b, func(owner, id string) (string, string) { return f(owner), id })
}

func mapTransactionIDs(b *bundle, f func(string) string) {
	mapTransactionKeys(b, func(owner, id string) (string, string) { return owner, f(id) })
}

// oneNamespace ignores the owner of an id.
func oneNamespace(b *bundle) {
	var mu sync.Mutex
	owners := map[string]string{}
	savesTransactions(func(ctx context.Context, save saveTransactionFunc, c ports.TransactionChange) error {
		mu.Lock()
		defer mu.Unlock()
		if owner, taken := owners[c.Transaction.ID]; taken && owner != c.Transaction.Owner {
			return errcodes.New(errcodes.Conflict, "")
		}
		err := save(ctx, c)
		if err == nil {
			owners[c.Transaction.ID] = c.Transaction.Owner
		}
		return err
	})(b)
}

const (
	unknownTransaction = "an unknown transaction is not found"
	foreignTransaction = "another owner's transaction is not found"
	openFields         = "every field of a pending transaction is returned as saved"
	endFields          = "every field of an ended transaction is returned as saved"
	lateFields         = "every field of a late payment is returned as saved"
	rawBytes           = "raw codes and messages of any bytes are returned unchanged (I26)"
	rawWhole           = "a raw code or message of 64 KiB is stored whole (I26)"
	rawBound           = "a raw code or message above 64 KiB is rejected and stores nothing"
	changeAliased      = "changing an argument after Save does not change the store"
	oneIDTwoOwners     = "two owners may use the same id"
	keysMeet           = "owners and ids with equal concatenations are different"
)

// forgetsTransactionFields returns a flaw for each field that a store may
// leave out.
func forgetsTransactionFields() []flawedStore {
	ended := map[string]func(t *ports.Transaction){
		"the direction": func(t *ports.Transaction) { t.Direction = errcodes.Payin },
		"the status":    func(t *ports.Transaction) { t.Status = ports.TransactionFailed },
		"the code":      func(t *ports.Transaction) { t.Code = "" },
		"what was said": func(t *ports.Transaction) { t.Raw = ports.RawFailure{} },
		"the scheme":    func(t *ports.Transaction) { t.Scheme = "" },
		"the tables":    func(t *ports.Transaction) { t.Tables = "" },
		"the creation":  func(t *ports.Transaction) { t.CreatedAt = t.CreatedAt.Truncate(time.Second) },
		"how long":      func(t *ports.Transaction) { t.RespondBy = time.Time{} },
		"the end":       func(t *ports.Transaction) { t.EndedAt = t.EndedAt.Truncate(10 * time.Millisecond) },
	}
	var out []flawedStore
	for _, name := range slices.Sorted(maps.Keys(ended)) {
		out = append(out, flawedStore{"forgets " + name, endFields, eachTransaction(ended[name])})
	}
	return append(out,
		flawedStore{"stores every pending transaction as a payin", openFields, eachTransaction(ended["the direction"])},
		flawedStore{"keeps seconds of RespondBy", openFields, eachTransaction(func(t *ports.Transaction) { t.RespondBy = t.RespondBy.Truncate(time.Second) })},
		flawedStore{"sets RespondBy where it is zero", openFields, eachTransaction(func(t *ports.Transaction) {
			if t.RespondBy.IsZero() {
				t.RespondBy = t.CreatedAt
			}
		})},
		flawedStore{"returns times in the machine's zone", openFields, eachTransaction(func(t *ports.Transaction) { t.CreatedAt = t.CreatedAt.In(time.FixedZone("", 3600)) })},
		flawedStore{"keeps schemes as text", endFields, eachTransaction(func(t *ports.Transaction) { t.Scheme = strings.ToValidUTF8(t.Scheme, "?") })},
		flawedStore{"forgets late payments", lateFields, eachTransaction(func(t *ports.Transaction) { t.LateAt, t.LateRaw = time.Time{}, ports.RawFailure{} })},
		flawedStore{"stores the first texts for a late payment", lateFields, eachTransaction(func(t *ports.Transaction) { t.LateRaw = t.Raw })},
		flawedStore{"keeps seconds of a late payment", lateFields, eachTransaction(func(t *ports.Transaction) { t.LateAt = t.LateAt.Truncate(time.Second) })},
		flawedStore{"requires a text in a late payment", lateFields, eachTransaction(func(t *ports.Transaction) {
			if t.LateRaw == (ports.RawFailure{}) {
				t.LateAt, t.LateRaw = time.Time{}, ports.RawFailure{}
			}
		})},
	)
}

var transactionFlaws = slices.Concat(
	forgetsTransactionFields(),
	confuse("owners", "owners that look alike have different transactions", looks, mapTransactionOwners),
	confuse("transaction ids", "transaction ids that look alike are different transactions", looks, mapTransactionIDs),
	confuse("owners", longTexts, []string{"keeps 255 letters"}, mapTransactionOwners),
	confuse("transaction ids", longTexts, []string{"keeps 255 letters"}, mapTransactionIDs),
	confuse("transaction ids", unknownTransaction, looks[:3], mapTransactionIDs),
	confuse("owners", foreignTransaction, looks[:3], mapTransactionOwners),
	[]flawedStore{
		{"returns an empty transaction for an unknown id", unknownTransaction, func(b *bundle) {
			read := b.transactions.read
			b.transactions.read = func(ctx context.Context, owner, id string) (ports.Transaction, error) {
				t, err := read(ctx, owner, id)
				if errcodes.Of(err) == errcodes.NotFound {
					return t, nil
				}
				return t, err
			}
		}},
		{"reports not found as internal", unknownTransaction, func(b *bundle) {
			read := b.transactions.read
			b.transactions.read = func(ctx context.Context, owner, id string) (ports.Transaction, error) {
				t, err := read(ctx, owner, id)
				return t, broken.Recode(err, errcodes.NotFound, errcodes.Internal)
			}
		}},
		{"ignores the owner", foreignTransaction, func(b *bundle) {
			owners := map[string]string{}
			onSaveTransaction(func(c *ports.TransactionChange) { owners[c.Transaction.ID] = c.Transaction.Owner })(b)
			read := b.transactions.read
			b.transactions.read = func(ctx context.Context, _, id string) (ports.Transaction, error) { return read(ctx, owners[id], id) }
		}},
		{"has one namespace of ids", oneIDTwoOwners, oneNamespace},
		{"returns the last transaction of an id", oneIDTwoOwners, func(b *bundle) {
			last := map[string]ports.Transaction{}
			onSaveTransaction(func(c *ports.TransactionChange) { last[c.Transaction.ID] = c.Transaction })(b)
			onTransaction(b, func(t *ports.Transaction) {
				t.EndedAt, t.LateAt, t.LateRaw = last[t.ID].EndedAt, last[t.ID].LateAt, last[t.ID].LateRaw
			})
		}},
		{"joins owner and id", keysMeet, func(b *bundle) {
			mapTransactionKeys(b, func(owner, id string) (string, string) { return "", owner + id })
		}},
		{"joins owner and id by a slash", keysMeet, func(b *bundle) {
			mapTransactionKeys(b, func(owner, id string) (string, string) { return "", owner + "/" + id })
		}},
		{"joins owner and id by a NUL", keysMeet, func(b *bundle) {
			mapTransactionKeys(b, func(owner, id string) (string, string) {
				return "", strings.TrimRight(owner, "\x00") + "\x00" + strings.TrimLeft(id, "\x00")
			})
		}},
		{"reads the zero end as 1970", emptyFields, eachTransaction(func(t *ports.Transaction) { takesZeroFor1970(&t.EndedAt) })},
		{"reads the zero RespondBy as 1970", emptyFields, eachTransaction(func(t *ports.Transaction) { takesZeroFor1970(&t.RespondBy) })},
		{"reads no late payment as one of 1970", emptyFields, eachTransaction(func(t *ports.Transaction) { takesZeroFor1970(&t.LateAt) })},
		{"stores a scheme for every end", emptyFields, eachTransaction(func(t *ports.Transaction) { t.Scheme += strings.Repeat("none", 1-min(1, len(t.Scheme))) })},
		{"keeps nanoseconds in 64 bits", farTimes, eachTransaction(func(t *ports.Transaction) { t.CreatedAt = time.Unix(0, t.CreatedAt.UnixNano()).UTC() })},
		{"keeps no end before 1970", farTimes, eachTransaction(func(t *ports.Transaction) {
			if t.EndedAt.Before(time.UnixMilli(0)) {
				t.EndedAt = time.Time{}
			}
		})},
	},
)

// boundsRaw accepts texts up to the bounds and returns code for longer ones.
func boundsRaw(most int, code errcodes.Code) func(b *bundle) {
	return savesTransactions(func(ctx context.Context, save saveTransactionFunc, c ports.TransactionChange) error {
		for _, s := range rawsOf(&c.Transaction) {
			if len(*s) > most {
				return errcodes.New(code, "")
			}
		}
		return save(ctx, c)
	})
}

// cutsRaw cuts texts that are too long.
func cutsRaw(which ...int) func(b *bundle) {
	return onSaveTransaction(func(c *ports.TransactionChange) {
		for i, s := range rawsOf(&c.Transaction) {
			if slices.Contains(which, i) {
				*s = (*s)[:min(len(*s), ports.MaxRaw)]
			}
		}
	})
}

// storesTooLong rejects texts that are too long and stores the rest of the record.
func storesTooLong(b *bundle) {
	savesTransactions(func(ctx context.Context, save saveTransactionFunc, c ports.TransactionChange) error {
		err := save(ctx, c)
		if errcodes.Of(err) != errcodes.PayloadTooLarge {
			return err
		}
		for _, s := range rawsOf(&c.Transaction) {
			*s = (*s)[:min(len(*s), ports.MaxRaw)]
		}
		if stored := save(ctx, c); stored != nil {
			return stored
		}
		return err
	})(b)
}

var rawFlaws = append(
	confuse("raw texts", rawBytes, looks[1:], func(b *bundle, f func(string) string) { eachRaw(f)(b) }),
	flawedStore{"keeps raw codes as numbers", rawBytes, eachRaw(func(s string) string {
		if s == "05" {
			return "5"
		}
		return s
	})},
	flawedStore{"reads the text NULL as empty", rawBytes, eachRaw(func(s string) string { return strings.ReplaceAll(s, "NULL", "") })},
	flawedStore{"composes accents", rawBytes, eachRaw(func(s string) string { return strings.ReplaceAll(s, "e\u0301", "\u00e9") })},
	flawedStore{"drops a byte order mark", rawBytes, eachRaw(func(s string) string { return strings.TrimPrefix(s, "\ufeff") })},
	flawedStore{"swaps code and message", rawBytes, eachTransaction(func(t *ports.Transaction) { t.Raw.Code, t.Raw.Message = t.Raw.Message, t.Raw.Code })},
	flawedStore{"swaps late code and message", rawBytes, eachTransaction(func(t *ports.Transaction) {
		t.LateRaw.Code, t.LateRaw.Message = t.LateRaw.Message, t.LateRaw.Code
	})},
	flawedStore{"keeps 65,535 bytes", rawWhole, eachRaw(func(s string) string { return s[:min(len(s), ports.MaxRaw-1)] })},
	flawedStore{"rejects 64 KiB", rawWhole, boundsRaw(ports.MaxRaw-1, errcodes.PayloadTooLarge)},
	flawedStore{"bounds all texts together", rawWhole, savesTransactions(func(ctx context.Context, save saveTransactionFunc, c ports.TransactionChange) error {
		total := 0
		for _, s := range rawsOf(&c.Transaction) {
			total += len(*s)
		}
		if total > 2*ports.MaxRaw {
			return errcodes.New(errcodes.PayloadTooLarge, "")
		}
		return save(ctx, c)
	})},
	flawedStore{"cuts a code that is too long", rawBound, cutsRaw(0)},
	flawedStore{"cuts a message that is too long", rawBound, cutsRaw(1)},
	flawedStore{"cuts late texts that are too long", rawBound, cutsRaw(2, 3)},
	flawedStore{"returns InvalidRequest for long texts", rawBound, boundsRaw(ports.MaxRaw, errcodes.InvalidRequest)},
	flawedStore{"stores rejected long texts", rawBound, storesTooLong},
	flawedStore{"keeps the data passed in", changeAliased, func(b *bundle) {
		kept := map[string][]byte{}
		savesTransactions(func(ctx context.Context, save saveTransactionFunc, c ports.TransactionChange) error {
			for _, e := range c.Events {
				kept[e.ID] = e.Data
			}
			return save(ctx, c)
		})(b)
		eachEvent(func(e *ports.Event) { e.Data = kept[e.ID] })(b)
	}},
	flawedStore{"keeps the payload passed in", changeAliased, func(b *bundle) {
		kept := map[string][]byte{}
		savesTransactions(func(ctx context.Context, save saveTransactionFunc, c ports.TransactionChange) error {
			for _, w := range c.Work {
				kept[w.ID] = w.Payload
			}
			return save(ctx, c)
		})(b)
		eachItem(func(w *ports.WorkItem) { w.Payload = kept[w.ID] })(b)
	}},
)
