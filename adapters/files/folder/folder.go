package folder

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"github.com/corridor-go/corridor/ports"
)

// Folder is a [ports.ReportFiles] in a directory. It is safe for concurrent use, also
// by several processes.
type Folder struct {
	root *os.Root
	cfg  Config
}

// New opens the directory, and creates it if it is missing. It returns
// [errcodes.Configuration] if that fails or a value in cfg is invalid.
func New(dir string, cfg *Config) (*Folder, error) {
	c, err := cfg.withDefaults(DefaultStaleAfter)
	if err != nil {
		return nil, err
	}
	root, err := openRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Folder{root, c}, nil
}

// Close releases the directory. Open files stay usable, but new ones can no longer be
// committed.
func (f *Folder) Close() error { return coded(f.root.Close()) }

// Create starts a file. It removes leftovers of dead processes with the same name.
func (f *Folder) Create(ctx context.Context, name string) (ports.NewReportFile, error) {
	if err := ready(ctx, name); err != nil {
		return nil, err
	}
	if err := f.sweep(name, f.cfg.stale); err != nil {
		return nil, err
	}
	temp := hidden(name)
	file, err := f.start(temp)
	if err != nil {
		return nil, taken(err)
	}
	return newFile(f.root, file, temp, name), nil
}

// start creates a hidden file and its directories. A Remove may remove an empty
// directory at any moment, but hardly so often in a row. MkdirAll reports that as
// fs.ErrNotExist, or as fs.ErrExist if the directory disappeared between its two
// checks.
func (f *Folder) start(temp string) (*os.File, error) {
	var err error
	for range tries {
		if err = f.root.MkdirAll(path.Dir(temp), dirPerm); errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		var file *os.File
		file, err = f.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, filePerm)
		if !errors.Is(err, fs.ErrNotExist) {
			return file, err
		}
	}
	return nil, err
}

// Open opens a finished file. It can be read to its end, even when it is removed or
// replaced.
func (f *Folder) Open(ctx context.Context, name string) (ports.ReportFile, error) {
	if err := ready(ctx, name); err != nil {
		return nil, err
	}
	err := errChanging
	for range tries {
		var file *openFile
		if file, err = f.open(name); err == nil {
			return file, nil
		}
		if !errors.Is(err, errChanging) {
			break
		}
	}
	return nil, missing(err)
}

// tries bounds how often another process may interfere at the same step.
const tries = 100

var errChanging = errors.New("the file is replaced too often")

// open opens a regular file. It rejects links, directories and pipes, of which the last
// would block.
func (f *Folder) open(name string) (*openFile, error) {
	entry, err := f.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !entry.Mode().IsRegular() {
		return nil, fs.ErrNotExist
	}
	file, err := f.root.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !os.SameFile(entry, info) {
		err = errChanging
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &openFile{file, info}, nil
}

// Remove removes a finished file, and files being written under its name: their Commit
// is then [errcodes.Conflict].
func (f *Folder) Remove(ctx context.Context, name string) error {
	if err := ready(ctx, name); err != nil {
		return err
	}
	if err := f.removeFile(name); err != nil {
		return coded(err)
	}
	if err := f.sweep(name, func(time.Time) bool { return true }); err != nil {
		return err
	}
	prune(f.root, path.Dir(name))
	return nil
}

// removeFile removes a file or a link, and ignores a directory.
func (f *Folder) removeFile(name string) error {
	info, err := f.root.Lstat(name)
	if err == nil && !info.IsDir() {
		err = f.root.Remove(name)
	}
	if absent(err) {
		return nil
	}
	return err
}

// sweep removes the hidden files of the name whose time of the last write is stale.
func (f *Folder) sweep(name string, stale func(written time.Time) bool) error {
	entries, err := fs.ReadDir(f.root.FS(), path.Dir(name))
	if absent(err) {
		return nil
	}
	if err != nil {
		return coded(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), hiddenPrefix(name)) {
			continue
		}
		if info, err := e.Info(); err == nil && stale(info.ModTime()) {
			if err := f.removeFile(path.Join(path.Dir(name), e.Name())); err != nil {
				return coded(err)
			}
		}
	}
	return nil
}

// prune removes empty directories, from dir up. It stops at one that is not empty,
// cannot be removed, or was replaced by a file.
func prune(root *os.Root, dir string) {
	for ; dir != "."; dir = path.Dir(dir) {
		if info, err := root.Lstat(dir); err != nil || !info.IsDir() || root.Remove(dir) != nil {
			return
		}
	}
}

func ready(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return ports.CheckReportFileName(name)
}

// A hidden name is a dot, the file's name, a tilde and random letters. No valid name
// starts with a dot or has a tilde, so hidden names are unambiguous.
func hiddenPrefix(name string) string { return "." + path.Base(name) + "~" }

func hidden(name string) string {
	return path.Join(path.Dir(name), hiddenPrefix(name)+rand.Text())
}
