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

// RateLock is a rate lock as stores keep it, services return it and events
// carry it. Only Status and what follows it change after creation, once.
type RateLock struct {
	ID    string `json:"rateLockId"`
	Owner string `json:"owner"` // the client whose lock it is
	Base  string `json:"base"`  // ISO 4217
	Quote string `json:"quote"` // ISO 4217

	MidRate   string `json:"midRate"`   // plain decimal text: 1 base = MidRate quote
	MarkupBps int    `json:"markupBps"` // basis points over the mid, 0 to 100,000
	AllInRate string `json:"allInRate"` // MidRate × (10000 + MarkupBps) / 10000, exactly

	MidSource    string    `json:"midSource"`    // the price's source
	MidAt        time.Time `json:"midAt"`        // the source's own time of the price
	ToleranceBps int       `json:"toleranceBps"` // a live mid further than this from MidRate is drift
	CreatedAt    time.Time `json:"createdAt"`    // rises by at least 1 ms within a book
	ExpiresAt    time.Time `json:"expiresAt"`    // the lock is invalid from this instant on

	Status             LockStatus         `json:"status"`
	CancellationReason CancellationReason `json:"cancellationReason,omitempty"` // iff cancelled
	EndedAt            time.Time          `json:"endedAt,omitzero"`             // of a cancelled lock the instant decided, of an expired one ExpiresAt
	ObservedMid        string             `json:"observedMid,omitempty"`        // iff market_drift: the live mid that ended it
	DeviationBps       int64              `json:"deviationBps,omitempty"`       // iff market_drift: (ObservedMid − MidRate) / MidRate, to the nearest bp

	// AsOf is the decision time at which a service judged Status; of an ended
	// lock it is EndedAt, so that two reads are equal. Stores do not keep it.
	AsOf time.Time `json:"-"`
}

// Pair returns the lock's pair.
func (l *RateLock) Pair() Pair { return Pair{l.Base, l.Quote} }

// Book returns the key of the book that holds the lock.
func (l *RateLock) Book() BookKey { return BookKey{l.Owner, l.Pair()} }

// MaxLiveLocks is the number of locks that may be live at once in a book (SPEC 8).
const MaxLiveLocks = 2

// BookKey names a book: the cap holds per owner and ordered pair.
type BookKey struct {
	Owner string
	Pair  Pair
}

// Book is what a store keeps of one owner's pair: the unit of compare-and-swap.
type Book struct {
	Key BookKey
	// Version counts the book's saves; 0 means that it was never saved.
	Version int64
	// HighWater is the CreatedAt of the last lock minted; zero means that none was.
	HighWater time.Time
	// Slots holds the locks that are active as of the last save, oldest first,
	// filled from the front; an empty slot has no ID.
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

// RateLockChange is one write: everything in it is stored, or nothing.
type RateLockChange struct {
	// Book is the book's new state. Its Version is the one that the caller
	// read; the store keeps Version + 1.
	Book Book
	// Minted is the lock that the change mints, as the last of the book's slots
	// has it; nil for none. Its ID is new.
	Minted *RateLock
	// Ended are the locks that the change ends, as they ended: those that leave the
	// book's slots. Each is stored active, and is given Status and what follows it,
	// nothing else.
	Ended []RateLock
	// Events and Work become claimable with the change, never before. No two of
	// either have the same ID.
	Events []Event
	Work   []WorkItem
	Audit  []AuditRow // a row for each act, see [Audit]
}

// RateLockStore keeps books and locks.
type RateLockStore interface {
	// Book returns the book of key; one that was never saved is
	// Book{Key: key}, without error.
	Book(ctx context.Context, key BookKey) (Book, error)

	// Save stores the change if the stored version is still Book.Version, Minted's
	// ID is new and each of Ended is stored active in this book, else it is
	// [errcodes.Conflict] and nothing is stored: a lock ends once (I4). What
	// RateLockChange.Check finds is its error, whatever is stored. The
	// compare-and-swap is what upholds the cap across processes.
	//
	// When it cannot be known whether the change was stored, the error is
	// errcodes.OutcomeUnknown. A store that is full or busy answers
	// errcodes.StorageUnavailable, and nothing is stored.
	Save(ctx context.Context, change RateLockChange) error

	// Lock returns the owner's lock and its book, both of the same instant. An
	// unknown id, or one of another owner, is errcodes.NotFound.
	Lock(ctx context.Context, owner, id string) (RateLock, Book, error)

	// List returns a page of locks, see LockQuery; it may be empty. What
	// LockQuery.Check finds is its error.
	List(ctx context.Context, q LockQuery) ([]RateLock, error)
}

// LockQuery asks for a page of one of three listings, by which field is set:
//
//   - Pair: its locks whose stored status is active, of all owners, ordered by
//     CreatedAt. The work must not grow with the locks of other pairs.
//   - DueBy: the locks of any pair whose stored status is active and whose ExpiresAt
//     is at or before DueBy, ordered by ExpiresAt.
//   - Owner: the owner's locks of any pair and status, ordered by CreatedAt.
//
// Locks of one instant are ordered by ID.
type LockQuery struct {
	Pair  Pair
	DueBy time.Time
	Owner string
	Since time.Time // only locks created at or after this; zero: all; not with DueBy
	After Pos       // the last lock of the page before; zero: from the start
	Limit int       // 1 to MaxPage
}

// Check returns [errcodes.InvalidRequest] unless exactly one of Pair, DueBy and
// Owner is set, Since not with DueBy, and Limit within its bounds.
func (q *LockQuery) Check() error {
	set := 0
	for _, is := range [...]bool{q.Pair != Pair{}, !q.DueBy.IsZero(), q.Owner != ""} {
		if is {
			set++
		}
	}
	if set != 1 || !q.DueBy.IsZero() && !q.Since.IsZero() {
		return bad("a query of locks has a Pair, a DueBy or an Owner, and Since with the first or last alone")
	}
	return CheckLimit(q.Limit, MaxPage)
}

// Pos is a place in a listing: the time that the listing is ordered by, and the ID.
type Pos struct {
	At time.Time
	ID string
}
