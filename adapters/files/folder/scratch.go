package folder

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/corridor-go/corridor/ports"
)

// Scratch is a [ports.Scratch] in a directory. It is safe for concurrent use,
// also by several processes.
type Scratch struct {
	root *os.Root
	cfg  Config
}

// spacePrefix begins the name of each space's directory. No report file has such
// a name, so that one directory may hold both.
const spacePrefix = ".scratch-"

// NewScratch opens the directory, which it makes where it is missing, and
// removes the spaces of dead processes from it. A directory that cannot be had
// and a bad value in cfg are [errcodes.Configuration]; what cannot be removed is
// [errcodes.StorageUnavailable].
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

// Close lets go of the directory. Close the spaces before.
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

// sweep removes the spaces in which nothing was written for long.
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

// written returns when something was last written in a space.
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
