package blob

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"gocloud.dev/gcerrors"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// quiet hides the provider's message in the text of an error.
type quiet struct{ err error }

func (q quiet) Error() string { return "the bucket returned " + gcerrors.Code(q.err).String() }
func (q quiet) Unwrap() error { return q.err }

// coded wraps an error of the bucket with a code.
func coded(err error) error {
	if err == nil {
		return nil
	}
	return errcodes.Wrap(cmp.Or(codes[gcerrors.Code(err)], errcodes.StorageUnavailable), "", quiet{err})
}

var codes = map[gcerrors.ErrorCode]errcodes.Code{ //nolint:exhaustive // all others are StorageUnavailable
	gcerrors.NotFound:         errcodes.NotFound,
	gcerrors.Canceled:         errcodes.Canceled,
	gcerrors.DeadlineExceeded: errcodes.DeadlineExceeded,
}

// committed is coded for the end of an upload: unless the error is a clear rejection,
// the acknowledgement may have been lost.
func committed(err error) error {
	switch {
	case err == nil:
		return nil
	case slices.Contains(refusals, gcerrors.Code(err)):
		return errcodes.Wrap(errcodes.StorageUnavailable, "", quiet{err})
	default:
		return errcodes.Wrap(errcodes.OutcomeUnknown, "", quiet{err})
	}
}

var refusals = []gcerrors.ErrorCode{
	gcerrors.NotFound, gcerrors.InvalidArgument, gcerrors.PermissionDenied, gcerrors.FailedPrecondition, gcerrors.ResourceExhausted, gcerrors.Unimplemented,
}

var (
	errEnded   = errcodes.Wrap(errcodes.Conflict, "", errors.New("the file was committed or aborted"))
	errChanged = errcodes.Wrap(errcodes.Conflict, "", errors.New("the file was replaced while it was read"))
	errShort   = errcodes.Wrap(errcodes.StorageUnavailable, "", errors.New("the bucket returned less than the whole file"))
	errClosed  = errcodes.Wrap(errcodes.Conflict, "", errors.New("the file is closed"))
	errOffset  = errcodes.Wrap(errcodes.InvalidRequest, "", errors.New("whence is unknown or the offset is negative"))
)

func ready(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return ports.CheckReportFileName(name)
}
