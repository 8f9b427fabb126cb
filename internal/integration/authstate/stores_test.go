package authstate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/adapters/sqlite"
	"github.com/corridor-go/corridor/ports"
)

// storage is the part of a store that a service needs.
type storage interface {
	Transactions() ports.TransactionStore
	Work() ports.Work
	Outbox() ports.Outbox
}

var storages = map[string]func(t testing.TB) storage{
	"memory": func(t testing.TB) storage {
		t.Helper()
		s, err := memory.New(nil)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return s
	},
	"sqlite": func(t testing.TB) storage {
		t.Helper()
		s, err := sqlite.Open(t.Context(), t.TempDir()+"/transactions.db", nil)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return s
	},
}
