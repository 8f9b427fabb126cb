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

// cell is a row's parsed answer for one direction. The zero value means no answer.
type cell struct {
	outcome    Outcome
	code       errcodes.TransactionCode
	confidence Confidence
	byMessage  bool // the row has a message
}

func newCell(r *Row, d errcodes.Direction) cell {
	a := r.In(d)
	c := cell{confidence: r.Confidence, byMessage: r.Message != ""}
	switch a {
	case "":
		return cell{}
	case AnswerSuccess, AnswerPending:
		c.outcome = Outcome(a)
	default:
		c.code = errcodes.TransactionCode(a)
		c.outcome = Outcome(c.code.Row().State)
	}
	return c
}

// entry has the answers for one code in one direction.
type entry struct {
	cell
	byMessage []messageRule
}

// messageRule applies if the tidied message contains text.
type messageRule struct {
	text string
	cell cell
}

// family applies to codes that match a pattern.
type family struct {
	codes *regexp.Regexp
	text  string // the tidied message must contain it
	cell  cell
}

// index contains the rows of one direction, by code.
type index struct {
	exact    map[string]*entry
	tidied   map[string]*entry
	unpadded map[string]shortened // by code without leading zeros
	families []family
}

// shortened is the entry for a code without its leading zeros. If a table has 01 and 001,
// 1 means 01.
type shortened struct {
	*entry
	digits int // of the full code
}

// table contains one scheme's rows as indexes.
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

// newTable indexes rows in which Lint has found no mistakes.
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
	c := newCell(r, d)
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

// of returns the entry of a code, and adds one if it is missing.
func of(entries map[string]*entry, code string) *entry {
	e := entries[code]
	if e == nil {
		e = new(entry)
		entries[code] = e
	}
	return e
}

// shorten adds a code without its leading zeros. It leaves out codes of more than two
// digits that are not failures: 5 may be a code of another list, and must not be read as
// 005, a success.
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

// find returns the answer for a raw code, and how it was found.
func (x *index) find(code string, in *Input) (*cell, Match) {
	if e, ok := x.exact[code]; ok {
		if c, by := e.answer(in, MatchCode); by != MatchNone {
			return c, by
		}
	}
	return x.findTidied(tidy(code), in)
}

// findHead looks up the part before the colon of a raw code. It returns a success only for
// a head with a digit: "00 : approved" is one, and "Approved: no" is not. If in has no
// code, so that its message is looked up, it only returns failures.
func (x *index) findHead(code string, in *Input) (*cell, Match) {
	before, ok := head(tidy(code))
	if !ok {
		return nil, MatchNone
	}
	c, by := x.findTidied(before, in)
	if by != MatchNone && (in.Code == "" && c.code == "" || c.outcome == Success && !strings.ContainsAny(before, digits)) {
		return nil, MatchNone
	}
	return c, by
}

// findAll looks up the code, then, if heads is true, the part before a colon, then the
// families.
func (x *index) findAll(code string, in *Input, heads bool) (*cell, Match) {
	c, by := x.find(code, in)
	if by == MatchNone && heads {
		c, by = x.findHead(code, in)
	}
	if by == MatchNone {
		c, by = x.findFamily(code, in)
	}
	return c, by
}

func (x *index) findTidied(text string, in *Input) (*cell, Match) {
	if e, ok := x.tidied[text]; ok {
		return e.answer(in, MatchNormalised)
	}
	if short, ok := x.unpadded[text]; ok {
		return short.answer(in, MatchNormalised)
	}
	return nil, MatchNone
}

// answer returns the cell of the first rule whose text is in the message, and otherwise
// the entry's own.
func (e *entry) answer(in *Input, by Match) (*cell, Match) {
	if len(e.byMessage) > 0 {
		text := tidy(in.Message)
		for i := range e.byMessage {
			if rule := &e.byMessage[i]; strings.Contains(text, rule.text) && !in.contradicts(&rule.cell) {
				return &rule.cell, MatchMessage
			}
		}
	}
	if e.outcome == "" || in.contradicts(&e.cell) {
		return nil, MatchNone
	}
	return &e.cell, by
}

// findFamily returns the answer of the first family that matches.
func (x *index) findFamily(code string, in *Input) (*cell, Match) {
	for i := range x.families {
		f := &x.families[i]
		if f.codes.MatchString(code) && (f.text == "" || strings.Contains(tidy(in.Message), f.text)) && !in.contradicts(&f.cell) {
			return &f.cell, MatchFamily
		}
	}
	return nil, MatchNone
}

// shipped contains the embedded tables. Each is read at its first use.
var shipped = func() map[Scheme]func() *table {
	m := make(map[Scheme]func() *table, len(schemes))
	for _, s := range schemes {
		m[s] = sync.OnceValue(func() *table { return newTable(mustRead(s)) })
	}
	return m
}()

// Rows returns the shipped table of a scheme, in its order, or nil if it has no table.
func Rows(s Scheme) []Row {
	if shipped[s] == nil {
		return nil
	}
	rows, _ := mustRead(s)
	return rows
}

// mustRead panics if a table cannot be read. Tests read every shipped table.
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

// fingerprint identifies the content of a table, so that a stored result shows which rows
// it is from.
func fingerprint(s Scheme, text []byte) string {
	sum := sha256.Sum256(text)
	return string(s) + "@" + hex.EncodeToString(sum[:6])
}
