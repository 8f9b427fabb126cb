package folder

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/corridor-go/corridor/errcodes"
)

// coded returns what the file system refused its code.
func coded(err error) error {
	if err == nil {
		return nil
	}
	return errcodes.Wrap(errcodes.StorageUnavailable, "", err)
}

// missing is coded, for what may not be there.
func missing(err error) error {
	if absent(err) {
		return errcodes.New(errcodes.NotFound, "")
	}
	return coded(err)
}

var errTaken = errcodes.Wrap(errcodes.Conflict, "", errors.New("the file was removed while it was written, or the name of one file is a directory of the other"))

// taken is coded, for what may stand in a file's way, or be gone.
func taken(err error) error {
	for _, in := range []error{fs.ErrNotExist, fs.ErrExist, syscall.ENOTDIR, syscall.EISDIR, syscall.ENOTEMPTY} {
		if errors.Is(err, in) {
			return errTaken
		}
	}
	return coded(err)
}

// absent reports whether nothing stands under a name: neither it nor, where a
// file takes its place, a directory above it.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
