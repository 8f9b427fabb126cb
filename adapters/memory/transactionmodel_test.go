package memory_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

type txKey struct{ owner, id string }

// drawTransaction draws a change of a transaction, mostly at its version and often of
// one field only.
func drawTransaction(t *rapid.T, m map[txKey]ports.Transaction) ports.Transaction {
	k := txKey{rapid.SampledFrom([]string{"acme", "Acme"}).Draw(t, "owner"), rapid.SampledFrom([]string{"a", "A", "a\x00"}).Draw(t, "id")}
	v, known := m[k]
	if !known {
		v = ports.Transaction{ID: k.id, Owner: k.owner, Status: ports.TransactionPending, CreatedAt: start}
	}
	spoil := func(what string) bool { return rapid.IntRange(0, 5).Draw(t, what) == 0 }
	if spoil("stale") {
		v.Version += int64(rapid.IntRange(-1, 1).Draw(t, "off by"))
	}
	if spoil("status") || !v.Status.Terminal() {
		v.Status = rapid.SampledFrom([]ports.TransactionStatus{
			ports.TransactionPending, ports.TransactionFailed, ports.TransactionErrored, ports.TransactionSucceeded,
		}).Draw(t, "to")
	}
	few := rapid.SampledFrom([]string{"", "a", "a\x00", "\xff"})
	for _, field := range []*string{&v.Raw.Code, &v.Raw.Message, &v.Scheme, &v.Tables, &v.LateRaw.Code, &v.LateRaw.Message} {
		if spoil("text") {
			*field = few.Draw(t, "text to")
		}
	}
	for _, at := range []*time.Time{&v.EndedAt, &v.RespondBy, &v.CreatedAt, &v.LateAt} {
		if spoil("time") {
			*at = start.Add(time.Duration(rapid.IntRange(-3, 3).Draw(t, "time to")) * 700 * time.Microsecond)
		}
	}
	return v
}

// saveTransactionInModel is the port's rule: the version decides, and an ended
// transaction can only get its first late payment (I27).
func saveTransactionInModel(m map[txKey]ports.Transaction, v ports.Transaction) errcodes.Code {
	for _, at := range []*time.Time{&v.EndedAt, &v.RespondBy, &v.CreatedAt, &v.LateAt} {
		*at = at.Truncate(time.Millisecond)
	}
	k := txKey{v.Owner, v.ID}
	old, known := m[k]
	if !known && v.Version != 0 || known && v.Version != old.Version {
		return errcodes.Conflict
	}
	if known && old.Status != ports.TransactionPending {
		if old.LateAt.IsZero() {
			old.LateAt, old.LateRaw = v.LateAt, v.LateRaw
		}
		if old != v {
			return errcodes.Conflict
		}
	}
	v.Version++
	m[k] = v
	return ""
}

func TestTransactionsAgreeWithAMap(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(rt *rapid.T) {
		store, m := newStore(t).Transactions(), map[txKey]ports.Transaction{}
		rt.Repeat(map[string]func(*rapid.T){
			"save": func(rt *rapid.T) {
				v := drawTransaction(rt, m)
				agreeOn(rt, "Save", store.Save(ctx, ports.TransactionChange{Transaction: v}), saveTransactionInModel(m, v))
			},
			"": func(rt *rapid.T) {
				for k, want := range m {
					got, err := store.Transaction(ctx, k.owner, k.id)
					if err != nil || got != want {
						rt.Fatalf("Transaction: %#v %v, want %#v", got, err, want)
					}
				}
				_, err := store.Transaction(ctx, "acme ", "a")
				agreeOn(rt, "Transaction of another owner", err, errcodes.NotFound)
			},
		})
	})
}

// A rejected change, also one rejected for the ids of its events or work, is rejected
// before any fault is injected.
func TestARejectedTransactionDoesNotReachTheCommit(t *testing.T) {
	asked := 0
	store, err := memory.New(&memory.Config{Faults: func(string) error { asked++; return nil }})
	require.NoError(t, err)
	queued := ports.TransactionChange{
		Transaction: ports.Transaction{ID: "queued", Owner: "acme"},
		Events:      []ports.Event{{ID: "e"}}, Work: []ports.WorkItem{{ID: "w"}},
	}
	require.NoError(t, store.Transactions().Save(t.Context(), queued))
	asked = 0
	fresh := ports.Transaction{ID: "a", Owner: "acme"}
	long, unknown := fresh, fresh
	long.Raw.Code, unknown.Version = strings.Repeat("x", ports.MaxRaw+1), 1
	for name, c := range map[string]struct {
		change ports.TransactionChange
		code   errcodes.Code
	}{
		"too long":                {ports.TransactionChange{Transaction: long}, errcodes.PayloadTooLarge},
		"an unknown version":      {ports.TransactionChange{Transaction: unknown}, errcodes.Conflict},
		"the same event twice":    {ports.TransactionChange{Transaction: fresh, Events: append(queued.Events, queued.Events...)}, errcodes.Conflict},
		"a work item that exists": {ports.TransactionChange{Transaction: fresh, Work: queued.Work}, errcodes.Conflict},
	} {
		require.Equal(t, c.code, errcodes.Of(store.Transactions().Save(t.Context(), c.change)), name)
	}
	require.Zero(t, asked)
}
