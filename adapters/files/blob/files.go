package blob

import (
	"context"

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
