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

// quiet keeps a provider's words out of an error's text.
type quiet struct{ err error }

func (q quiet) Error() string { return "the bucket says " + gcerrors.Code(q.err).String() }
func (q quiet) Unwrap() error { return q.err }

// coded returns what the bucket refused its code.
func coded(err error) error {
	if err == nil {
		return nil
	}
	return errcodes.Wrap(cmp.Or(codes[gcerrors.Code(err)], errcodes.StorageUnavailable), "", quiet{err})
}

var codes = map[gcerrors.ErrorCode]errcodes.Code{ //nolint:exhaustive // the others are the store's trouble
	gcerrors.NotFound:         errcodes.NotFound,
	gcerrors.Canceled:         errcodes.Canceled,
	gcerrors.DeadlineExceeded: errcodes.DeadlineExceeded,
}

// committed is coded, for the end of an upload: what is no clear refusal may be
// an acknowledgement that was lost.
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
	errOver    = errcodes.Wrap(errcodes.Conflict, "", errors.New("the file was committed or aborted"))
	errChanged = errcodes.Wrap(errcodes.Conflict, "", errors.New("the file was replaced while it was read"))
	errShort   = errcodes.Wrap(errcodes.StorageUnavailable, "", errors.New("the bucket gave less than the whole file"))
	errClosed  = errcodes.Wrap(errcodes.Conflict, "", errors.New("the file is closed"))
	errPlace   = errcodes.Wrap(errcodes.InvalidRequest, "", errors.New("no place in a file"))
)

func ready(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return ports.CheckReportFileName(name)
}
