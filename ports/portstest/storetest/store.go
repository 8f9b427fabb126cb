// Package storetest checks stores, in one call for each port. Its suites check what
// the ports' comments require and mistakes that stores have made before: keys that
// differ only by case or a trailing space, stale versions, concurrent saves of which
// one must succeed, lost acknowledgements.
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
// [TokenStore] each take a [Harness], and so does [AuditTrail], which writes through
// all of these ports.
package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// Store is an open store, with what the suites need to test its limits. If a field
// is nil, the checks that need it are skipped, with the reason in the test's
// output.
type Store struct {
	RateLocks ports.RateLockStore // the suites Work, Outbox and DeadLetters need it too: they save items through it
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

	// AuditRows reads at most limit (1 to 10,000) audit rows of every write in order,
	// starting after the position after. The suite AuditTrail needs it.
	AuditRows func(ctx context.Context, after int64, limit int) ([]ports.AuditRow, error)

	// Close closes the store.
	Close func() error
	// Reopen closes the store and opens the same data again, as a restart does. It
	// is nil for a store that is not durable.
	Reopen func() Store
	// LoseNextCommit makes the next Save lose the acknowledgement of its commit, as
	// a broken connection does. The commit may take effect or not: run the suite
	// once for each.
	LoseNextCommit func()
	// Fill leaves no room in the store for the next Save; the returned function
	// makes room again.
	Fill func() (empty func())
}

// Harness opens stores for a suite.
type Harness struct {
	// Open returns an empty store. It is called once for each check and cleans up
	// through tb.Cleanup.
	Open func(tb testing.TB) Store
	// Parallel declares that each Open returns a separate store, so that the checks
	// may run in parallel.
	Parallel bool
	// Except maps checks that the store cannot pass to the reason. An unknown name
	// or an empty reason fails the suite.
	Except map[string]string
}

// storeKit contains the test, the store, and the assertions that all checks of
// stores share.
type storeKit struct {
	kit.Kit
	Store
}

type storeCheck kit.Check[*storeKit]

// runStore runs the checks of a suite, or skips them if the store lacks a port.
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

var usdZAR = ports.Pair{Base: "USD", Quote: "ZAR"}

func keyOf(owner string) ports.BookKey { return ports.BookKey{Owner: owner, Pair: usdZAR} }

func activeLock(key ports.BookKey, id string, created time.Time) ports.RateLock {
	return ports.RateLock{
		ID: id, Owner: key.Owner, Base: key.Pair.Base, Quote: key.Pair.Quote,
		MidRate: "18.50", MarkupBps: 150, AllInRate: "18.7775",
		MidSource: "ecb", MidAt: created.Add(-time.Minute), ToleranceBps: 200,
		CreatedAt: created, ExpiresAt: created.Add(time.Hour), Status: ports.LockActive,
	}
}

func mint(b ports.Book, l ports.RateLock) ports.RateLockChange {
	b.Slots[len(b.Live())] = l
	b.HighWater = l.CreatedAt
	return ports.RateLockChange{Book: b, Minted: &l}
}

func replace(b ports.Book, l ports.RateLock) ports.RateLockChange {
	var ended []ports.RateLock
	for _, old := range b.Live() {
		ended = append(ended, cancelledAt(l.CreatedAt)(old))
	}
	b.Slots = [ports.MaxLiveLocks]ports.RateLock{}
	change := mint(b, l)
	change.Ended = ended
	return change
}

func (k *storeKit) end(b ports.Book, id string, how ending) ports.RateLockChange {
	live := slices.Clone(b.Live())
	i := slices.IndexFunc(live, func(l ports.RateLock) bool { return l.ID == id })
	if i < 0 {
		k.Fatalf("the book's slots contain %s, but not the active lock %q", kit.Short(ids(live)), id)
	}
	ended := how(live[i])
	b.Slots = [ports.MaxLiveLocks]ports.RateLock{}
	copy(b.Slots[:], slices.Delete(live, i, i+1))
	return ports.RateLockChange{Book: b, Ended: []ports.RateLock{ended}}
}

func job(id string, due time.Time) ports.WorkItem {
	return ports.WorkItem{ID: id, Kind: kind, DueAt: due, Payload: []byte("payload of " + id)}
}

func (k *storeKit) book(key ports.BookKey) ports.Book {
	return kit.Got(k.RateLocks.Book(k.Context(), key)).OK(k, "Book")
}

func (k *storeKit) lock(owner, id string) ports.RateLock {
	l, _, err := k.RateLocks.Lock(k.Context(), owner, id)
	k.OK(err, "Lock")
	return l
}

func (k *storeKit) save(c ports.RateLockChange) ports.Book {
	k.OK(k.RateLocks.Save(k.Context(), c), "Save")
	c.Book.Version++
	return c.Book
}

func (k *storeKit) mint(key ports.BookKey, id string, created time.Time) ports.Book {
	b := k.book(key)
	if len(b.Live()) == len(b.Slots) {
		k.Fatalf("the book is full although the check saved fewer locks: %s", kit.Short(ids(b.Live())))
	}
	return k.save(mint(b, activeLock(key, id, created)))
}

// carryEvents saves the events with a change of a book that is not used otherwise.
func (k *storeKit) carryEvents(events ...ports.Event) {
	k.save(ports.RateLockChange{Book: k.book(keyOf("carrier")), Events: events})
}

func (k *storeKit) carryWork(items ...ports.WorkItem) {
	k.save(ports.RateLockChange{Book: k.book(keyOf("carrier")), Work: items})
}

func (k *storeKit) gone(owner, id string) {
	_, _, err := k.RateLocks.Lock(k.Context(), owner, id)
	k.Code(err, errcodes.NotFound, "Lock of an id that is not the owner's")
}

func errOf[T any](_ T, err error) error { return err }

const lease = time.Minute

const kind = "notify"

// readPages reads a listing in pages of two, passes each page to then, and returns
// all ids.
func readPages[T, P any](
	k *storeKit, read func(after P, limit int) ([]T, error), pos func(T) P, ids func([]T) []string, then func(page []T),
) []string {
	var after P
	got := []string{}
	for range 2 * len(tied) {
		page := kit.Got(read(after, 2)).OK(k, "a page")
		if len(page) == 0 {
			break
		}
		if len(page) > 2 {
			k.Fatalf("a page of %d records, want at most 2", len(page))
		}
		got = append(got, ids(page)...)
		after = pos(page[len(page)-1])
		then(page)
	}
	return got
}

// purging describes a port's purge, for the checks that such ports share.
type purging[V any] struct {
	save  func(k *storeKit, id string, at time.Time) V // saves a record that is due at the time
	purge func(ctx context.Context, s Store, before time.Time, n int) (int, error)
	read  func(k *storeKit, v V) error
	has   func(k *storeKit, v V, what string)
}

func (p *purging[V]) purges(k *storeKit, before time.Time, n, want int) {
	k.Same(kit.Got(p.purge(k.Context(), k.Store, before, n)).OK(k, "the purge"), want, "the number purged")
}

// byInstant purges records that are due before, at and after a time.
func (p *purging[V]) byInstant(k *storeKit) {
	for _, at := range []time.Time{kit.Epoch, kit.Epoch.AddDate(2, 0, 0), time.Date(1969, 12, 31, 23, 59, 59, 0, time.UTC)} {
		id := func(name string) string { return fmt.Sprint(name, at.Year()) }
		late, atOnce, early := p.save(k, id("late"), at.Add(time.Millisecond)), p.save(k, id("at"), at), p.save(k, id("early"), at.AddDate(0, 0, -1))
		p.purges(k, at.AddDate(0, 0, -1).Add(-time.Millisecond), 10, 0)
		p.has(k, early, "a record that is not due")
		p.purges(k, at, 10, 2)
		for _, v := range []V{early, atOnce} {
			k.Code(p.read(k, v), errcodes.NotFound, "reading a purged record")
		}
		p.has(k, late, "a record that is not due")
		p.purges(k, at, 10, 0)
		p.purges(k, at.Add(time.Millisecond), 10, 1)
	}
}

// bounded purges five records by two at a time. The first three are due together.
func (p *purging[V]) bounded(k *storeKit) {
	var saved []V
	for i := range 5 {
		saved = append(saved, p.save(k, fmt.Sprint("number ", i), kit.Epoch.Add(time.Duration(i/3)*time.Hour)))
	}
	left := len(saved)
	for _, want := range []int{2, 2, 1, 0} {
		p.purges(k, kit.Epoch.AddDate(0, 0, 1), 2, want)
		left -= want
		k.Same(p.left(k, saved), left, "the number left")
	}
}

func (p *purging[V]) left(k *storeKit, saved []V) int {
	return len(slices.DeleteFunc(slices.Clone(saved), func(v V) bool {
		err := p.read(k, v)
		if errcodes.Of(err) != errcodes.NotFound {
			k.OK(err, "reading a record that may be purged")
		}
		return err != nil
	}))
}

// winner checks that one call succeeded and the others returned a conflict, and
// returns the index of the first.
func (k *storeKit) winner(errs []error) int {
	won := -1
	for i, err := range errs {
		switch {
		case err != nil:
			k.Code(err, errcodes.Conflict, "a concurrent call that lost")
		case won >= 0:
			k.Fatalf("calls %d and %d both succeeded", won, i)
		default:
			won = i
		}
	}
	if won < 0 {
		k.Fatalf("none of %d concurrent calls succeeded", len(errs))
	}
	return won
}
