package storetest_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storetest"
)

// A store may reject invalid records with constraints on its tables. Therefore the
// suite must not save them, not even where it expects an error.
func TestTheTransactionSuiteSavesOnlyValidTransactions(t *testing.T) {
	for _, check := range storetest.CheckNames("TransactionStore") {
		t.Run(check, func(t *testing.T) {
			b := newBundle(t)
			var mu sync.Mutex
			var impossible []string
			savesTransactions(func(ctx context.Context, save saveTransactionFunc, c ports.TransactionChange) error {
				mu.Lock()
				impossible = append(impossible, impossibleTransaction(c.Transaction)...)
				mu.Unlock()
				return save(ctx, c)
			})(b)
			storetest.RunStoreCheck(t, "TransactionStore", check, b.store())
			if len(impossible) > 0 {
				t.Errorf("the check saves an invalid record:\n%s", strings.Join(impossible, "\n"))
			}
		})
	}
}

// impossibleTransaction lists the faults that no service can have put into a transaction.
func impossibleTransaction(t ports.Transaction) []string {
	var found []string
	says := func(wrong bool, what string) {
		if wrong {
			found = append(found, fmt.Sprintf("%.40q, %s: %s", t.ID, t.Status, what))
		}
	}
	state := t.Status.State()
	code, said := t.Code.Row(), t.Raw != ports.RawFailure{}
	says(!t.Direction.Valid(), "an unknown direction")
	says(code.State != state, "a code of another state")
	says(state != "" && !code.Fits(t.Direction), "a code of another direction (I24)")
	says(code.Deprecated, "a deprecated code (I25)")
	says(t.CreatedAt.IsZero(), "no creation")
	says(t.Status.Terminal() == t.EndedAt.IsZero(), "EndedAt and Status disagree")
	says(!t.EndedAt.IsZero() && t.EndedAt.Before(t.CreatedAt), "an end before the creation")
	says(!t.Status.Terminal() && (said || t.Scheme != "" || t.Tables != ""), "a failure, scheme or tables before the end")
	says(!t.LateAt.IsZero() && (state == "" || t.LateAt.Before(t.EndedAt)), "a late payment without an unsuccessful end, or before it")
	says(t.LateAt.IsZero() && t.LateRaw != ports.RawFailure{}, "LateRaw without LateAt")
	return found
}
