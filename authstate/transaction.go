package authstate

import (
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// MaxTransactionID bounds a transaction's id, in bytes.
const MaxTransactionID = 128

// lastYear bounds RespondBy: stores sort later instants wrongly.
const lastYear = 9999

// transaction is a record that has been checked, and moves by the state table
// alone.
type transaction struct{ rec ports.Transaction }

// opened makes a pending transaction.
func opened(owner string, o Opening, now time.Time) (transaction, error) {
	switch {
	case owner == "":
		return transaction{}, badField("owner", "is required")
	case !validID(o.ID):
		return transaction{}, badField("id", "must be 1 to 128 bytes of text without control characters")
	case !o.Direction.Valid():
		return transaction{}, badField("direction", "must be payin or payout")
	case o.RespondBy.UTC().Year() > lastYear:
		return transaction{}, badField("respondBy", "must not be beyond the year 9999; zero means no limit")
	}
	return transaction{ports.Transaction{
		ID: o.ID, Owner: owner, Direction: o.Direction, Status: pending, CreatedAt: ports.Millis(now), RespondBy: ports.Millis(o.RespondBy),
	}}, nil
}

func badField(name, reason string) error {
	return errcodes.New(errcodes.InvalidRequest, name+" "+reason).
		WithDetails(errcodes.FieldDetails{Fields: []errcodes.Field{{Name: name, Reason: reason}}})
}

func validID(id string) bool {
	return id != "" && len(id) <= MaxTransactionID && utf8.ValidString(id) &&
		!strings.ContainsFunc(id, unicode.IsControl)
}

// restored returns a stored record as a transaction, or [errcodes.CorruptRecord] if
// no transaction can be so. Deprecated codes are read: older transactions have them.
func restored(rec ports.Transaction) (transaction, error) {
	if reason := impossible(&rec); reason != "" {
		return transaction{}, errcodes.Wrap(errcodes.CorruptRecord, "", errors.New("a stored transaction: "+reason))
	}
	return transaction{rec}, nil
}

// impossible returns what no transaction can have, or "".
func impossible(r *ports.Transaction) string {
	state := r.Status.State()
	code := r.Code.Row()
	switch {
	case r.Status != pending && r.Status != succeeded && state == "":
		return "unknown status"
	case !r.Direction.Valid():
		return "unknown direction"
	case state != code.State:
		return "its code does not agree with its status"
	case state == "" && r.Code != "":
		return "a code without a failure"
	case state != "" && !code.Fits(r.Direction):
		return "its code does not agree with its direction"
	case r.Status == pending && (r.Raw != ports.RawFailure{} || r.Scheme != "" || r.Tables != ""):
		return "a provider's answer while it is pending"
	case r.Version < 1:
		return "it was never saved"
	default:
		return outOfTime(r, state != "")
	}
}

// outOfTime returns which of its times no transaction can have, or "".
func outOfTime(r *ports.Transaction, bad bool) string {
	late := !r.LateAt.IsZero()
	switch {
	case r.Status.Terminal() == r.EndedAt.IsZero():
		return "its end does not agree with its status"
	case r.Status.Terminal() && r.EndedAt.Before(r.CreatedAt):
		return "it ended before it was opened"
	case late && !bad:
		return "a late payment without a failure"
	case late && r.LateAt.Before(r.EndedAt):
		return "a late payment before the end"
	case !late && r.LateRaw != ports.RawFailure{}:
		return "a late payment's raw answer without its time"
	default:
		return ""
	}
}

// finding is what moves a transaction.
type finding struct {
	outcome failures.Outcome
	code    errcodes.TransactionCode
	raw     ports.RawFailure
	scheme  failures.Scheme
	tables  string
	timer   bool // RespondBy has passed: the hook is not called unless that ended the transaction
}

// certain reports whether the money has certainly not moved: after a timeout or a
// broken connection nobody knows (SPEC 7.5).
func (f *finding) certain() bool {
	advice := f.code.Row().Advice
	return advice != errcodes.AdviceConfirm && advice != errcodes.AdviceReconcile
}

// apply returns the transaction after a finding, and the row of the state table
// that moved it. A late payment is recorded once; later ones change nothing.
func (t transaction) apply(f *finding, now time.Time) (transaction, Transition, error) {
	row, err := table.Next(t.rec.Status, f.outcome)
	if row.Effect == Contradicted && !f.certain() {
		row.Effect = Unchanged
	}
	switch row.Effect {
	case Moved:
		t.rec.Status, t.rec.Code = row.To, f.code
		t.rec.Raw, t.rec.Scheme, t.rec.Tables = f.raw, string(f.scheme), f.tables
		t.rec.EndedAt = latest(ports.Millis(now), t.rec.CreatedAt)
	case LandedLate:
		if !t.rec.LateAt.IsZero() {
			row.Effect, row.Event = Unchanged, ""
			break
		}
		t.rec.LateAt, t.rec.LateRaw = latest(ports.Millis(now), t.rec.EndedAt), f.raw
	case Unchanged, Contradicted:
	}
	return t, row, err
}

// overdue reports whether the transaction was not answered in time.
func (t transaction) overdue(now time.Time) bool {
	return t.rec.Status == pending && !t.rec.RespondBy.IsZero() && !now.Before(t.rec.RespondBy)
}

// latest returns the later of a and b: it keeps times in order when a clock jumps back.
func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
