package failures

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/corridor-go/corridor/errcodes"
)

// Lint returns the mistakes in a table's rows: an answer that is not a code of SPEC 7.5,
// does not fit its direction (I24), is deprecated (I25) or is reserved for the service's
// own failures; two rows for the same code and message, also if they only differ in case
// or blanks; and invalid cells. A table without mistakes has one answer for each raw code.
func Lint(rows []Row) []string {
	l := linter{seen: map[key]Answer{}}
	for i := range rows {
		l.row(&rows[i])
	}
	for i := range rows {
		l.message(&rows[i])
	}
	return l.complaints
}

// key identifies the inputs that a row answers.
type key struct {
	code, message string
	tidied        bool
	direction     errcodes.Direction
}

type linter struct {
	seen       map[key]Answer
	complaints []string
}

func (l *linter) complainf(r *Row, format string, args ...any) {
	where := r.Code
	if r.Message != "" {
		where += " with " + r.Message
	}
	l.complaints = append(l.complaints, fmt.Sprintf("%q: ", where)+fmt.Sprintf(format, args...))
}

func (l *linter) row(r *Row) {
	if tidy(r.Code) == "" {
		l.complainf(r, "the code is empty")
	}
	if r.isFamily() {
		if _, err := regexp.Compile(r.Code); err != nil {
			l.complainf(r, "invalid regular expression: %v", err)
		}
	}
	if r.Message != "" && tidy(r.Message) == "" {
		l.complainf(r, "a message of blanks matches every message")
	}
	if r.Confidence != Sure && r.Confidence != Judgement {
		l.complainf(r, "confidence is %q, want sure or judgement", r.Confidence)
	}
	if r.Payin == "" && r.Payout == "" {
		l.complainf(r, "payin and payout are empty")
	}
	for _, d := range directions {
		l.answer(r, d)
	}
}

var directions = []errcodes.Direction{errcodes.Payin, errcodes.Payout}

func (l *linter) answer(r *Row, d errcodes.Direction) {
	a := r.In(d)
	if a == "" {
		return
	}
	if reason := illegal(a, d); reason != "" {
		l.complainf(r, "%s on a %s: %s", a, d, reason)
	}
	exact := key{code: r.Code, message: r.Message, direction: d}
	if _, twice := l.seen[exact]; twice {
		l.complainf(r, "a second row for a %s", d)
	}
	l.seen[exact] = a
	if r.isFamily() {
		return
	}
	tidied := key{code: tidy(r.Code), message: tidy(r.Message), tidied: true, direction: d}
	if other, twice := l.seen[tidied]; twice && other != a {
		l.complainf(r, "%s on a %s, but a row that differs only in case or blanks has %s", a, d, other)
	}
	l.seen[tidied] = a
}

// message checks that a row with a message does not turn a failure into a success.
func (l *linter) message(r *Row) {
	for _, d := range directions {
		alone := l.seen[key{code: tidy(r.Code), tidied: true, direction: d}]
		if r.Message != "" && r.In(d) == AnswerSuccess && alone.failure() {
			l.complainf(r, "success on a %s, but the code alone has %s", d, alone)
		}
	}
}

// illegal returns why a is not allowed as an answer for a direction, or "".
func illegal(a Answer, d errcodes.Direction) string {
	if !a.failure() {
		return ""
	}
	code := errcodes.TransactionCode(a)
	row := code.Row()
	switch {
	case !code.Known():
		return "not a code of SPEC 7.5"
	case row.Deprecated:
		return "deprecated"
	case !row.Fits(d):
		return "only for the other direction"
	case row.CardOnly && d == errcodes.Payout:
		return "only for cards, which are payins"
	case code == errcodes.ErrorInternal || code == errcodes.ErrorSystem:
		return "reserved for the service's own failures"
	default:
		return ""
	}
}

// complaintsError returns an error that lists the mistakes in overrides.
func complaintsError(scheme Scheme, complaints []string) error {
	return errcodes.New(errcodes.Configuration, "overrides of "+string(scheme)+": "+strings.Join(complaints, "; "))
}
