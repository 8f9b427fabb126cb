package csvfile

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
)

// line is a line of the file without its end. It owns its text.
type line struct {
	number int64 // from 1
	text   []byte
	long   bool   // too long: text is nil
	rowEnd string // of a long line: the name of another line end in it
}

func (l *line) blank() bool { return !l.long && len(bytes.TrimSpace(l.text)) == 0 }

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
		l.drop(part)
		return
	}
	l.text = append(l.text, part...)
}

// drop remembers which other line end is in a long line, and forgets its text, except for
// the last bytes: a line end may go on in the next part.
func (l *line) drop(part []byte) {
	l.text = append(l.text, part...)
	l.rowEnd = cmp.Or(l.rowEnd, otherEnd(bytes.TrimRight(l.text, "\r\n")))
	l.text = append(l.text[:0], l.text[max(len(l.text)-maxEnd, 0):]...)
}

// trim removes the line break.
func (l *line) trim() {
	l.text = bytes.TrimSuffix(bytes.TrimSuffix(l.text, []byte("\n")), []byte("\r"))
	if len(l.text) > MaxLine {
		l.long = true
		l.drop(nil)
	}
	if l.long {
		l.text = nil
	}
}
