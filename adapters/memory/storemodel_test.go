package memory_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

// anew gives a new store, twice: what it holds is in one process alone.
func anew(t *testing.T) storemodel.Fresh {
	t.Helper()
	return func() []storemodel.Store {
		store, err := memory.New(nil)
		require.NoError(t, err)
		return []storemodel.Store{store, store}
	}
}

func TestRateLocksThatCannotBeAreRefused(t *testing.T) {
	storemodel.ImpossibleRateLocks(t, anew(t)()[0], func(testing.TB) {})
}

// The model of the other ports is this store itself, and the one of answers knows how
// many claims a purge of SQL's removes, which the port leaves to the store: those have
// models of their own.
func TestBacklogModel(t *testing.T) { storemodel.Backlog(t, anew(t)) }
