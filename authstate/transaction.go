package authstate

import (
	"fmt"
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

// lastYear bounds RespondBy: what is further off stores cannot tell from the past.
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
		return transaction{}, badField("respondBy", "must not be beyond the year 9999; zero is for ever")
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

// restored takes a stored record, unless it is impossible: that is
// errcodes.CorruptRecord. Deprecated codes are read: older transactions carry
// them.
func restored(rec ports.Transaction) (transaction, error) {
	if reason := impossible(&rec); reason != "" {
		return transaction{}, errcodes.Wrap(errcodes.CorruptRecord, "", fmt.Errorf("a stored transaction: %s", reason))
	}
	return transaction{rec}, nil
}

// impossible says what no transaction can be, or "".
func impossible(r *ports.Transaction) string {
	state := r.Status.State()
	code := r.Code.Row()
	switch {
	case r.Status != pending && r.Status != succeeded && state == "":
		return "its status is none"
	case !r.Direction.Valid():
		return "its direction is none"
	case state != code.State:
		return "its code is of another state than its status"
	case state == "" && r.Code != "":
		return "a code without a bad end"
	case state != "" && !code.Fits(r.Direction):
		return "its code is of another direction"
	case r.Status == pending && (r.Raw != ports.RawFailure{} || r.Scheme != "" || r.Tables != ""):
		return "a provider's last word while it is pending"
	case r.Version < 1:
		return "it was never saved"
	default:
		return outOfTime(r, state != "")
	}
}

// outOfTime says which of its times no transaction can have, or "".
func outOfTime(r *ports.Transaction, bad bool) string {
	late := !r.Late.At.IsZero()
	switch {
	case r.Status.Terminal() == r.EndedAt.IsZero():
		return "its end and its status disagree"
	case r.Status.Terminal() && r.EndedAt.Before(r.CreatedAt):
		return "it ended before it was opened"
	case late && !bad:
		return "a late payment without a bad end"
	case late && r.Late.At.Before(r.EndedAt):
		return "a late payment before the end"
	case !late && r.Late.Raw != ports.RawFailure{}:
		return "a late payment's raw answer without its time"
	default:
		return ""
	}
}

// verdict is what moves a transaction.
type verdict struct {
	outcome failures.Outcome
	code    errcodes.TransactionCode
	raw     ports.RawFailure
	scheme  failures.Scheme
	tables  string
	timer   bool // a timer ran out: nobody need hear of it unless that ended the transaction
}

// knows reports whether who says this knows that the money did not move: after
// a timeout or a broken connection nobody does (SPEC 7.5).
func (v *verdict) knows() bool {
	advice := v.code.Row().Advice
	return advice != errcodes.AdviceConfirm && advice != errcodes.AdviceReconcile
}

// apply gives the transaction after a verdict, and the row of the state table
// that said so. A late payment is recorded once; then it is nothing new.
func (t transaction) apply(v *verdict, now time.Time) (transaction, Transition) {
	row := next[moment{t.rec.Status, v.outcome}]
	if row.Effect == Contradicted && !v.knows() {
		row.Effect = Unchanged
	}
	switch row.Effect {
	case Moved:
		t.rec.Status, t.rec.Code = row.To, v.code
		t.rec.Raw, t.rec.Scheme, t.rec.Tables = v.raw, string(v.scheme), v.tables
		t.rec.EndedAt = latest(ports.Millis(now), t.rec.CreatedAt)
	case LandedLate:
		if !t.rec.Late.At.IsZero() {
			row.Effect, row.Event = Unchanged, ""
			break
		}
		t.rec.Late = ports.LatePayment{At: latest(ports.Millis(now), t.rec.EndedAt), Raw: v.raw}
	case Unchanged, Contradicted:
	}
	return t, row
}

// overdue reports whether nobody answered in time.
func (t transaction) overdue(now time.Time) bool {
	return t.rec.Status == pending && !t.rec.RespondBy.IsZero() && !now.Before(t.rec.RespondBy)
}

// latest keeps times in their order when a clock jumps back.
func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
