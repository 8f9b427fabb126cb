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

// Answer is the meaning of a raw code: a transaction code, which means that the
// transaction has failed or errored, or one of the constants below.
type Answer string

// The answers that are not failures.
const (
	AnswerSuccess Answer = "success" // the money has moved
	AnswerPending Answer = "pending" // not decided yet: ask again
)

func (a Answer) failure() bool { return a != "" && a != AnswerSuccess && a != AnswerPending }

// Outcome is the state of the transaction that a raw code means.
type Outcome string

// The outcomes.
const (
	Success Outcome = "success"
	Pending Outcome = "pending"
	Failed  Outcome = Outcome(errcodes.StateFailed)
	Errored Outcome = Outcome(errcodes.StateError)
)

// Confidence is how certain a row is.
type Confidence string

// The degrees of confidence.
const (
	Sure      Confidence = "sure"      // published, or in several independent sources, and only one definition of SPEC 7.5 fits
	Judgement Confidence = "judgement" // the nearest code, or a weaker source
)

// Row is the entry of a table for one raw code.
type Row struct {
	Code       string // as the provider writes it; if it begins with ^, an RE2 expression for a family of codes
	Message    string // "", or a text that the raw message must contain, without regard to case and blanks
	Meaning    string
	Payin      Answer // "" if the code does not occur in this direction
	Payout     Answer
	Confidence Confidence
	Sources    []string // keys of tables/sources
	Note       string
}

// In returns the row's answer for a direction.
func (r *Row) In(d errcodes.Direction) Answer {
	if d == errcodes.Payout {
		return r.Payout
	}
	return r.Payin
}

func (r *Row) isFamily() bool { return strings.HasPrefix(r.Code, "^") }

// columns are the columns of a table's file.
var columns = []string{"code", "message", "meaning", "payin", "payout", "confidence", "sources", "note"}

// ReadRows reads rows from CSV with the header
// code,message,meaning,payin,payout,confidence,sources,note, as in the shipped tables. It
// returns [errcodes.InvalidRequest], with the line, for a file in another format. [Lint]
// and [New] check the content of the rows.
func ReadRows(r io.Reader) ([]Row, error) {
	in := csv.NewReader(r)
	in.FieldsPerRecord = len(columns)
	header, err := in.Read()
	if err != nil {
		return nil, badTable(err)
	}
	if !slices.Equal(header, columns) {
		return nil, badTable(fmt.Errorf("header is %q, want %q", header, columns))
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
	if errors.Is(err, csv.ErrFieldCount) {
		err = fmt.Errorf("%w, want %d, separated by commas", err, len(columns))
	}
	return errcodes.Wrap(errcodes.InvalidRequest, "The table of codes cannot be read", fmt.Errorf("codes: %w", err))
}
