package ports

import (
	"context"
	"log/slog"
	"time"
)

// ValidationStatus is the state of a validation (SPEC 2.8).
type ValidationStatus string

// The states. All but pending are final.
const (
	StatusPending      ValidationStatus = "pending"
	StatusVerified     ValidationStatus = "verified"
	StatusNameMismatch ValidationStatus = "name_mismatch"
	StatusNotFound     ValidationStatus = "not_found"
	StatusError        ValidationStatus = "error"
)

// Terminal reports whether the status is final.
func (s ValidationStatus) Terminal() bool { return s != StatusPending }

// ValidationType is the basis of a result (SPEC 2.8).
type ValidationType string

// The types.
const (
	// InternalRules means a format check or a check digit. A verified of this type does
	// not mean that the account exists: one number in ten has the check digit of a
	// NUBAN. Do not pay on it.
	InternalRules ValidationType = "internal_rules"
	External      ValidationType = "external" // a provider's answer
)

// ProviderRules is the Provider of a result by internal rules.
const ProviderRules = "rules"

// ValidationRecord is a validation in a store. Its personal data are sealed. Once its
// status is terminal it never changes (I18).
type ValidationRecord struct {
	ID         string // a UUID
	Owner      string // the client whose validation it is
	Version    int64  // number of saves; 0 means never saved
	MerchantID string
	Market     Market
	BankCode   string // canonical; "" in a market without bank codes

	Status    ValidationStatus
	Provider  string         // the connector that answered or is being asked, or ProviderRules
	Type      ValidationType // "" while pending
	Outcome   Outcome        // of the deciding call of a connector; "" for internal rules
	Cached    bool           // the answer is from the cache
	NameRule  string         // the rule that decided whether the names match; "" if no names were compared
	NameScore int            // 0 to 100; 100 means the same name
	Tables    string         // version of the rules and the bank directory

	CreatedAt time.Time
	Deadline  time.Time // the validation ends by then (I17); CreatedAt while it waits for a missing key of Sealed
	EndedAt   time.Time // zero while pending
	ExpiresAt time.Time // the answer is stale from then on; zero means that no answer is cached
	PurgeAt   time.Time // the record may be removed from then on

	Sealed Sealed // personal data, bound to Owner and ID
}

// Definite reports whether the result is about the account itself: it can be paid, is
// another holder's, does not exist, or exists and cannot be paid. Definite returns false
// for the zero record, for a pending validation, for a verified of [InternalRules], and for
// an error after which the account is unknown, such as a provider that is down or a market
// without a connector. A later validation may then have another result.
func (r ValidationRecord) Definite() bool {
	return r.Status == StatusVerified && r.Type == External || r.Status == StatusNameMismatch || r.Status == StatusNotFound ||
		r.Status == StatusError && r.Outcome == OutcomeUnusable
}

// Validation is a record with its personal data decrypted. Its slices may be shared with
// other callers and must not be changed.
type Validation struct {
	ValidationRecord
	HolderName    string            // as the provider returned it; only for verified and name_mismatch
	FailureReason string            // only for not_found, name_mismatch and error
	Asked         []ConnectorAnswer // the calls of connectors for this validation, in order
}

// ConnectorAnswer is one call of a connector with its outcome.
type ConnectorAnswer struct {
	Connector string
	Outcome   Outcome
	Code      string // the provider's own, byte for byte
	Message   string // the provider's own, byte for byte; may contain personal data
	Took      time.Duration
}

// String returns connector and outcome, without the provider's code and message.
func (a ConnectorAnswer) String() string { return a.Connector + " " + string(a.Outcome) }

// LogValue returns [ConnectorAnswer.String].
func (a ConnectorAnswer) LogValue() slog.Value { return slog.StringValue(a.String()) }

// String returns id, market, status and provider, and nothing personal.
func (v Validation) String() string {
	return v.ID + " " + v.Market.String() + " " + string(v.Status) + " " + v.Provider
}

// LogValue returns [Validation.String].
func (v Validation) LogValue() slog.Value { return slog.StringValue(v.String()) }

// ValidationChange is one write. A store stores all of it or nothing.
type ValidationChange struct {
	// Record is the new state, with the Version that the caller read, 0 for a new
	// validation. The store stores Version + 1.
	Record ValidationRecord
	// Events and Work become claimable with the change, never before.
	Events []Event
	Work   []WorkItem
	Audit  []AuditRow // a row for each act, see [Audit]
}

// ValidationStore stores validations.
type ValidationStore interface {
	// Save stores the change if the stored version is still Record.Version. Otherwise
	// it returns [errcodes.Conflict] and stores nothing, as it does for a new record
	// whose ID is in use by any owner, and for a change of an ended record (I18). Times
	// are stored to the millisecond, sealed bytes unchanged. Save retains no reference
	// to the change: callers reuse the data of its events.
	//
	// Save returns [errcodes.OutcomeUnknown] if it cannot know whether the change was
	// stored, and [errcodes.StorageUnavailable] if the store is full or busy and
	// nothing was stored.
	Save(ctx context.Context, change ValidationChange) error

	// Validation returns the owner's record. It returns [errcodes.NotFound] if the id
	// is unknown or another owner's.
	Validation(ctx context.Context, owner, id string) (ValidationRecord, error)

	// Overdue lists pending records of any owner whose Deadline is at or before by,
	// ordered by Deadline, then ID. after is the last record of the previous page, or
	// zero. limit is 1 to [MaxPage].
	Overdue(ctx context.Context, by time.Time, after Pos, limit int) ([]ValidationRecord, error)

	// PurgeValidations removes up to n ended records (1 to [MaxPage]) whose PurgeAt is
	// at or before the instant, and returns their number.
	PurgeValidations(ctx context.Context, before time.Time, n int) (int, error)
}
