package blob

import (
	"context"

	"gocloud.dev/blob"
)

// newFile is an upload.
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
