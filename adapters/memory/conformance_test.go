package memory_test

import (
	"testing"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports/portstest/storetest"
)

// harness opens stores that lose acknowledgements at the point lossAt.
func harness(lossAt string) storetest.Harness {
	return storetest.Harness{
		Parallel: true,
		Open:     func(tb testing.TB) storetest.Store { return open(tb, lossAt) },
	}
}

func open(tb testing.TB, lossAt string) storetest.Store {
	tb.Helper()
	faults := map[string]error{}
	store, err := memory.New(&memory.Config{Faults: func(point string) error {
		err := faults[point]
		if errcodes.Of(err) == errcodes.OutcomeUnknown {
			delete(faults, point)
		}
		return err
	}})
	if err != nil {
		tb.Fatal(err)
	}
	return storetest.Store{
		RateLocks:      store.RateLocks(),
		Clients:        store.Clients(),
		Tokens:         store.Tokens(),
		Work:           store.Work(),
		Outbox:         store.Outbox(),
		DeadLetters:    store.DeadLetters(),
		Validations:    store.Validations(),
		Transactions:   store.Transactions(),
		Reports:        store.Reports(),
		Answers:        store.Answers(),
		Secrets:        store.Secrets(),
		AuditRows:      store.AuditRows,
		Close:          store.Close,
		LoseNextCommit: func() { faults[lossAt] = errcodes.New(errcodes.OutcomeUnknown, "") },
		Fill: func() func() {
			faults[memory.BeforeCommit] = errcodes.New(errcodes.StorageUnavailable, "")
			return func() { delete(faults, memory.BeforeCommit) }
		},
	}
}

func TestConforms(t *testing.T) {
	for name, lossAt := range map[string]string{
		"a lost acknowledgement leaves nothing stored": memory.BeforeCommit,
		"a lost acknowledgement leaves all stored":     memory.AfterCommit,
	} {
		t.Run(name, func(t *testing.T) {
			h := harness(lossAt)
			t.Run("RateLockStore", func(t *testing.T) { storetest.RateLockStore(t, h) })
			t.Run("Outbox", func(t *testing.T) { storetest.Outbox(t, h) })
			t.Run("DeadLetters", func(t *testing.T) { storetest.DeadLetters(t, h) })
			t.Run("Work", func(t *testing.T) { storetest.Work(t, h) })
			t.Run("ClientStore", func(t *testing.T) { storetest.ClientStore(t, h) })
			t.Run("TokenStore", func(t *testing.T) { storetest.TokenStore(t, h) })
			t.Run("ValidationStore", func(t *testing.T) { storetest.ValidationStore(t, h) })
			t.Run("TransactionStore", func(t *testing.T) { storetest.TransactionStore(t, h) })
			t.Run("ReportStore", func(t *testing.T) { storetest.ReportStore(t, h) })
			t.Run("AnswerCache", func(t *testing.T) { storetest.AnswerCache(t, h) })
			t.Run("SecretStore", func(t *testing.T) { storetest.SecretStore(t, h) })
			t.Run("AuditTrail", func(t *testing.T) { storetest.AuditTrail(t, h) })
		})
	}
}
