package ratelock_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/ports"
)

// stores opens each store for the tests.
var stores = map[string]func(t testing.TB) ports.RateLockStore{
	"memory": func(t testing.TB) ports.RateLockStore {
		t.Helper()
		s, err := memory.New(nil)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return s.RateLocks()
	},
	"sqlite": func(t testing.TB) ports.RateLockStore {
		t.Helper()
		s, err := sqlite.Open(t.Context(), t.TempDir()+"/locks.db", nil)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return s.RateLocks()
	},
}
