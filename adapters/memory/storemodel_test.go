package memory_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

// fresh returns the same new store twice, because a memory store cannot be opened twice.
func fresh(t *testing.T) storemodel.Fresh {
	t.Helper()
	return func() []storemodel.Store {
		store, err := memory.New(nil)
		require.NoError(t, err)
		return []storemodel.Store{store, store}
	}
}

func TestInvalidRateLocksAreRejected(t *testing.T) {
	storemodel.ImpossibleRateLocks(t, fresh(t)()[0], func(testing.TB) {})
}

// The models of the other ports are in this package: storemodel uses this store as
// their model, and how many claims a purge of answers removes is up to each store.
func TestBacklogModel(t *testing.T) { storemodel.Backlog(t, fresh(t)) }
