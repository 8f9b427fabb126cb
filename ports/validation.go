package ports

import (
	"context"
	"log/slog"
	"time"
)

// ValidationStatus is the state of a validation (SPEC 2.8).
type ValidationStatus string

// The states. All but pending are for good.
const (
	StatusPending      ValidationStatus = "pending"
	StatusVerified     ValidationStatus = "verified"
	StatusNameMismatch ValidationStatus = "name_mismatch"
	StatusNotFound     ValidationStatus = "not_found"
	StatusError        ValidationStatus = "error"
)

// Terminal reports whether the status is an end.
func (s ValidationStatus) Terminal() bool { return s != StatusPending }

// ValidationType says what a result rests on (SPEC 2.8).
type ValidationType string

// The types.
const (
	InternalRules ValidationType = "internal_rules" // a format check or a check digit
	External      ValidationType = "external"       // a provider's answer
)

// ProviderRules is the provider of a result that rests on internal rules.
const ProviderRules = "rules"

// ValidationRecord is a validation as stores keep it: all that is not personal,
// and the rest sealed. Once its status is terminal it never changes (I18).
type ValidationRecord struct {
	ID         string // a UUID
	Owner      string // the client whose validation it is
	Version    int64  // counts the record's saves; 0: never saved
	MerchantID string
	Market     Market
	BankCode   string // canonical; "" where the market has none

	Status    ValidationStatus
	Provider  string         // the connector that answered or is being asked, or ProviderRules
	Type      ValidationType // "" while pending
	Outcome   Outcome        // of the connector's call that decided; "" for internal rules
	Cached    bool           // the answer came from the cache
	NameRule  string         // the rule that decided whether the names match; "" when none were compared
	NameScore int            // 0 to 100; 100 is the same name
	Tables    string         // version of the rules and the bank directory that judged it

	CreatedAt time.Time
	Deadline  time.Time // a pending validation has ended by then (I17)
	EndedAt   time.Time // zero while pending
	ExpiresAt time.Time // the answer behind the result is stale from then on; zero: no answer is kept
	PurgeAt   time.Time // the record may be removed from then on

	Sealed Sealed // personal data, bound to Owner and ID
}

// Definite reports whether the status is about the account itself: it can be paid, is
// another holder's, does not exist, or exists and cannot be paid. It returns false for
// a pending validation, and for an error that leaves the account unknown: a provider
// that is down, or a market that nobody serves. To ask again later may change those.
// The zero record is not definite either.
func (r ValidationRecord) Definite() bool {
	return r.Status == StatusVerified || r.Status == StatusNameMismatch || r.Status == StatusNotFound ||
		r.Status == StatusError && r.Outcome == OutcomeUnusable
}

// Validation is a validation as a service gives it: the record, opened. Callers
// who ask the same may share its slices: they are for reading.
type Validation struct {
	ValidationRecord
	HolderName    string            // as the provider returned it; only for verified and name_mismatch
	FailureReason string            // only for not_found, name_mismatch and error
	Asked         []ConnectorAnswer // the connectors that were asked for this validation, in order
}

// ConnectorAnswer is one call of a connector, and how it ended.
type ConnectorAnswer struct {
	Connector string
	Outcome   Outcome
	Code      string // the provider's own, byte for byte
	Message   string // the provider's own, byte for byte; may hold personal data
	Took      time.Duration
}

// String shows a call without the provider's message.
func (a ConnectorAnswer) String() string { return a.Connector + " " + string(a.Outcome) }

// LogValue is what logs show of a call.
func (a ConnectorAnswer) LogValue() slog.Value { return slog.StringValue(a.String()) }

// String shows a validation without number, name and reason.
func (v Validation) String() string {
	return v.ID + " " + v.Market.String() + " " + string(v.Status) + " " + v.Provider
}

// LogValue is what logs show of a validation.
func (v Validation) LogValue() slog.Value { return slog.StringValue(v.String()) }

// ValidationChange is one write: everything in it is stored, or nothing.
type ValidationChange struct {
	// Record is the new state. Its Version is the one that the caller read, 0
	// for a new validation; the store keeps Version + 1.
	Record ValidationRecord
	// Events and Work become claimable with the change, never before.
	Events []Event
	Work   []WorkItem
	Audit  []AuditRow // a row for each act, see [Audit]
}

// ValidationStore keeps validations.
type ValidationStore interface {
	// Save stores the change if the stored version is still Record.Version,
	// else it is errcodes.Conflict and nothing is stored. So is a new record
	// whose ID is taken, by any owner, and a change of one that is not pending
	// any more (I18). Times are kept to the millisecond, the sealed bytes as
	// they are. Nothing of the change is kept by reference: its events' data may be
	// used again when Save has returned.
	//
	// When it cannot be known whether the change was stored, the error is
	// errcodes.OutcomeUnknown. A store that is full or busy answers
	// errcodes.StorageUnavailable, and nothing is stored.
	Save(ctx context.Context, change ValidationChange) error

	// Validation gives the owner's record. An unknown id, or another owner's,
	// is errcodes.NotFound.
	Validation(ctx context.Context, owner, id string) (ValidationRecord, error)

	// Overdue lists pending records of any owner whose Deadline is at or before
	// by, ordered by Deadline, then ID; after is the last of the page before,
	// its zero value the start. limit is 1 to [MaxPage].
	Overdue(ctx context.Context, by time.Time, after Pos, limit int) ([]ValidationRecord, error)

	// PurgeValidations removes up to n records (1 to [MaxPage]) that are not
	// pending and whose PurgeAt is at or before the instant, and tells how many.
	PurgeValidations(ctx context.Context, before time.Time, n int) (int, error)
}
