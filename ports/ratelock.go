package ports

import (
	"context"
	"time"
)

// LockStatus is the state of a rate lock (SPEC 3.1).
type LockStatus string

// The three states. Expired and cancelled are final.
const (
	LockActive    LockStatus = "active"
	LockExpired   LockStatus = "expired"
	LockCancelled LockStatus = "cancelled"
)

// CancellationReason says why a lock was cancelled (SPEC 2.3).
type CancellationReason string

// The two reasons.
const (
	CancelledRequested   CancellationReason = "requested"
	CancelledMarketDrift CancellationReason = "market_drift"
)

// RateLock is a rate lock in stores, services and events. Only Status and the fields
// below it change after creation, and only once.
type RateLock struct {
	ID    string `json:"rateLockId"`
	Owner string `json:"owner"` // the client whose lock it is
	Base  string `json:"base"`  // ISO 4217
	Quote string `json:"quote"` // ISO 4217

	MidRate   string `json:"midRate"`   // plain decimal text: 1 base = MidRate quote
	MarkupBps int    `json:"markupBps"` // basis points on top of the mid, 0 to 100,000
	AllInRate string `json:"allInRate"` // MidRate × (10000 + MarkupBps) / 10000, exactly

	MidSource    string    `json:"midSource"`    // [Price.Source]
	MidAt        time.Time `json:"midAt"`        // [Price.At]
	ToleranceBps int       `json:"toleranceBps"` // the lock drifts if a live mid is further than this from MidRate
	CreatedAt    time.Time `json:"createdAt"`    // later than the previous lock of the book by at least 1 ms
	ExpiresAt    time.Time `json:"expiresAt"`    // the lock is invalid from this instant on

	Status             LockStatus         `json:"status"`
	CancellationReason CancellationReason `json:"cancellationReason,omitempty"` // iff cancelled
	EndedAt            time.Time          `json:"endedAt,omitzero"`             // when it was cancelled, or ExpiresAt of an expired lock
	ObservedMid        string             `json:"observedMid,omitempty"`        // iff market_drift: the live mid that ended it
	DeviationBps       int64              `json:"deviationBps,omitempty"`       // iff market_drift: (ObservedMid − MidRate) / MidRate, to the nearest bp

	// AsOf is the time for which a service determined Status. For an ended lock it
	// is EndedAt, so that two reads are equal. Stores do not store it.
	AsOf time.Time `json:"-"`
}

// Pair returns the lock's pair.
func (l *RateLock) Pair() Pair { return Pair{l.Base, l.Quote} }

// Book returns the key of the lock's book.
func (l *RateLock) Book() BookKey { return BookKey{l.Owner, l.Pair()} }

// MaxLiveLocks is the highest number of live locks in a book (SPEC 8).
const MaxLiveLocks = 2

// BookKey identifies a book. Each owner has one for each ordered pair.
type BookKey struct {
	Owner string
	Pair  Pair
}

// Book contains the live locks of one owner and pair. A store saves it by
// compare-and-swap.
type Book struct {
	Key BookKey
	// Version is the number of saves; 0 means that the book was never saved.
	Version int64
	// HighWater is the CreatedAt of the last lock minted; zero means that no lock was.
	HighWater time.Time
	// Slots contains the locks that were active at the last save, oldest first and
	// filled from the front. An empty slot has no ID.
	Slots [MaxLiveLocks]RateLock
}

// Live returns the filled slots, oldest first. The slice aliases the book.
func (b *Book) Live() []RateLock {
	n := 0
	for n < len(b.Slots) && b.Slots[n].ID != "" {
		n++
	}
	return b.Slots[:n]
}

// RateLockChange is one write. A store stores all of it or nothing.
type RateLockChange struct {
	// Book is the book's new state, with the Version that the caller read. The store
	// stores Version + 1.
	Book Book
	// Minted is the new lock, with a new ID: a copy of the last one in the book's
	// slots. It is nil if the change mints no lock.
	Minted *RateLock
	// Ended are the locks that leave the book's slots, with their final state. An
	// ended lock updates Status and the fields below it on its stored, active record.
	Ended []RateLock
	// Events and Work become claimable with the change, never before. No two events
	// have the same ID, and no two work items.
	Events []Event
	Work   []WorkItem
	Audit  []AuditRow // a row for each act, see [Audit]
}

// RateLockStore stores books and locks.
type RateLockStore interface {
	// Book returns the book with the key, and Book{Key: key} without an error if it
	// was never saved.
	Book(ctx context.Context, key BookKey) (Book, error)

	// Save stores the change if the stored version is still Book.Version, Minted's
	// ID is new and every lock in Ended is stored as active in this book. Otherwise
	// it returns [errcodes.Conflict] and stores nothing: a lock ends once (I4). This
	// compare-and-swap enforces the cap across processes. Before all else Save
	// returns the errors of RateLockChange.Check.
	//
	// Save returns [errcodes.OutcomeUnknown] if it cannot know whether the change was
	// stored, and [errcodes.StorageUnavailable] if the store is full or busy and
	// nothing was stored.
	Save(ctx context.Context, change RateLockChange) error

	// Lock returns the owner's lock and its book, both read at the same instant. It
	// returns [errcodes.NotFound] if the id is unknown or another owner's.
	Lock(ctx context.Context, owner, id string) (RateLock, Book, error)

	// List returns a page of locks, which may be empty. It returns the errors of
	// LockQuery.Check.
	List(ctx context.Context, q LockQuery) ([]RateLock, error)
}

// LockQuery asks for a page of one of three listings. The field that is set selects
// the listing:
//
//   - Pair: the locks of the pair whose stored status is active, of all owners,
//     ordered by CreatedAt. Its cost must not grow with the locks of other pairs.
//   - DueBy: the locks of any pair whose stored status is active and whose ExpiresAt
//     is at or before DueBy, ordered by ExpiresAt.
//   - Owner: the owner's locks of any pair and status, ordered by CreatedAt.
//
// Locks with the same time are ordered by ID.
type LockQuery struct {
	Pair  Pair
	DueBy time.Time
	Owner string
	Since time.Time // only locks created at or after this; zero means all; not with DueBy
	After Pos       // the last lock of the previous page; zero means the first page
	Limit int       // 1 to MaxPage
}

// Check returns [errcodes.InvalidRequest] unless exactly one of Pair, DueBy and Owner
// is set, Since is not set together with DueBy, and Limit is within its bounds.
func (q *LockQuery) Check() error {
	set := 0
	for _, is := range [...]bool{q.Pair != Pair{}, !q.DueBy.IsZero(), q.Owner != ""} {
		if is {
			set++
		}
	}
	if set != 1 || !q.DueBy.IsZero() && !q.Since.IsZero() {
		return bad("a lock query needs exactly one of Pair, DueBy and Owner, and no Since with DueBy")
	}
	return CheckLimit(q.Limit, MaxPage)
}

// Pos is a position in a listing: the time by which the listing is ordered, and the ID.
type Pos struct {
	At time.Time
	ID string
}
