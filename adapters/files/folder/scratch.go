package folder

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Scratch is a [ports.Scratch] in a directory. It is safe for concurrent use, also by
// several processes.
type Scratch struct {
	root *os.Root
	cfg  Config
}

// spacePrefix starts the name of a space's directory. No report file has such a name,
// so one directory may contain both.
const spacePrefix = ".scratch-"

// NewScratch opens the directory, creates it if it is missing, and removes the spaces
// of dead processes. It returns [errcodes.Configuration] if the directory cannot be
// opened or a value in cfg is invalid, and [errcodes.StorageUnavailable] if a space
// cannot be removed.
func NewScratch(dir string, cfg *Config) (*Scratch, error) {
	c, err := cfg.withDefaults(DefaultScratchStaleAfter)
	if err != nil {
		return nil, err
	}
	root, err := openRoot(dir)
	if err != nil {
		return nil, err
	}
	s := &Scratch{root, c}
	if err := s.sweep(); err != nil {
		return nil, errors.Join(coded(err), root.Close())
	}
	return s, nil
}

// Close releases the directory. Close the spaces first.
func (s *Scratch) Close() error { return coded(s.root.Close()) }

// Open returns an empty space.
func (s *Scratch) Open(ctx context.Context) (ports.ScratchSpace, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	name := spacePrefix + rand.Text()
	if err := s.root.Mkdir(name, dirPerm); err != nil {
		return nil, coded(err)
	}
	root, err := s.root.OpenRoot(name)
	if err != nil {
		return nil, coded(errors.Join(err, s.root.Remove(name)))
	}
	return &space{parent: s.root, name: name, root: root, open: map[*os.File]bool{}}, nil
}

// sweep removes the spaces in which nothing was written for StaleAfter.
func (s *Scratch) sweep() error {
	entries, err := fs.ReadDir(s.root.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), spacePrefix) {
			continue
		}
		if written, err := s.written(e.Name()); err == nil && s.cfg.stale(written) {
			if err := s.root.RemoveAll(e.Name()); err != nil {
				return err
			}
		}
	}
	return nil
}

// written returns the time of the last write in a space.
func (s *Scratch) written(name string) (time.Time, error) {
	var last time.Time
	err := fs.WalkDir(s.root.FS(), name, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
		return err
	})
	return last, err
}

// MaxScratchName bounds the length of a scratch file's name, in bytes.
const MaxScratchName = 64

// scratchBuffer is the size of reads and writes of scratch files, in bytes. A merge has
// many open at once.
const scratchBuffer = 64 << 10

// space is a directory of temporary files.
type space struct {
	parent *os.Root
	name   string
	root   *os.Root
	open   map[*os.File]bool // closed with the space
	closed bool
}

var (
	errClosed      = errcodes.Wrap(errcodes.Conflict, "", errors.New("the space is closed"))
	errScratchName = errcodes.New(errcodes.InvalidRequest, "the name of a scratch file must be 1 to 64 ASCII letters and digits")
)

func (s *space) ready(name string) error {
	if s.closed {
		return errClosed
	}
	if name == "" || len(name) > MaxScratchName || strings.ContainsFunc(name, notWord) {
		return errScratchName
	}
	return nil
}

func notWord(r rune) bool {
	return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
}

// Create starts a file, and replaces one with the same name.
func (s *space) Create(name string) (io.WriteCloser, error) {
	file, err := s.openFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return nil, err
	}
	return &scratchFile{space: s, file: file, out: bufio.NewWriterSize(file, scratchBuffer)}, nil
}

// Open opens a file. It returns [errcodes.NotFound] if there is no such file.
func (s *space) Open(name string) (io.ReadCloser, error) {
	file, err := s.openFile(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	return &scratchFile{space: s, file: file, in: bufio.NewReaderSize(file, scratchBuffer)}, nil
}

func (s *space) openFile(name string, flag int) (*os.File, error) {
	if err := s.ready(name); err != nil {
		return nil, err
	}
	file, err := s.root.OpenFile(name, flag, filePerm)
	if err != nil && flag == os.O_RDONLY {
		return nil, missing(err)
	}
	if err != nil {
		return nil, coded(err)
	}
	s.open[file] = true
	return file, nil
}

// Remove removes a file. A missing file is not an error.
func (s *space) Remove(name string) error {
	if err := s.ready(name); err != nil {
		return err
	}
	if err := s.root.Remove(name); !absent(err) {
		return coded(err)
	}
	return nil
}

// Close closes the open files and removes the directory.
func (s *space) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	var errs []error
	for file := range s.open {
		errs = append(errs, file.Close())
	}
	clear(s.open)
	errs = append(errs, s.root.Close(), s.parent.RemoveAll(s.name))
	return coded(errors.Join(errs...))
}

// scratchFile is a file from Create, with out, or from Open, with in.
type scratchFile struct {
	space *space
	file  *os.File
	out   *bufio.Writer
	in    *bufio.Reader
}

func (f *scratchFile) Write(p []byte) (int, error) {
	n, err := f.out.Write(p)
	return n, coded(err)
}

func (f *scratchFile) Read(p []byte) (int, error) {
	n, err := f.in.Read(p)
	if errors.Is(err, io.EOF) {
		return n, io.EOF
	}
	return n, coded(err)
}

func (f *scratchFile) Close() error {
	if !f.space.open[f.file] {
		return nil
	}
	delete(f.space.open, f.file)
	var err error
	if f.out != nil {
		err = f.out.Flush()
	}
	return coded(errors.Join(err, f.file.Close()))
}
