package ports

import (
	"context"
	"log/slog"
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

// TransactionStatus is the state of a transaction (SPEC 2.9).
type TransactionStatus string

// The states. All but PENDING are for good. SUCCEEDED is this library's name
// for the end that SPEC does not show.
const (
	TransactionPending   TransactionStatus = "PENDING"
	TransactionSucceeded TransactionStatus = "SUCCEEDED"
	TransactionFailed    TransactionStatus = "FAILED"  // with an AuthFailureCode
	TransactionErrored   TransactionStatus = "ERRORED" // with an ErrorCode
)

// Terminal reports whether the status is an end.
func (s TransactionStatus) Terminal() bool { return s != TransactionPending }

// State gives the authState.state of a bad end; "" for any other status.
func (s TransactionStatus) State() errcodes.State {
	switch s {
	case TransactionFailed:
		return errcodes.StateFailed
	case TransactionErrored:
		return errcodes.StateError
	case TransactionPending, TransactionSucceeded:
		return ""
	default:
		return ""
	}
}

// MaxRaw bounds a provider's raw code and its raw message, in bytes each.
const MaxRaw = 64 << 10

// RawFailure is what a provider said, byte for byte: any bytes, 0 to [MaxRaw]
// each. It may hold personal data, so that logs show none of it.
type RawFailure struct {
	Code    string
	Message string
}

// String shows nothing of what was said.
func (RawFailure) String() string { return "a provider's raw answer" }

// LogValue is what logs show.
func (r RawFailure) LogValue() slog.Value { return slog.StringValue(r.String()) }

// Transaction is a payment's state as stores keep it and services return it.
// Amounts, parties and references are the embedder's own records.
type Transaction struct {
	ID        string // the embedder's, unique for an owner
	Owner     string // the client whose transaction it is
	Version   int64  // counts the record's saves; 0: never saved
	Direction errcodes.Direction
	Status    TransactionStatus

	Code   errcodes.TransactionCode // only of FAILED and ERRORED
	Raw    RawFailure               // what the provider said when it ended
	Scheme string                   // whose codes Raw's are; "" when the end was the service's own finding
	Tables string                   // version of the tables that gave Code

	CreatedAt time.Time
	RespondBy time.Time // a transaction that is pending then fails with timeout; zero: it waits for ever
	EndedAt   time.Time // zero while pending; once set it never moves (I27)

	// A debit that landed after FAILED or ERRORED. It never rewrites that end.
	LateAt  time.Time  // when the service learned of it; zero: there was none
	LateRaw RawFailure // what the provider said then
}

// AuthState gives the failure of a transaction that has failed or errored, and
// whether it has one.
func (t Transaction) AuthState() (AuthState, bool) {
	state := t.Status.State()
	return AuthState{
		State: state, Message: t.Code.Row().Message, Code: t.Code,
		ConnectorFailureCode: t.Raw.Code, ConnectorFailureMessage: t.Raw.Message, TransitionedAt: t.EndedAt,
	}, state != ""
}

// String shows a transaction without what the provider said.
func (t Transaction) String() string {
	return t.ID + " " + string(t.Direction) + " " + string(t.Status) + " " + string(t.Code)
}

// LogValue is what logs show of a transaction.
func (t Transaction) LogValue() slog.Value { return slog.StringValue(t.String()) }

// TransactionChange is one write: everything in it is stored, or nothing.
type TransactionChange struct {
	// Transaction is the new state. Its Version is the one that the caller
	// read, 0 for a new transaction; the store keeps Version + 1.
	Transaction Transaction
	// Events and Work become claimable with the change, never before.
	Events []Event
	Work   []WorkItem
	Audit  []AuditRow // a row for each act, see [Audit]
}

// LogValue is what logs show of a change.
func (c TransactionChange) LogValue() slog.Value { return c.Transaction.LogValue() }

// TransactionStore keeps the states of transactions.
type TransactionStore interface {
	// Save stores the change if the stored version is still
	// Transaction.Version, else it is errcodes.Conflict and nothing is stored.
	// So is a new transaction whose ID the owner has already, and a change of an
	// ended one in anything but LateAt and LateRaw, or in these once LateAt is set
	// (I27). Times are kept to the millisecond, Raw and LateRaw byte for byte.
	// Nothing of the change is kept by reference.
	//
	// A raw code or message above MaxRaw bytes is errcodes.PayloadTooLarge. When
	// it cannot be known whether the change was stored, the error is
	// errcodes.OutcomeUnknown. A store that is full or busy answers
	// errcodes.StorageUnavailable, and nothing is stored.
	Save(ctx context.Context, change TransactionChange) error

	// Transaction gives the owner's transaction. An unknown id, or another
	// owner's, is errcodes.NotFound.
	Transaction(ctx context.Context, owner, id string) (Transaction, error)
}
