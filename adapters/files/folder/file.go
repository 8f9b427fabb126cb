package folder

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

// bufferSize is the size of writes, in bytes.
const bufferSize = 128 << 10

// newReportFile is a file that is written under a hidden name.
type newReportFile struct {
	root *os.Root
	file *os.File // nil after Commit or Abort
	buf  *bufio.Writer
	temp string
	name string
}

func newFile(root *os.Root, file *os.File, temp, name string) *newReportFile {
	return &newReportFile{root, file, bufio.NewWriterSize(file, bufferSize), temp, name}
}

var errEnded = errcodes.Wrap(errcodes.Conflict, "", errors.New("the file was committed or aborted"))

// Write adds bytes. A full disk may only show at a later Write or at Commit.
func (f *newReportFile) Write(p []byte) (int, error) {
	if f.file == nil {
		return 0, errEnded
	}
	n, err := f.buf.Write(p)
	return n, coded(err)
}

// Commit flushes the file, renames it to its name and flushes the directories. If the
// last step fails, the file exists but may be lost in a power failure:
// [errcodes.OutcomeUnknown]. After any error other than ctx's, call Abort.
func (f *newReportFile) Commit(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if f.file == nil {
		return errEnded
	}
	if err := errors.Join(f.buf.Flush(), f.file.Sync()); err != nil {
		return coded(err)
	}
	if err := f.root.Rename(f.temp, f.name); err != nil {
		return taken(err)
	}
	file := f.file
	f.file = nil
	if err := errors.Join(file.Close(), f.syncDirs()); err != nil {
		return errcodes.Wrap(errcodes.OutcomeUnknown, "", err)
	}
	return nil
}

// syncDirs flushes the directories from the file's to the root, since each may be new.
// A missing one was removed with the file by a Remove in between.
func (f *newReportFile) syncDirs() error {
	for dir := path.Dir(f.name); ; dir = path.Dir(dir) {
		if err := syncDir(f.root, dir); err != nil && !absent(err) {
			return err
		}
		if dir == "." {
			return nil
		}
	}
}

func syncDir(root *os.Root, dir string) error {
	d, err := root.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Abort removes the file.
func (f *newReportFile) Abort() error {
	if f.file == nil {
		return nil
	}
	file := f.file
	f.file = nil
	err := f.root.Remove(f.temp)
	prune(f.root, path.Dir(f.temp))
	if absent(err) {
		err = nil // Remove has already removed it
	}
	return coded(errors.Join(err, file.Close()))
}

// openFile is a finished file.
type openFile struct {
	file *os.File
	info fs.FileInfo
}

func (f *openFile) Read(p []byte) (int, error) {
	n, err := f.file.Read(p)
	if errors.Is(err, io.EOF) {
		return n, io.EOF
	}
	return n, coded(err)
}

// Seek returns [errcodes.InvalidRequest] for a position before the start.
func (f *openFile) Seek(offset int64, whence int) (int64, error) {
	at, err := f.file.Seek(offset, whence)
	if errors.Is(err, syscall.EINVAL) {
		return at, errcodes.Wrap(errcodes.InvalidRequest, "", err)
	}
	return at, coded(err)
}

func (f *openFile) Close() error       { return coded(f.file.Close()) }
func (f *openFile) Size() int64        { return f.info.Size() }
func (f *openFile) ModTime() time.Time { return f.info.ModTime().UTC() }

// coded wraps an error of the file system with a code.
func coded(err error) error {
	if err == nil {
		return nil
	}
	return errcodes.Wrap(errcodes.StorageUnavailable, "", err)
}

// missing is coded for a file that may not exist.
func missing(err error) error {
	if absent(err) {
		return errcodes.New(errcodes.NotFound, "")
	}
	return coded(err)
}

var errTaken = errcodes.Wrap(errcodes.Conflict, "", errors.New("the file was removed while it was written, or its name is a directory, or a directory in its name is a file"))

// taken is coded for a name that may be in use, or whose directory may be gone.
func taken(err error) error {
	for _, in := range []error{fs.ErrNotExist, fs.ErrExist, syscall.ENOTDIR, syscall.EISDIR, syscall.ENOTEMPTY} {
		if errors.Is(err, in) {
			return errTaken
		}
	}
	return coded(err)
}

// absent reports whether err means that the file does not exist, also because a file
// has the name of its directory.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
