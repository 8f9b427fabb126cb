package authstate_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/corridor-go/corridor/internal/integration/planted"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/ports"
)

// forgetful drops events of one kind.
type forgetful struct {
	storage
	kind string
}

func (f forgetful) Transactions() ports.TransactionStore {
	return forgetfulTransactions{f.storage.Transactions(), f.kind}
}

type forgetfulTransactions struct {
	ports.TransactionStore
	kind string
}

func (f forgetfulTransactions) Save(ctx context.Context, c ports.TransactionChange) error {
	c.Events = slices.DeleteFunc(slices.Clone(c.Events), func(e ports.Event) bool { return e.Kind == f.kind })
	return f.TransactionStore.Save(ctx, c)
}

// drifting moves the end by a millisecond with each late payment.
type drifting struct{ storage }

func (d drifting) Transactions() ports.TransactionStore {
	return driftingTransactions{d.storage.Transactions()}
}

type driftingTransactions struct{ ports.TransactionStore }

func (d driftingTransactions) Transaction(ctx context.Context, owner, id string) (ports.Transaction, error) {
	t, err := d.TransactionStore.Transaction(ctx, owner, id)
	if !t.LateAt.IsZero() {
		t.EndedAt = t.EndedAt.Add(-time.Millisecond)
	}
	return t, err
}

func TestTheMachineFindsPlantedBugs(t *testing.T) {
	setFlag(t, "rapid.shrinktime", "0s") // nobody reads the counterexample
	setFlag(t, "rapid.nofailfile", "true")
	for name, plant := range map[string]func(storage) storage{
		"an end without its event (I32)":         func(s storage) storage { return forgetful{s, authstate.EventErrored} },
		"a late payment without its event (I32)": func(s storage) storage { return forgetful{s, authstate.EventLatePayment} },
		"an end that moves (I27)":                func(s storage) storage { return drifting{s} },
	} {
		t.Run(name, func(t *testing.T) {
			store := plant(storages["memory"](t))
			require.True(t, planted.Fails(func(t rapid.TB) { checkMachine(t, store) }))
		})
	}
}
