package normalise

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/corridor-go/corridor/adapters/httpserver/wire"
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
)

// maxLine is the maximum length of a line in bytes, without its end. It fits a raw code
// and a raw message of 64 KiB each with any escapes.
const maxLine = 1 << 20

// Lines normalises JSON lines of raw failures. Its memory does not grow with their
// number.
type Lines struct {
	out        *bufio.Writer
	normaliser *failures.Normaliser
	unmapped   *unmapped
	line       int
	unreadable int
	strange    int // lines with an unknown scheme, direction or state
	answer     []byte
}

// New returns Lines that writes to out.
func New(out io.Writer) *Lines {
	l := &Lines{out: bufio.NewWriterSize(out, BlockSize), unmapped: newUnmapped()}
	n, err := failures.New(&failures.Config{Unmapped: l.unmapped.add})
	if err != nil {
		panic(err) // cannot fail without options
	}
	l.normaliser = n
	return l
}

// Run normalises every line of in.
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

// flush writes the results so far after an error.
func (l *Lines) flush(err error) error {
	if failed := l.out.Flush(); errors.Is(err, io.EOF) {
		return failed
	}
	return err
}

var newline, byteOrderMark = []byte("\n"), []byte("\ufeff")

// next returns the next line without its end, valid until the next call. It skips a line
// that does not fit into the reader.
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
	return errcodes.New(errcodes.PayloadTooLarge, "The line is longer than 1 MiB")
}

// meaning appends the result of one line.
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
		l.strange++ // the result is the fallback
	default:
		l.unreadable++
		return wire.AppendLineError(dst, err, l.line)
	}
	return AppendMeaning(dst, &r, time.Now())
}

// Summarize prints how many lines could not be read or had unknown fields.
func (l *Lines) Summarize(w io.Writer) {
	if l.unreadable > 0 {
		_, _ = fmt.Fprintf(w, "corridor: %d of %d lines could not be read; their results are errors\n", l.unreadable, l.line)
	}
	if l.strange > 0 {
		_, _ = fmt.Fprintf(w, "corridor: %d of %d lines have an unknown scheme, direction or state; their results are the fallback\n", l.strange, l.line)
	}
}

// ListUnmapped prints the raw codes without a mapping.
func (l *Lines) ListUnmapped(w io.Writer) { l.unmapped.list(w) }

// AppendMeaning appends the authState of a failure, or the meaning of an outcome that is
// not a failure, and whether the code was known.
func AppendMeaning(dst []byte, r *failures.Result, at time.Time) []byte {
	if r.Failure() {
		state := r.AuthState(at)
		dst = wire.AppendAuthState(dst, &state)
	} else {
		dst = wire.AppendNoFailure(dst, string(r.Outcome), r.Raw.Code)
	}
	dst = append(dst[:len(dst)-len("}")], `,"known":`...)
	return append(strconv.AppendBool(dst, r.Known()), '}')
}
