package normalise

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/corridor-go/corridor/adapters/httpserver/wire"
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
)

// maxLine, in bytes without the line's end, holds a raw code and a raw message of
// 64 KiB each, however they are escaped.
const maxLine = 1 << 20

// Lines answers JSON lines of raw failures, one by one: its memory does
// not grow with their number.
type Lines struct {
	out        *bufio.Writer
	normaliser *failures.Normaliser
	unmapped   *unmapped
	line       int
	unreadable int
	strange    int // lines of an unknown scheme, direction or state
	answer     []byte
}

// New makes what answers to out.
func New(out io.Writer) *Lines {
	l := &Lines{out: bufio.NewWriterSize(out, BlockSize), unmapped: newUnmapped()}
	n, err := failures.New(&failures.Config{Unmapped: l.unmapped.add})
	if err != nil {
		panic(err) // nothing was asked of it that could be refused
	}
	l.normaliser = n
	return l
}

// Run answers every line of in.
func (l *Lines) Run(ctx context.Context, in io.Reader) error {
	lines := bufio.NewReaderSize(newAttentive(ctx, in, l.out.Flush), maxLine+len(newline))
	for {
		line, err := next(lines)
		if err != nil && errcodes.Of(err) != errcodes.PayloadTooLarge {
			return l.flush(err)
		}
		if l.line++; l.line == 1 {
			line = bytes.TrimPrefix(line, byteOrderMark)
		}
		l.answer = append(l.meaning(l.answer[:0], line, err), '\n')
		if _, err := l.out.Write(l.answer); err != nil {
			return err
		}
	}
}

// flush writes what was answered before the input ended.
func (l *Lines) flush(err error) error {
	if failed := l.out.Flush(); errors.Is(err, io.EOF) {
		return failed
	}
	return err
}

var newline, byteOrderMark = []byte("\n"), []byte("\ufeff")

// next gives the next line without its end, valid until the call after. One
// that does not fit into the reader is passed over to its end.
func next(lines *bufio.Reader) ([]byte, error) {
	line, err := lines.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, passOver(lines)
	case errors.Is(err, io.EOF) && len(line) > 0:
		return line, nil
	default:
		return bytes.TrimSuffix(line, newline), err
	}
}

func passOver(lines *bufio.Reader) error {
	err := bufio.ErrBufferFull
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = lines.ReadSlice('\n')
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return errcodes.New(errcodes.PayloadTooLarge, "The line is above 1 MiB")
}

// meaning appends the answer to one line.
func (l *Lines) meaning(dst, line []byte, err error) []byte {
	var f wire.Failure
	if err == nil {
		f, err = wire.DecodeFailure(line)
	}
	if err != nil {
		l.unreadable++
		return wire.AppendLineError(dst, err, l.line)
	}
	r, err := l.normaliser.Normalise(failures.Input{
		Scheme: failures.Scheme(f.Scheme), Direction: errcodes.Direction(f.Direction),
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
	return AppendMeaning(dst, &r, time.Now())
}

// Summarize writes how many lines were not read or not known.
func (l *Lines) Summarize(w io.Writer) {
	if l.unreadable > 0 {
		_, _ = fmt.Fprintf(w, "corridor: %d of %d lines could not be read; each has an error for an answer\n", l.unreadable, l.line)
	}
	if l.strange > 0 {
		_, _ = fmt.Fprintf(w, "corridor: %d of %d lines name an unknown scheme, direction or state; each has the fallback for an answer\n", l.strange, l.line)
	}
}

// ListUnmapped lists the raw codes that no table knew.
func (l *Lines) ListUnmapped(w io.Writer) { l.unmapped.list(w) }

// AppendMeaning appends the authState of a failure, or what else it is.
func AppendMeaning(dst []byte, r *failures.Result, at time.Time) []byte {
	if !r.Failure() {
		return wire.AppendNoFailure(dst, string(r.Outcome), r.Raw.Code)
	}
	state := r.AuthState(at)
	return wire.AppendAuthState(dst, &state)
}
