package csvfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/corridor-go/corridor/errcodes"
)

// positions are the positions of the columns; -1 means that there is no such column.
type positions struct {
	reference, amount, credit, debit, settledAt, currency, owner, merchant, sign int
}

func unprocessable(format string, args ...any) error {
	return errcodes.New(errcodes.Unprocessable, fmt.Sprintf(format, args...))
}

// begin reads up to the first line of data.
func (s *Source) begin(l *lines) (*records, *positions, error) {
	r := &records{lines: l}
	for _, prefix := range s.cfg.SkipPrefixes {
		r.skip = append(r.skip, []byte(prefix))
	}
	if s.cfg.Delimiter != "" {
		r.delimiter = s.cfg.Delimiter[0]
	}
	if err := s.mark(l); err != nil {
		return nil, nil, err
	}
	for range s.cfg.SkipLines {
		skipped, err := l.next()
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, nil, err
		}
		if err := skipped.torn(); err != nil {
			return nil, nil, err
		}
	}
	p, err := s.header(r)
	if err != nil {
		return nil, nil, err
	}
	r.columns = p.all()
	return r, p, nil
}

// mark skips a byte order mark and rejects other encodings.
func (s *Source) mark(l *lines) error {
	start, err := l.from.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch {
	case bytes.HasPrefix(start, []byte("\xef\xbb\xbf")):
		_, err = l.from.Discard(3)
		return err
	case bytes.HasPrefix(start, []byte("\xff\xfe")), bytes.HasPrefix(start, []byte("\xfe\xff")):
		return unprocessable("the file is UTF-16: save it as UTF-8")
	case len(start) > 1 && (start[0] == 0) != (start[1] == 0):
		return unprocessable("the file looks like UTF-16: save it as UTF-8")
	case bytes.HasPrefix(start, []byte("\x1f\x8b")):
		return unprocessable("the file is compressed: its name should end in .gz")
	case bytes.HasPrefix(start, []byte("PK\x03\x04")):
		return unprocessable("the file is a spreadsheet or an archive: save it as CSV")
	}
	return nil
}

// header finds the delimiter and the columns.
func (s *Source) header(r *records) (*positions, error) {
	if s.cfg.NoHeader {
		p, err := s.positions(nil)
		if err == nil {
			r.least = slices.Max(p.all()) + 1
		}
		return p, err
	}
	first, err := r.firstLine()
	if err != nil {
		return nil, err
	}
	if r.delimiter == 0 {
		if r.delimiter = delimiterOf(first.text); r.delimiter == 0 {
			return nil, unprocessable("the header has no delimiter")
		}
	}
	r.again([]line{first})
	head, err := r.next()
	if err != nil {
		return nil, err
	}
	if head.bad != "" {
		return nil, unprocessable("the header cannot be read: %s", head.bad)
	}
	return s.positions(head.fields)
}

// firstLine returns the first line of the header.
func (r *records) firstLine() (line, error) {
	first, err := r.start()
	switch {
	case errors.Is(err, io.EOF):
		return line{}, unprocessable("the file has no header")
	case err != nil:
		return line{}, err
	case unreadable(first) != "":
		return line{}, unprocessable("the header cannot be read: %s", unreadable(first))
	}
	return first, nil
}

// delimiterOf returns the most frequent delimiter outside quotes, or 0.
func delimiterOf(header []byte) byte {
	counts := [256]int{}
	quoted := false
	for _, c := range header {
		if c == '"' {
			quoted = !quoted
		}
		if !quoted {
			counts[c]++
		}
	}
	best := byte(0)
	for _, d := range []byte(delimiters) {
		if counts[d] > 0 && (best == 0 || counts[d] > counts[best]) {
			best = d
		}
	}
	return best
}

// positions finds the columns in the header; a nil header means a file without one.
func (s *Source) positions(header []string) (*positions, error) {
	c, p := &s.cfg, &positions{}
	for _, column := range []struct {
		at   *int
		name string
	}{
		{&p.reference, c.Reference},
		{&p.amount, c.Amount},
		{&p.credit, c.CreditAmount},
		{&p.debit, c.DebitAmount},
		{&p.settledAt, c.SettledAt},
		{&p.currency, c.Currency},
		{&p.owner, c.Owner},
		{&p.merchant, c.Merchant},
		{&p.sign, c.Sign},
	} {
		at, err := find(header, column.name)
		if err != nil {
			return nil, err
		}
		*column.at = at
	}
	if p.credit >= 0 && p.credit == p.debit {
		return nil, unprocessable("%q and %q are the same column", c.CreditAmount, c.DebitAmount)
	}
	return p, nil
}

// find returns the position of a column. The name is from the configuration, so errors
// may show it.
func find(header []string, name string) (int, error) {
	if name == "" {
		return -1, nil
	}
	if at, isPosition := position(name); isPosition {
		if header != nil && at >= len(header) {
			return 0, unprocessable("the header has no column %s", name)
		}
		return at, nil
	}
	is := func(field string) bool { return strings.EqualFold(strings.TrimSpace(field), strings.TrimSpace(name)) }
	at := slices.IndexFunc(header, is)
	if at < 0 {
		return 0, unprocessable("the header has no column %q", name)
	}
	if slices.ContainsFunc(header[at+1:], is) {
		return 0, unprocessable("the header repeats the column %q", name)
	}
	return at, nil
}

// all returns the positions of the columns that exist.
func (p *positions) all() []int {
	list := []int{p.reference, p.amount, p.credit, p.debit, p.settledAt, p.currency, p.owner, p.merchant, p.sign}
	return slices.DeleteFunc(list, func(at int) bool { return at < 0 })
}
