package blob

import (
	"context"
	"errors"
	"io"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Files is a [ports.ReportFiles] in a bucket. It is safe for concurrent use,
// also by several processes.
type Files struct{ bucket *blob.Bucket }

// New keeps files in the bucket, which stays the caller's to close. nil is
// [errcodes.Configuration].
func New(bucket *blob.Bucket) (*Files, error) {
	if bucket == nil {
		return nil, errcodes.New(errcodes.Configuration, "a bucket for report files is needed")
	}
	return &Files{bucket}, nil
}

// Create starts an upload, which ends with ctx at the latest.
func (f *Files) Create(ctx context.Context, name string) (ports.NewReportFile, error) {
	if err := ready(ctx, name); err != nil {
		return nil, err
	}
	upload, cancel := context.WithCancel(ctx)
	w, err := f.bucket.NewWriter(upload, name, &blob.WriterOptions{ContentType: "application/octet-stream"})
	if err != nil {
		cancel()
		return nil, unstarted(err)
	}
	return &newFile{w: w, upload: upload, cancel: cancel}, nil
}

// unstarted is coded, but a bucket that is missing is no missing file.
func unstarted(err error) error {
	if gcerrors.Code(err) == gcerrors.NotFound {
		return errcodes.Wrap(errcodes.StorageUnavailable, "", quiet{err})
	}
	return coded(err)
}

// Open returns a finished file, which can be read until ctx is done.
func (f *Files) Open(ctx context.Context, name string) (ports.ReportFile, error) {
	if err := ready(ctx, name); err != nil {
		return nil, err
	}
	r, err := f.bucket.NewReader(ctx, name, nil)
	if err != nil {
		return nil, coded(err)
	}
	return &openFile{ctx: ctx, bucket: f.bucket, name: name, r: r, size: r.Size(), modTime: r.ModTime().UTC()}, nil
}

// Remove removes a finished file. An upload that is under way is left alone.
func (f *Files) Remove(ctx context.Context, name string) error {
	if err := ready(ctx, name); err != nil {
		return err
	}
	if err := f.bucket.Delete(ctx, name); gcerrors.Code(err) != gcerrors.NotFound {
		return coded(err)
	}
	return nil
}

type newFile struct {
	w      *blob.Writer
	upload context.Context //nolint:containedctx // tells, before Commit, an upload that is over already
	cancel context.CancelFunc
	part   error // what was sent is not whole: a Write failed
	over   bool
}

func (f *newFile) Write(p []byte) (int, error) {
	if f.over {
		return 0, errOver
	}
	if f.part != nil {
		return 0, f.part
	}
	n, err := f.w.Write(p)
	f.part = unstarted(err)
	return n, f.part
}

// Commit ends the upload. A driver's Close would commit what arrived before a
// Write failed. When it cannot be known whether the bucket took the file it is
// errcodes.OutcomeUnknown.
func (f *newFile) Commit(ctx context.Context) error {
	if f.over {
		return errOver
	}
	for _, err := range []error{ctx.Err(), f.upload.Err(), f.part} {
		if err != nil {
			return err
		}
	}
	f.over = true
	defer f.cancel()
	stop := context.AfterFunc(ctx, f.cancel)
	defer stop()
	return committed(f.w.Close())
}

// Abort stops the upload. Its error tells nothing: it is that of a context that
// was cancelled.
func (f *newFile) Abort() error {
	if f.over {
		return nil
	}
	f.over = true
	f.cancel()
	_ = f.w.Close()
	return nil
}

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
