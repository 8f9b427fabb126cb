package blob

import (
	"context"
	"errors"
	"io"
	"time"

	"gocloud.dev/blob"
)

// openFile reads a file. A Seek costs nothing until the next Read, so that
// http.ServeContent asks for the size and goes back without a request.
type openFile struct {
	ctx    context.Context //nolint:containedctx // Read has none, and may have to ask the bucket
	bucket *blob.Bucket
	name   string

	size    int64
	modTime time.Time

	r      *blob.Reader
	at     int64 // where r is
	place  int64 // where the next Read begins
	closed bool
}

func (f *openFile) Read(p []byte) (int, error) {
	if f.closed {
		return 0, errClosed
	}
	if f.place >= f.size {
		return 0, io.EOF
	}
	if err := f.move(); err != nil {
		return 0, err
	}
	n, err := f.r.Read(p)
	f.at += int64(n)
	f.place = f.at
	switch {
	case !errors.Is(err, io.EOF):
		return n, coded(err)
	case f.place < f.size:
		return n, errShort
	default:
		return n, io.EOF
	}
}

// move asks for the rest of the file from its place, and holds the answer
// against what was opened.
func (f *openFile) move() error {
	if f.at == f.place {
		return nil
	}
	r, err := f.bucket.NewRangeReader(f.ctx, f.name, f.place, -1, nil)
	if err != nil {
		return coded(err)
	}
	if r.Size() != f.size || !r.ModTime().Equal(f.modTime) {
		_ = r.Close()
		return errChanged
	}
	_ = f.r.Close() // what it still had is not wanted
	f.r, f.at = r, f.place
	return nil
}

// Seek moves to a place in the file or behind it. One before it is
// errcodes.InvalidRequest.
func (f *openFile) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += f.place
	case io.SeekEnd:
		offset += f.size
	default:
		return f.place, errPlace
	}
	if offset < 0 {
		return f.place, errPlace
	}
	f.place = offset
	return offset, nil
}

func (f *openFile) Close() error {
	if f.closed {
		return nil
	}
	f.closed = true
	return coded(f.r.Close())
}

func (f *openFile) Size() int64        { return f.size }
func (f *openFile) ModTime() time.Time { return f.modTime }
