package authstate

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// MaxTransactionID is the greatest length of a transaction's id, in bytes.
const MaxTransactionID = 128

// lastYear bounds RespondBy: stores sort later instants wrongly.
const lastYear = 9999

// transaction is a checked record, whose state changes only by the state table.
type transaction struct{ rec ports.Transaction }

// opened returns a new pending transaction.
func opened(owner string, o Opening, now time.Time) (transaction, error) {
	switch {
	case owner == "":
		return transaction{}, badField("owner", "is required")
	case !validID(o.ID):
		return transaction{}, badField("id", "must be 1 to 128 bytes of text without control characters")
	case !o.Direction.Valid():
		return transaction{}, badField("direction", fmt.Sprintf("must be payin or payout, not %.32q", o.Direction))
	case o.RespondBy.UTC().Year() > lastYear:
		return transaction{}, badField("respondBy", "must not be after the year 9999; zero means no timeout")
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

// restored returns a stored record as a transaction, or [errcodes.CorruptRecord] for a
// record that no transaction can have. Older transactions may have deprecated codes.
func restored(rec ports.Transaction) (transaction, error) {
	if reason := impossible(&rec); reason != "" {
		return transaction{}, errcodes.Wrap(errcodes.CorruptRecord, "", errors.New("a stored transaction's "+reason))
	}
	return transaction{rec}, nil
}

// impossible describes the record's first flaw, or returns "".
func impossible(r *ports.Transaction) string {
	state := r.Status.State()
	code := r.Code.Row()
	switch {
	case r.Status != pending && r.Status != succeeded && state == "":
		return fmt.Sprintf("status %.32q is unknown", r.Status)
	case !r.Direction.Valid():
		return fmt.Sprintf("direction %.32q is unknown", r.Direction)
	case state != code.State, state == "" && r.Code != "":
		return fmt.Sprintf("code %.64q does not fit status %s", r.Code, r.Status)
	case state != "" && !code.Fits(r.Direction):
		return fmt.Sprintf("code %s does not fit direction %s", r.Code, r.Direction)
	case r.Status == pending && (r.Raw != ports.RawFailure{} || r.Scheme != "" || r.Tables != ""):
		return "raw, scheme or tables is set while it is pending"
	case r.Version < 1:
		return fmt.Sprintf("version is %d, want at least 1", r.Version)
	default:
		return outOfTime(r, state != "")
	}
}

// outOfTime describes the first flaw of the record's times, or returns "".
func outOfTime(r *ports.Transaction, failed bool) string {
	late := !r.LateAt.IsZero()
	switch {
	case r.Status.Terminal() == r.EndedAt.IsZero():
		return "endedAt does not fit status " + string(r.Status)
	case r.Status.Terminal() && r.EndedAt.Before(r.CreatedAt):
		return "endedAt is before createdAt"
	case late && !failed:
		return "lateAt does not fit status " + string(r.Status)
	case late && r.LateAt.Before(r.EndedAt):
		return "lateAt is before endedAt"
	case !late && r.LateRaw != ports.RawFailure{}:
		return "lateRaw is set without lateAt"
	default:
		return ""
	}
}

// finding is an outcome to apply to a transaction.
type finding struct {
	outcome failures.Outcome
	code    errcodes.TransactionCode
	raw     ports.RawFailure
	scheme  failures.Scheme
	tables  string
	timer   bool // RespondBy has passed; the hook is called only if that ended the transaction
}

// certain reports whether it is certain that the money has not moved. After a timeout or
// a broken connection it is not (SPEC 7.5).
func (f *finding) certain() bool {
	advice := f.code.Row().Advice
	return advice != errcodes.AdviceConfirm && advice != errcodes.AdviceReconcile
}

// apply returns the transaction after a finding, and the row of the state table that
// applied. Only the first late payment is recorded.
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

// overdue reports whether the transaction is pending although RespondBy has passed.
func (t transaction) overdue(now time.Time) bool {
	return t.rec.Status == pending && !t.rec.RespondBy.IsZero() && !now.Before(t.rec.RespondBy)
}

// latest returns the later of a and b. It keeps times in order if the clock jumps back.
func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
