package normalise

import (
	"context"
	"io"
)

// BlockSize is how much of the input is read at once.
const BlockSize = 64 << 10

// attentive is an input for answers that come while it is typed. It flushes
// what was answered before it waits: whoever sends a line, or a part of one, has
// the answers to all lines before. Its waiting can be interrupted.
type attentive struct {
	ctx   context.Context //nolint:containedctx // io.Reader has no place for it
	in    io.Reader
	flush func() error
	space []byte
	rest  []byte // of the space, still to be given
	err   error  // for good
}

func newAttentive(ctx context.Context, in io.Reader, flush func() error) *attentive {
	return &attentive{ctx: ctx, in: in, flush: flush, space: make([]byte, BlockSize)}
}

// Read stays at its first error: a terminal would go on behind its io.EOF.
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
	// Nothing wakes a read of standard input: one that is given up ends with
	// the input, or with the process.
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
