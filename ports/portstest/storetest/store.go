// Package storetest checks stores in one call for each port. Its suites hold what
// the ports' comments promise and what stores have got wrong before: keys that
// differ by case or a trailing blank, a stale version, racers of which one must
// win, an acknowledgement that is lost.
//
//	func TestConforms(t *testing.T) {
//		storetest.RateLockStore(t, storetest.Harness{
//			Parallel: true,
//			Open: func(tb testing.TB) storetest.Store {
//				s := mystore.Open(tb.TempDir())
//				tb.Cleanup(func() { s.Close() })
//				return storetest.Store{RateLocks: s.RateLocks(), Outbox: s.Outbox(), Close: s.Close}
//			},
//		})
//	}
//
// [RateLockStore], [ValidationStore], [TransactionStore], [ReportStore],
// [AnswerCache], [SecretStore], [Outbox], [DeadLetters], [Work], [ClientStore] and
// [TokenStore] all take a [Harness], and so does [AuditTrail], which writes through
// all of these ports. A field of [Store] that is nil leaves out the
// checks that need it, and the test's output says so; a check that a store cannot
// pass is named in Harness.Except, with the reason.
package storetest

import (
	"context"
	"testing"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// Store is an open store, with what the suites need to drive it to its edges.
// A field that is nil leaves out the checks that need it, with the reason in
// the test's output.
type Store struct {
	RateLocks ports.RateLockStore // the suites Work, Outbox and DeadLetters need it too: items come in through its Save
	Clients   ports.ClientStore
	Tokens    ports.TokenStore
	Work      ports.Work
	Outbox    ports.Outbox

	DeadLetters  ports.DeadLetters // its suite needs Outbox too
	Validations  ports.ValidationStore
	Transactions ports.TransactionStore
	Reports      ports.ReportStore
	Answers      ports.AnswerCache
	Secrets      ports.SecretStore

	// AuditRows reads the audit rows of every write in their order, from the one
	// behind the place after on; limit is 1 to 10,000. The suite AuditTrail needs it.
	AuditRows func(ctx context.Context, after int64, limit int) ([]ports.AuditRow, error)

	// Close closes the store.
	Close func() error
	// Reopen closes the store and opens the same data again, as a restart does.
	// Leave it nil for a store that is not durable.
	Reopen func() Store
	// LoseNextCommit makes the next Save lose the acknowledgement of its
	// commit, as a broken connection does. Whether that commit takes effect is
	// the author's choice; run the suite once for each.
	LoseNextCommit func()
	// Fill leaves the store no room for the next Save; the function returned
	// makes room again.
	Fill func() (empty func())
}

// Harness opens stores for a suite.
type Harness struct {
	// Open returns an empty store. It is called once for each check, and cleans
	// up through tb.Cleanup.
	Open func(tb testing.TB) Store
	// Parallel says that each Open returns a store of its own, so that the
	// checks may run side by side.
	Parallel bool
	// Except names checks that the store cannot pass, each with the reason. An
	// unknown name or an empty reason fails the suite.
	Except map[string]string
}

// storeKit is what a check works with: the test, the store, and the assertions
// that all checks share.
type storeKit struct {
	kit.Kit
	Store
}

// storeCheck is one thing that a store must do.
type storeCheck kit.Check[*storeKit]

// runStore runs the checks of one suite, unless what they need is not there.
func runStore(t *testing.T, h Harness, checks []storeCheck, without string, there func(Store) bool) {
	t.Helper()
	kit.Run(t, h.Except, checks, func(t *testing.T) *storeKit {
		if h.Parallel {
			t.Parallel()
		}
		s := h.Open(t)
		if !there(s) {
			t.Skip(without)
		}
		return &storeKit{Kit: kit.Kit{TB: t}, Store: s}
	})
}
