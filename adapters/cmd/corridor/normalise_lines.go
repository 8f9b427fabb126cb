package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/wire"
)

// maxLine holds a raw code and a raw message of 64 KiB each, however they are
// escaped.
const maxLine = 1 << 20

// failureLines answers JSON lines of raw failures, one by one: its memory does
// not grow with their number.
type failureLines struct {
	in         *bufio.Reader
	out        *bufio.Writer
	normaliser *authstate.Normaliser
	unmapped   *unmapped
	line       int
	unreadable int
	strange    int // lines of an unknown scheme, direction or state
	buf        []byte
	answer     []byte
}

func newFailureLines(in io.Reader, out io.Writer) *failureLines {
	l := &failureLines{in: bufio.NewReaderSize(in, 64<<10), out: bufio.NewWriterSize(out, 64<<10), unmapped: newUnmapped()}
	n, err := authstate.NewNormaliser(&authstate.NormaliserConfig{Unmapped: l.unmapped.add})
	if err != nil {
		panic(err) // nothing was asked of it that could be refused
	}
	l.normaliser = n
	return l
}

// run answers every line. Answers are held back while more lines are at hand.
func (l *failureLines) run(ctx context.Context) error {
	for ctx.Err() == nil {
		line, err := l.next()
		if errors.Is(err, io.EOF) {
			return l.out.Flush()
		}
		if err != nil && errcodes.Of(err) != errcodes.PayloadTooLarge {
			return errors.Join(err, l.out.Flush())
		}
		l.line++
		l.answer = append(l.meaning(l.answer[:0], line, err), '\n')
		if _, err := l.out.Write(l.answer); err != nil {
			return err
		}
		if l.in.Buffered() == 0 {
			if err := l.out.Flush(); err != nil {
				return err
			}
		}
	}
	return errors.Join(ctx.Err(), l.out.Flush())
}

// next gives the next line without its end, valid until the call after. One
// that is too long is passed over to its end.
func (l *failureLines) next() ([]byte, error) {
	l.buf = l.buf[:0]
	for tooLong := false; ; {
		part, err := l.in.ReadSlice('\n')
		if len(l.buf)+len(part) > maxLine {
			tooLong = true
		} else if len(part) > 0 && (err != nil || len(l.buf) > 0) {
			l.buf = append(l.buf, part...)
			part = l.buf
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil && (!errors.Is(err, io.EOF) || len(part) == 0 && len(l.buf) == 0 && !tooLong):
			return nil, err
		case tooLong:
			return nil, errcodes.New(errcodes.PayloadTooLarge, "The line is above 1 MiB")
		case len(l.buf) > 0:
			return bytes.TrimSuffix(l.buf, newline), nil
		default:
			return bytes.TrimSuffix(part, newline), nil
		}
	}
}

var newline = []byte{'\n'}

// meaning appends the answer to one line.
func (l *failureLines) meaning(dst, line []byte, err error) []byte {
	var f wire.Failure
	if err == nil {
		f, err = wire.DecodeFailure(line)
	}
	if err != nil {
		l.unreadable++
		return wire.AppendLineError(dst, err, l.line)
	}
	r, err := l.normaliser.Normalise(authstate.Input{
		Scheme: authstate.Scheme(f.Scheme), Direction: errcodes.Direction(f.Direction),
		Code: f.Code, Message: f.Message, State: errcodes.State(f.State),
	})
	switch errcodes.Of(err) {
	case "":
	case errcodes.InvalidRequest:
		l.strange++ // the fallback answers
	default:
		l.unreadable++
		return wire.AppendLineError(dst, err, l.line)
	}
	return appendMeaning(dst, &r, time.Now())
}

// tell says what no answer says.
func (l *failureLines) tell(w io.Writer) {
	if l.unreadable > 0 {
		sayf(w, "corridor: %d of %d lines could not be read; each has an error for an answer\n", l.unreadable, l.line)
	}
	if l.strange > 0 {
		sayf(w, "corridor: %d of %d lines name an unknown scheme, direction or state; each has the fallback for an answer\n", l.strange, l.line)
	}
}
