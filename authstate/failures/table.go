package failures

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"regexp"
	"strings"
	"sync"

	"github.com/corridor-go/corridor/errcodes"
)

//go:embed tables/*.csv
var files embed.FS

// cell is a row's answer for one direction, taken apart. Its zero value is no
// answer.
type cell struct {
	outcome    Outcome
	code       errcodes.TransactionCode
	confidence Confidence
}

func newCell(a Answer, c Confidence) cell {
	switch a {
	case "":
		return cell{}
	case AnswerSuccess, AnswerPending:
		return cell{outcome: Outcome(a), confidence: c}
	default:
		code := errcodes.TransactionCode(a)
		return cell{outcome: Outcome(code.Row().State), code: code, confidence: c}
	}
}

// entry is what a table knows of one code in one direction.
type entry struct {
	cell
	byMessage []messageRule
}

// messageRule answers where its text occurs in the tidied message.
type messageRule struct {
	text string
	cell cell
}

// family answers for the codes that match.
type family struct {
	codes *regexp.Regexp
	text  string // must occur in the tidied message; "" always does
	cell  cell
}

// index is the rows of one direction, by what they answer to.
type index struct {
	exact    map[string]*entry
	tidied   map[string]*entry
	unpadded map[string]shortened // codes that have lost their leading zeros
	families []family
}

// shortened is what a code without its leading zeros stands for: of 01 and 001,
// 1 is the former.
type shortened struct {
	*entry
	digits int // of the code in full
}

// table is one scheme's rows, ready to be asked.
type table struct {
	version string
	indexes [2]index // payin, payout
}

func (t *table) in(d errcodes.Direction) *index {
	if d == errcodes.Payout {
		return &t.indexes[1]
	}
	return &t.indexes[0]
}

// newTable indexes rows that Lint has passed.
func newTable(rows []Row, version string) *table {
	t := &table{version: version}
	for i, d := range directions {
		x := &t.indexes[i]
		x.exact, x.tidied, x.unpadded = make(map[string]*entry, len(rows)), make(map[string]*entry, len(rows)), map[string]shortened{}
		for j := range rows {
			x.add(&rows[j], d)
		}
	}
	return t
}

func (x *index) add(r *Row, d errcodes.Direction) {
	c := newCell(r.In(d), r.Confidence)
	if c.outcome == "" {
		return
	}
	if r.isFamily() {
		x.families = append(x.families, family{regexp.MustCompile(r.Code), tidy(r.Message), c})
		return
	}
	code, text := tidy(r.Code), tidy(r.Message)
	of(x.exact, r.Code).add(text, c)
	of(x.tidied, code).add(text, c)
	x.shorten(code, text, c)
}

// of gives the entry of a code, a new one if there is none.
func of(entries map[string]*entry, code string) *entry {
	e := entries[code]
	if e == nil {
		e = new(entry)
		entries[code] = e
	}
	return e
}

// shorten lets a code be found without its leading zeros. Where a list has more
// than two digits, 5 may be another list's code: it must not read as 005, done.
func (x *index) shorten(code, text string, c cell) {
	short := unpadded(code)
	if short == code || c.code == "" && len(code) > 2 && short != "0" {
		return
	}
	s, taken := x.unpadded[short]
	if !taken || s.digits > len(code) {
		s = shortened{new(entry), len(code)}
		x.unpadded[short] = s
	}
	if s.digits == len(code) {
		s.add(text, c)
	}
}

// add adds an answer.
func (e *entry) add(text string, c cell) {
	if text == "" {
		e.cell = c
	} else {
		e.byMessage = append(e.byMessage, messageRule{text, c})
	}
}

// find gives what the index says of a raw code, and how that was found.
func (x *index) find(code, message string) (*cell, Match) {
	if e, ok := x.exact[code]; ok {
		if c, by := e.answer(message, MatchCode); by != MatchNone {
			return c, by
		}
	}
	return x.findTidied(tidy(code), message)
}

// findHead looks for what stands before the colon of a raw code. In a message
// that stands in for a code it can only be a failure: "Approved: no" approves
// nothing.
func (x *index) findHead(code string, in *Input) (*cell, Match) {
	before, ok := head(tidy(code))
	if !ok {
		return nil, MatchNone
	}
	c, by := x.findTidied(before, in.Message)
	if by != MatchNone && in.Code == "" && c.code == "" {
		return nil, MatchNone
	}
	return c, by
}

// findAll tries all that one table has, what stands before a colon only where
// that would be a code of the table's scheme.
func (x *index) findAll(code string, in *Input, heads bool) (*cell, Match) {
	c, by := x.find(code, in.Message)
	if by == MatchNone && heads {
		c, by = x.findHead(code, in)
	}
	if by == MatchNone {
		c, by = x.findFamily(code, in.Message)
	}
	return c, by
}

func (x *index) findTidied(text, message string) (*cell, Match) {
	if e, ok := x.tidied[text]; ok {
		return e.answer(message, MatchNormalised)
	}
	if short, ok := x.unpadded[text]; ok {
		return short.answer(message, MatchNormalised)
	}
	return nil, MatchNone
}

// answer prefers the rule whose text occurs in the message.
func (e *entry) answer(message string, by Match) (*cell, Match) {
	if len(e.byMessage) > 0 {
		text := tidy(message)
		for i := range e.byMessage {
			if strings.Contains(text, e.byMessage[i].text) {
				return &e.byMessage[i].cell, MatchMessage
			}
		}
	}
	if e.outcome == "" {
		return nil, MatchNone
	}
	return &e.cell, by
}

// findFamily gives the first family that the code belongs to.
func (x *index) findFamily(code, message string) (*cell, Match) {
	for i := range x.families {
		f := &x.families[i]
		if f.codes.MatchString(code) && (f.text == "" || strings.Contains(tidy(message), f.text)) {
			return &f.cell, MatchFamily
		}
	}
	return nil, MatchNone
}

// shipped are the embedded tables, each read when it is first asked.
var shipped = func() map[Scheme]func() *table {
	m := make(map[Scheme]func() *table, len(schemes))
	for _, s := range schemes {
		m[s] = sync.OnceValue(func() *table { return newTable(mustRead(s)) })
	}
	return m
}()

// Rows gives the shipped table of a scheme, in its order; none for a scheme
// that has none.
func Rows(s Scheme) []Row {
	if shipped[s] == nil {
		return nil
	}
	rows, _ := mustRead(s)
	return rows
}

// mustRead panics on a broken table: the tests read every shipped one.
func mustRead(s Scheme) (rows []Row, version string) {
	text, err := files.ReadFile("tables/" + string(s) + ".csv")
	if err == nil {
		rows, err = ReadRows(bytes.NewReader(text))
	}
	if err != nil {
		panic(err)
	}
	return rows, fingerprint(s, text)
}

// fingerprint names the content of a table, so that a stored result tells which
// rows judged it.
func fingerprint(s Scheme, text []byte) string {
	sum := sha256.Sum256(text)
	return string(s) + "@" + hex.EncodeToString(sum[:6])
}
