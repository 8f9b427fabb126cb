package ports

import (
	"context"
	"log/slog"
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

// TransactionStatus is the state of a transaction (SPEC 2.9).
type TransactionStatus string

// The states. All but PENDING are final. SUCCEEDED is this library's own name: SPEC
// does not name that state.
const (
	TransactionPending   TransactionStatus = "PENDING"
	TransactionSucceeded TransactionStatus = "SUCCEEDED"
	TransactionFailed    TransactionStatus = "FAILED"  // with an AuthFailureCode
	TransactionErrored   TransactionStatus = "ERRORED" // with an ErrorCode
)

// Terminal reports whether the status is final.
func (s TransactionStatus) Terminal() bool { return s != TransactionPending }

// State returns the authState.state of FAILED and ERRORED, and "" for any other status.
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

// MaxRaw is the greatest length of a provider's raw code and of its raw message, in bytes.
const MaxRaw = 64 << 10

// RawFailure is a provider's code and message, byte for byte, 0 to [MaxRaw] bytes each.
// They may contain personal data and are never logged.
type RawFailure struct {
	Code    string
	Message string
}

// String returns a fixed text.
func (RawFailure) String() string { return "a provider's raw answer" }

// LogValue returns [RawFailure.String].
func (r RawFailure) LogValue() slog.Value { return slog.StringValue(r.String()) }

// Transaction is a payment's state in stores and services. Amounts, parties and
// references are in the embedder's own records.
type Transaction struct {
	ID        string // chosen by the embedder, unique for an owner
	Owner     string // the client whose transaction it is
	Version   int64  // number of saves; 0 means never saved
	Direction errcodes.Direction
	Status    TransactionStatus

	Code   errcodes.TransactionCode // only of FAILED and ERRORED
	Raw    RawFailure               // the provider's report that ended it
	Scheme string                   // the scheme of Raw's code; "" if no provider reported the end
	Tables string                   // version of the tables that mapped Raw to Code

	CreatedAt time.Time
	// RespondBy is when a transaction that is still pending should fail with timeout. The
	// service ends it at the next Run, Tick or Get; a report that it records before that
	// still decides. Zero means no timeout.
	RespondBy time.Time
	EndedAt   time.Time // zero while pending; never changes once set (I27)

	// A debit that arrived after FAILED or ERRORED. It changes nothing above.
	LateAt  time.Time  // when the service was informed of it; zero means that there was none
	LateRaw RawFailure // the provider's report of it
}

// AuthState returns the failure of a FAILED or ERRORED transaction, and false for any
// other.
func (t Transaction) AuthState() (AuthState, bool) {
	state := t.Status.State()
	return AuthState{
		State: state, Message: t.Code.Row().Message, Code: t.Code,
		ConnectorFailureCode: t.Raw.Code, ConnectorFailureMessage: t.Raw.Message, TransitionedAt: t.EndedAt,
	}, state != ""
}

// String returns id, direction, status and code, and nothing from the provider.
func (t Transaction) String() string {
	return t.ID + " " + string(t.Direction) + " " + string(t.Status) + " " + string(t.Code)
}

// LogValue returns [Transaction.String].
func (t Transaction) LogValue() slog.Value { return slog.StringValue(t.String()) }

// TransactionChange is one write. A store stores all of it or nothing.
type TransactionChange struct {
	// Transaction is the new state, with the Version that the caller read, 0 for a
	// new transaction. The store stores Version + 1.
	Transaction Transaction
	// Events and Work become claimable with the change, never before.
	Events []Event
	Work   []WorkItem
	Audit  []AuditRow // a row for each act, see [Audit]
}

// LogValue returns the LogValue of the transaction.
func (c TransactionChange) LogValue() slog.Value { return c.Transaction.LogValue() }

// TransactionStore stores the states of transactions.
type TransactionStore interface {
	// Save stores the change if the stored version is still Transaction.Version.
	// Otherwise it returns [errcodes.Conflict] and stores nothing, as it does for a
	// new transaction whose ID the owner has used, and for a change of an ended one
	// other than setting LateAt and LateRaw once (I27). Times are stored to the
	// millisecond, Raw and LateRaw byte for byte. Save retains no reference to the
	// change.
	//
	// Save returns [errcodes.PayloadTooLarge] if a raw code or message is longer than
	// MaxRaw, [errcodes.OutcomeUnknown] if it cannot know whether the change was
	// stored, and [errcodes.StorageUnavailable] if the store is full or busy and
	// nothing was stored.
	Save(ctx context.Context, change TransactionChange) error

	// Transaction returns the owner's transaction. It returns [errcodes.NotFound] if
	// the id is unknown or another owner's.
	Transaction(ctx context.Context, owner, id string) (Transaction, error)
}
