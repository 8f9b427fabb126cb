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

// bufferSize is how much is written or read at once, in bytes.
const bufferSize = 128 << 10

// newReportFile is a file that is being written under a hidden name.
type newReportFile struct {
	root *os.Root
	file *os.File // nil: the file is over
	buf  *bufio.Writer
	temp string
	name string
}

func newFile(root *os.Root, file *os.File, temp, name string) *newReportFile {
	return &newReportFile{root, file, bufio.NewWriterSize(file, bufferSize), temp, name}
}

var errOver = errcodes.Wrap(errcodes.Conflict, "", errors.New("the file was committed or aborted"))

// Write adds bytes. What does not fit onto the disk may show later, or at Commit.
func (f *newReportFile) Write(p []byte) (int, error) {
	if f.file == nil {
		return 0, errOver
	}
	n, err := f.buf.Write(p)
	return n, coded(err)
}

// Commit flushes the file, gives it its name and flushes that. When the last
// step fails the file stands there, but may be gone after a power cut:
// [errcodes.OutcomeUnknown]. After another error than the context's, all that is
// left to do is Abort.
func (f *newReportFile) Commit(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if f.file == nil {
		return errOver
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

// syncDirs flushes the directories from the file's up to the root: each may be
// new. One that is gone went with the file, in a Remove right after.
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

// Abort throws the file away.
func (f *newReportFile) Abort() error {
	if f.file == nil {
		return nil
	}
	file := f.file
	f.file = nil
	err := f.root.Remove(f.temp)
	prune(f.root, path.Dir(f.temp))
	if absent(err) {
		err = nil // Remove took it
	}
	return coded(errors.Join(err, file.Close()))
}

// openFile is a finished file that is being read.
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

// Seek is refused with errcodes.InvalidRequest for a place before the beginning.
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
