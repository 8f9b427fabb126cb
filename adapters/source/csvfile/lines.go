package csvfile

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
)

// line is a line of the file, without its end. It owns its text.
type line struct {
	number int64 // from 1
	text   []byte
	long   bool // the text is left out
}

// lines reads line by line, at a memory that no line can raise above MaxLine.
type lines struct {
	ctx  context.Context //nolint:containedctx // a reader lives for one stream, which is its context's
	from *bufio.Reader
	last int64
	back []line // to be read again, in order
}

const readAhead = 64 << 10

func newLines(ctx context.Context, r io.Reader) *lines {
	return &lines{ctx: ctx, from: bufio.NewReaderSize(r, readAhead)}
}

// next returns the next line; io.EOF says that there is none.
func (l *lines) next() (line, error) {
	if len(l.back) > 0 {
		first := l.back[0]
		l.back = l.back[1:]
		return first, nil
	}
	return l.read()
}

// again lets lines be read once more.
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
		out.end()
		return out, nil
	}
}

// add keeps a part of the line as long as it is within bounds, with room for its
// end.
func (l *line) add(part []byte) {
	if l.long = l.long || len(l.text)+len(part) > MaxLine+len("\r\n"); l.long {
		l.text = nil
		return
	}
	l.text = append(l.text, part...)
}

// end takes the line's end off.
func (l *line) end() {
	l.text = bytes.TrimSuffix(bytes.TrimSuffix(l.text, []byte("\n")), []byte("\r"))
	if len(l.text) > MaxLine {
		l.text, l.long = nil, true
	}
}
