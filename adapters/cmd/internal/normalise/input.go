package normalise

import (
	"context"
	"io"
)

// BlockSize is how many bytes of the input are read at once.
const BlockSize = 64 << 10

// attentive is an interactive input. Before it waits for input it flushes the output, so
// that a user who sends a line, or part of one, gets the results of all previous lines.
// The wait can be interrupted.
type attentive struct {
	ctx   context.Context //nolint:containedctx // io.Reader has no place for it
	in    io.Reader
	flush func() error
	space []byte
	rest  []byte // read but not yet returned
	err   error  // the first error, which Read keeps returning
}

func newAttentive(ctx context.Context, in io.Reader, flush func() error) *attentive {
	return &attentive{ctx: ctx, in: in, flush: flush, space: make([]byte, BlockSize)}
}

// Read keeps returning its first error: a terminal could continue after io.EOF.
func (a *attentive) Read(p []byte) (int, error) {
	if len(a.rest) == 0 && a.err == nil {
		a.rest, a.err = a.wait()
	}
	n := copy(p, a.rest)
	if a.rest = a.rest[n:]; len(a.rest) > 0 {
		return n, nil
	}
	return n, a.err
}

func (a *attentive) wait() ([]byte, error) {
	if err := a.flush(); err != nil {
		return nil, err
	}
	if err := a.ctx.Err(); err != nil {
		return nil, err
	}
	// A read of standard input cannot be interrupted. An abandoned one ends with the
	// input or the process.
	var n int
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		n, err = a.in.Read(a.space)
	}()
	select {
	case <-done:
		return a.space[:n], err
	case <-a.ctx.Done():
		return nil, a.ctx.Err()
	}
}
