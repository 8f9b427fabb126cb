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

// Files is a [ports.ReportFiles] in a bucket. It is safe for concurrent use, also by
// several processes.
type Files struct{ bucket *blob.Bucket }

// New stores files in bucket, which the caller closes. A nil bucket is
// [errcodes.Configuration].
func New(bucket *blob.Bucket) (*Files, error) {
	if bucket == nil {
		return nil, errcodes.New(errcodes.Configuration, "bucket is required")
	}
	return &Files{bucket}, nil
}

// Create starts an upload, which fails when ctx is done.
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

// unstarted is coded for the start of an upload: a bucket that does not exist is
// [errcodes.StorageUnavailable], not [errcodes.NotFound].
func unstarted(err error) error {
	if gcerrors.Code(err) == gcerrors.NotFound {
		return errcodes.Wrap(errcodes.StorageUnavailable, "", quiet{err})
	}
	return coded(err)
}

// Open opens a finished file, which can be read until ctx is done.
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

// Remove removes a finished file. It does not affect uploads in progress.
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
	upload context.Context //nolint:containedctx // lets Commit see an upload that has already ended
	cancel context.CancelFunc
	failed error // of a Write: the upload is incomplete
	ended  bool
}

func (f *newFile) Write(p []byte) (int, error) {
	if f.ended {
		return 0, errEnded
	}
	if f.failed != nil {
		return 0, f.failed
	}
	n, err := f.w.Write(p)
	f.failed = unstarted(err)
	return n, f.failed
}

// Commit ends the upload. It fails if a Write failed, because a driver's Close would
// commit the bytes before. If it is unknown whether the bucket stored the file, Commit
// returns [errcodes.OutcomeUnknown].
func (f *newFile) Commit(ctx context.Context) error {
	if f.ended {
		return errEnded
	}
	for _, err := range []error{ctx.Err(), f.upload.Err(), f.failed} {
		if err != nil {
			return err
		}
	}
	f.ended = true
	defer f.cancel()
	stop := context.AfterFunc(ctx, f.cancel)
	defer stop()
	return committed(f.w.Close())
}

// Abort cancels the upload. It ignores the error of Close, which is the canceled context's.
func (f *newFile) Abort() error {
	if f.ended {
		return nil
	}
	f.ended = true
	f.cancel()
	_ = f.w.Close()
	return nil
}

// openFile reads a file. Seek makes no request before the next Read, so
// http.ServeContent can ask for the size without one.
type openFile struct {
	ctx    context.Context //nolint:containedctx // Read has no context, and may request the rest
	bucket *blob.Bucket
	name   string

	size    int64
	modTime time.Time

	r      *blob.Reader
	at     int64 // the position of r
	offset int64 // the position of the next Read
	closed bool
}

func (f *openFile) Read(p []byte) (int, error) {
	if f.closed {
		return 0, errClosed
	}
	if f.offset >= f.size {
		return 0, io.EOF
	}
	if err := f.move(); err != nil {
		return 0, err
	}
	n, err := f.r.Read(p)
	f.at += int64(n)
	f.offset = f.at
	switch {
	case !errors.Is(err, io.EOF):
		return n, coded(err)
	case f.offset < f.size:
		return n, errShort
	default:
		return n, io.EOF
	}
}

// move requests the rest of the file from its offset, and checks that the file is
// unchanged.
func (f *openFile) move() error {
	if f.at == f.offset {
		return nil
	}
	r, err := f.bucket.NewRangeReader(f.ctx, f.name, f.offset, -1, nil)
	if err != nil {
		return coded(err)
	}
	if r.Size() != f.size || !r.ModTime().Equal(f.modTime) {
		_ = r.Close()
		return errChanged
	}
	_ = f.r.Close() // with unread bytes
	f.r, f.at = r, f.offset
	return nil
}

// Seek sets the position of the next Read, also after the end. A position before the
// start is [errcodes.InvalidRequest].
func (f *openFile) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += f.offset
	case io.SeekEnd:
		offset += f.size
	default:
		return f.offset, errOffset
	}
	if offset < 0 {
		return f.offset, errOffset
	}
	f.offset = offset
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
