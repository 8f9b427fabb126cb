package csvfile

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
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
	fits      func(fields int) bool
}

// next returns the next record, or io.EOF.
func (r *records) next() (record, error) {
	for {
		first, err := r.lines.next()
		if err != nil {
			return record{}, err
		}
		if !r.skipped(first) {
			return r.from(first)
		}
	}
}

func (r *records) skipped(l line) bool {
	if !l.long && len(bytes.TrimSpace(l.text)) == 0 {
		return true
	}
	for _, prefix := range r.skip {
		if bytes.HasPrefix(l.text, prefix) {
			return true
		}
	}
	return false
}

// from reads the record that starts with first. If a quote is opened and the following
// lines do not close it properly, they are read again as separate lines.
func (r *records) from(first line) (record, error) {
	if why := unreadable(first); why != "" {
		return record{number: first.number, bad: why}, nil
	}
	fields, end := split(first.text, r.delimiter)
	if end == whole {
		if !r.fits(len(fields)) {
			return record{number: first.number, bad: "not as many fields as the header"}, nil
		}
		return record{number: first.number, fields: fields}, nil
	}
	if end == open {
		joined, ahead, err := r.join(first.text)
		if err != nil {
			return record{}, err
		}
		if joined != nil {
			return record{number: first.number, fields: joined}, nil
		}
		r.again(ahead)
	}
	return record{number: first.number, bad: "a quote is not closed"}, nil
}

// join reads lines until the quote opened in text is closed. If it is not, fields is
// nil and ahead contains the lines read.
func (r *records) join(text []byte) (fields []string, ahead []line, err error) {
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
			return fields, nil, nil
		}
		if end != open {
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

// line is a line of the file without its end. It owns its text.
type line struct {
	number int64 // from 1
	text   []byte
	long   bool // too long: text is nil
}

// lines reads lines, with memory bounded by MaxLine.
type lines struct {
	ctx  context.Context //nolint:containedctx // a reader serves one stream, which has one context
	from *bufio.Reader
	last int64
	back []line // to be returned again, in order
}

const readAhead = 64 << 10

func newLines(ctx context.Context, r io.Reader) *lines {
	return &lines{ctx: ctx, from: bufio.NewReaderSize(r, readAhead)}
}

// next returns the next line, or io.EOF.
func (l *lines) next() (line, error) {
	if len(l.back) > 0 {
		first := l.back[0]
		l.back = l.back[1:]
		return first, nil
	}
	return l.read()
}

// again makes next return the lines of list again.
func (l *lines) again(list []line) {
	l.back = append(list, l.back...)
}

func (l *lines) read() (line, error) {
	l.last++
	out := line{number: l.last}
	for {
		if err := l.ctx.Err(); err != nil {
			return line{}, err
		}
		part, err := l.from.ReadSlice('\n')
		out.add(part)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && (len(out.text) > 0 || out.long):
		case err != nil:
			return line{}, err
		}
		out.trim()
		return out, nil
	}
}

// add appends part to the line, up to the bound with room for the line break.
func (l *line) add(part []byte) {
	if l.long = l.long || len(l.text)+len(part) > MaxLine+len("\r\n"); l.long {
		l.text = nil
		return
	}
	l.text = append(l.text, part...)
}

// trim removes the line break.
func (l *line) trim() {
	l.text = bytes.TrimSuffix(bytes.TrimSuffix(l.text, []byte("\n")), []byte("\r"))
	if len(l.text) > MaxLine {
		l.text, l.long = nil, true
	}
}
