package errcodes

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Error is an error with a code. Its message is safe to show to a caller; its
// cause is for logs and never reaches an envelope.
type Error struct {
	code       Code
	message    string
	details    Details
	cause      error
	retryAfter time.Duration
}

// New returns an error with the code. An empty message means the code's default
// text. The message is public: it must not contain a secret, an account number or
// a person's name.
func New(code Code, message string) *Error {
	return &Error{code: code, message: message}
}

// Wrap is New with a cause. errors.Is and errors.As find the cause; envelopes
// never contain it.
func Wrap(code Code, message string, cause error) *Error {
	return &Error{code: code, message: message, cause: cause}
}

// WithDetails returns a copy that carries d.
func (e *Error) WithDetails(d Details) *Error {
	c := *e
	c.details = d
	return &c
}

// WithRetryAfter returns a copy that asks callers to wait for d before they retry.
func (e *Error) WithRetryAfter(d time.Duration) *Error {
	c := *e
	c.retryAfter = d
	return &c
}

// Code returns the error's code.
func (e *Error) Code() Code { return e.code }

// Message returns the public text.
func (e *Error) Message() string {
	if e.message != "" {
		return e.message
	}
	return Info(e.code).Text
}

// Details returns the typed details, or nil.
func (e *Error) Details() Details { return e.details }

// RetryAfter returns how long to wait before the next try, or 0 if that is not known.
func (e *Error) RetryAfter() time.Duration { return e.retryAfter }

// Error returns the code, the message and the cause, for logs.
func (e *Error) Error() string {
	s := string(e.code) + ": " + e.Message()
	if e.cause != nil {
		s += ": " + e.cause.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// Is reports whether target is this error's code.
func (e *Error) Is(target error) bool {
	code, ok := target.(Code)
	return ok && code == e.code
}

// As sets target to the error's details if target points to their type.
func (e *Error) As(target any) bool {
	return e.details != nil && e.details.fill(target)
}

// Of returns the code of err: "" for nil, the code of the outermost coded error,
// [Canceled] or [DeadlineExceeded] for a context's error, and [Internal] for any
// other.
func Of(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.code
	}
	if code, ok := errors.AsType[Code](err); ok {
		return code
	}
	switch {
	case errors.Is(err, context.Canceled):
		return Canceled
	case errors.Is(err, context.DeadlineExceeded):
		return DeadlineExceeded
	default:
		return Internal
	}
}

// Coded wraps an error without a code in the code that [Of] returns for it, so
// that errors.Is agrees with Of: a context's error becomes [Canceled] or
// [DeadlineExceeded], any other [Internal]. errors.Is still finds the cause. Coded
// returns nil and errors with a code unchanged.
func Coded(err error) error {
	if code := Of(err); err != nil && !errors.Is(err, code) {
		return Wrap(code, "", err)
	}
	return err
}

// MessageOf returns the text of err that a caller may see. For an error without a
// code it is the default text of [Of]'s code, never the error's own.
func MessageOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Message()
	}
	return Info(Of(err)).Text
}

// RetryAfterOf returns how long err asks callers to wait, or 0.
func RetryAfterOf(err error) time.Duration {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.retryAfter
	}
	return 0
}

// Panicked turns v, a non-nil result of recover, into an error with the code. With
// it a panic in an adapter fails one call and not the process. The cause names the
// type of v. It includes the text of v only for a runtime error, since any other
// text may quote a secret.
func Panicked(code Code, v any) *Error {
	if err, ok := v.(interface {
		error
		RuntimeError()
	}); ok {
		return Wrap(code, "", fmt.Errorf("panic: %w", err))
	}
	return Wrap(code, "", fmt.Errorf("panic with a %T", v))
}

// Details are the typed details of an error. They marshal to the details object
// of the Exchange envelope (SPEC 7.4). errors.As finds them:
//
//	var d errcodes.RangeDetails
//	if errors.As(err, &d) { … d.Min, d.Max … }
type Details interface {
	error
	fill(target any) bool
}

// BalanceDetails come with [ExchangeInsufficientBalance]. Amounts are decimal text
// in the balance's currency.
type BalanceDetails struct {
	Available string `json:"available"`
	Required  string `json:"required"`
}

// RangeDetails come with [ExchangeAmountOutOfRange]. Amounts are decimal text; ""
// means no bound.
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
