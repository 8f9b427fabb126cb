package errcodes

// Details are the typed particulars of an error. Each marshals to the details
// object of the Exchange envelope (SPEC 7.4). errors.As finds them:
//
//	var d errcodes.RangeDetails
//	if errors.As(err, &d) { … d.Min, d.Max … }
type Details interface {
	error
	fill(target any) bool
}

// BalanceDetails come with [ExchangeInsufficientBalance]: decimal text in the
// balance's currency.
type BalanceDetails struct {
	Available string `json:"available"`
	Required  string `json:"required"`
}

// RangeDetails come with [ExchangeAmountOutOfRange]: decimal text; an open end
// is empty.
type RangeDetails struct {
	Min string `json:"min,omitempty"`
	Max string `json:"max,omitempty"`
}

// Field is one field that failed validation.
type Field struct {
	Name   string `json:"field"`
	Reason string `json:"reason"`
}

// FieldDetails come with [InvalidRequest], [Unprocessable] and
// [ExchangeInvalidRequest].
type FieldDetails struct {
	Fields []Field `json:"fields"`
}

// DuplicateReferenceDetails come with [DuplicateReference].
type DuplicateReferenceDetails struct {
	ExistingSessionID string `json:"existingSessionId"`
}

// ReplacementDetails come with [RateLockInvalid] when the same owner has a live
// lock for the same pair.
type ReplacementDetails struct {
	RateLockID string `json:"rateLockId"`
}

func (BalanceDetails) Error() string            { return "balance details" }
func (RangeDetails) Error() string              { return "range details" }
func (FieldDetails) Error() string              { return "field details" }
func (DuplicateReferenceDetails) Error() string { return "duplicate reference details" }
func (ReplacementDetails) Error() string        { return "replacement details" }

func (d BalanceDetails) fill(target any) bool            { return set(target, d) }
func (d RangeDetails) fill(target any) bool              { return set(target, d) }
func (d FieldDetails) fill(target any) bool              { return set(target, d) }
func (d DuplicateReferenceDetails) fill(target any) bool { return set(target, d) }
func (d ReplacementDetails) fill(target any) bool        { return set(target, d) }

func set[T Details](target any, d T) bool {
	p, ok := target.(*T)
	if ok {
		*p = d
	}
	return ok
}
