package failures

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/corridor-go/corridor/errcodes"
)

// Answer is what a row says of a raw code: a transaction code, which means that
// the transaction has failed or errored, or one of the two that are no failure.
type Answer string

// The answers that are no failure.
const (
	AnswerSuccess Answer = "success" // the money moved
	AnswerPending Answer = "pending" // still open: ask again
)

// Outcome is what a raw code says of its transaction.
type Outcome string

// The outcomes.
const (
	Success Outcome = "success"
	Pending Outcome = "pending"
	Failed  Outcome = Outcome(errcodes.StateFailed)
	Errored Outcome = Outcome(errcodes.StateError)
)

// Confidence is how sure a row is.
type Confidence string

// The degrees. A fallback has none.
const (
	Sure      Confidence = "sure"      // published, or agreed between independent sources, and just one definition of SPEC 7.5 fits
	Judgement Confidence = "judgement" // the nearest code, or a weaker source
)

// Row is what a table says of one raw code.
type Row struct {
	Code       string // as the provider writes it; from ^ on, an RE2 expression for a family of codes
	Message    string // "" or a text that must occur in the raw message, whatever its case and blanks
	Meaning    string
	Payin      Answer // "" where the provider does not give the code in this direction
	Payout     Answer
	Confidence Confidence
	Sources    []string // keys of tables/sources
	Note       string
}

// In gives the row's answer for a direction.
func (r *Row) In(d errcodes.Direction) Answer {
	if d == errcodes.Payout {
		return r.Payout
	}
	return r.Payin
}

func (r *Row) isFamily() bool { return strings.HasPrefix(r.Code, "^") }

// columns are those of a table's file.
var columns = []string{"code", "message", "meaning", "payin", "payout", "confidence", "sources", "note"}

// ReadRows reads rows from CSV with the header
// code,message,meaning,payin,payout,confidence,sources,note, which is the form
// of the shipped tables. It checks the form alone; [Lint] and [New]
// check what the rows say. A file of another form is errcodes.InvalidRequest,
// with the line.
func ReadRows(r io.Reader) ([]Row, error) {
	in := csv.NewReader(r)
	in.FieldsPerRecord = len(columns)
	header, err := in.Read()
	if err != nil {
		return nil, badTable(err)
	}
	if !slices.Equal(header, columns) {
		return nil, badTable(errors.New("the header is not " + strings.Join(columns, ",")))
	}
	var rows []Row
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, badTable(err)
		}
		rows = append(rows, Row{
			Code: record[0], Message: record[1], Meaning: record[2], Payin: Answer(record[3]), Payout: Answer(record[4]),
			Confidence: Confidence(record[5]), Sources: strings.Fields(record[6]), Note: record[7],
		})
	}
}

func badTable(err error) error {
	return errcodes.Wrap(errcodes.InvalidRequest, "The table of codes cannot be read", fmt.Errorf("codes: %w", err))
}
