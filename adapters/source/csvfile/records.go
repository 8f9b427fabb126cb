package csvfile

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"unicode/utf8"
)

// record is a line, or several if a quoted field has line breaks.
type record struct {
	number int64    // of its first line
	fields []string // if bad is ""
	bad    string   // why the line cannot be read
}

// records reads records.
type records struct {
	*lines
	delimiter byte
	skip      [][]byte // the prefixes of skipped lines
	fields    int      // of each record; 0: not known yet
	least     int      // fields of the first record; 0: that is the header
	columns   []int    // the positions of the configured columns
}

// fits reports whether a record has as many fields as the header or, without a header,
// as the first line that has all columns.
func (r *records) fits(fields int) bool {
	return fields == r.fields || r.fields == 0 && fields >= r.least
}

// misfit returns why a line has the wrong number of fields.
func (r *records) misfit() string {
	switch {
	case r.least == 0:
		return "not as many fields as the header"
	case r.fields == 0:
		return "too few fields for the configured columns"
	default:
		return "not as many fields as the first line with all columns"
	}
}

// next returns the next record, or io.EOF.
func (r *records) next() (record, error) {
	first, err := r.start()
	if err != nil {
		return record{}, err
	}
	return r.from(first)
}

// start returns the next line that is not skipped, or io.EOF.
func (r *records) start() (line, error) {
	for {
		l, err := r.lines.next()
		if err != nil || !l.blank() && !r.skipped(l) {
			return l, err
		}
		if err := l.torn(); !l.blank() && err != nil {
			return line{}, err
		}
	}
}

// skipped reports whether the line starts with a prefix, or with a quote and a prefix. If
// its quote is closed on a later line, only this line is skipped: a quote that is never
// closed would take lines of data with it.
func (r *records) skipped(l line) bool {
	unquoted := bytes.TrimPrefix(l.text, []byte{'"'})
	return slices.ContainsFunc(r.skip, func(prefix []byte) bool {
		return bytes.HasPrefix(l.text, prefix) || bytes.HasPrefix(unquoted, prefix)
	})
}

// from reads the record that starts with first. If a quote is opened and the following
// lines do not close it properly, they are read again as separate lines.
func (r *records) from(first line) (record, error) {
	rec := record{number: first.number, bad: unreadable(first)}
	if rec.bad != "" {
		return rec, first.torn()
	}
	var end state
	switch rec.fields, end = split(first.text, r.delimiter); end {
	case whole:
		return r.whole(rec, first.text)
	case broken:
		rec.bad = "text after a closing quote"
		return rec, torn(rec.number, otherEnd(first.text))
	case open:
		joined, ahead, err := r.join(first.text)
		if err != nil {
			return record{}, err
		}
		if joined != nil {
			rec.fields, _ = split(joined, r.delimiter)
			return r.whole(rec, joined)
		}
		r.again(ahead)
		rec.bad = "a quote is not closed"
	}
	return rec, first.torn()
}

// whole completes a record whose quotes are closed.
func (r *records) whole(rec record, text []byte) (record, error) {
	fits, first := r.fits(len(rec.fields)), r.fields == 0
	if fits {
		r.fields = len(rec.fields)
	} else {
		rec.bad = r.misfit()
	}
	if otherEnd(text) == "" {
		return rec, nil
	}
	bare := outside(text, r.delimiter)
	if fits && !first {
		return rec, torn(rec.number, r.rowEnd(bare))
	}
	return rec, torn(rec.number, rowEnd(bare))
}

// join reads lines until the quote opened in text is closed, and returns the text of all
// lines. If it is not closed, joined is nil and ahead contains the lines read.
func (r *records) join(text []byte) (joined []byte, ahead []line, err error) {
	for len(ahead) < MaxRecordLines-1 {
		l, err := r.lines.next()
		if errors.Is(err, io.EOF) {
			return nil, ahead, nil
		}
		if err != nil {
			return nil, nil, err
		}
		ahead = append(ahead, l)
		if unreadable(l) != "" || len(text)+1+len(l.text) > MaxLine {
			return nil, ahead, nil
		}
		text = append(append(text, '\n'), l.text...)
		if bytes.IndexByte(l.text, '"') < 0 {
			continue
		}
		fields, end := split(text, r.delimiter)
		if end == whole && r.fits(len(fields)) {
			return text, nil, nil
		}
		if end == broken {
			return nil, ahead, torn(l.number, otherEnd(l.text))
		}
		if end == whole {
			return nil, ahead, nil
		}
	}
	return nil, ahead, nil
}

// unreadable returns what is wrong with a line's bytes, or "".
func unreadable(l line) string {
	switch {
	case l.long:
		return "longer than 1 MiB"
	case bytes.IndexByte(l.text, 0) >= 0:
		return "a NUL byte"
	case !utf8.Valid(l.text):
		return "not UTF-8"
	default:
		return ""
	}
}

// state is the state at the end of a text.
type state int

const (
	whole  state = iota
	open         // in a quoted field
	broken       // text follows the end of a quoted field
)

// split splits a text into fields (RFC 4180). A quote in a field that does not start
// with one is an ordinary character.
func split(text []byte, delimiter byte) ([]string, state) {
	var fields []string
	for {
		field, rest, end := cut(text, delimiter)
		fields = append(fields, field)
		if end != whole || rest == nil {
			return fields, end
		}
		text = rest
	}
}

// cut returns the first field of text; rest is nil if it is the last one.
func cut(text []byte, delimiter byte) (field string, rest []byte, end state) {
	if len(text) > 0 && text[0] == '"' {
		return cutQuoted(text[1:], delimiter)
	}
	at := bytes.IndexByte(text, delimiter)
	if at < 0 {
		return string(text), nil, whole
	}
	return string(text[:at]), text[at+1:], whole
}

func cutQuoted(text []byte, delimiter byte) (field string, rest []byte, end state) {
	var out []byte
	for {
		at := bytes.IndexByte(text, '"')
		if at < 0 {
			return "", nil, open
		}
		out = append(out, text[:at]...)
		text = text[at+1:]
		switch {
		case len(text) == 0:
			return string(out), nil, whole
		case text[0] == delimiter:
			return string(out), text[1:], whole
		case text[0] != '"':
			return "", nil, broken
		}
		out = append(out, '"')
		text = text[1:]
	}
}
