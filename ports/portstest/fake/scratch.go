package fake

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Scratch is a ports.Scratch in memory, for tests of code that sorts or joins more
// than fits into memory. It passes reporttest.Scratch. Fault must be set before
// the first call.
type Scratch struct {
	// Fault can make a call fail before it does anything. The method is Open for a
	// space (with an empty name), or Create, Write, Read or Remove for a file.
	Fault Fault

	mu     sync.Mutex
	spaces int
	files  int
}

// NewScratch returns a Scratch without spaces.
func NewScratch() *Scratch { return &Scratch{} }

// Spaces returns the number of spaces that are not closed.
func (m *Scratch) Spaces() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.spaces
}

// Files returns the number of files in all spaces.
func (m *Scratch) Files() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.files
}

// Open returns an empty space.
func (m *Scratch) Open(ctx context.Context) (ports.ScratchSpace, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := m.Fault.of("Open", ""); err != nil {
		return nil, err
	}
	m.count(1, 0)
	return &memorySpace{scratch: m, files: map[string][]byte{}}, nil
}

func (m *Scratch) count(spaces, files int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.spaces += spaces
	m.files += files
}

type memorySpace struct {
	scratch *Scratch
	files   map[string][]byte // nil while a file is open for writing
	closed  bool
}

const maxScratchName = 64

func scratchName(name string) bool {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	return name != "" && len(name) <= maxScratchName &&
		!strings.ContainsFunc(name, func(r rune) bool { return !strings.ContainsRune(allowed, r) })
}

func (s *memorySpace) ready(method, name string) error {
	if s.closed {
		return errcodes.Wrap(errcodes.Conflict, "", errors.New("the space is closed"))
	}
	if !scratchName(name) {
		return errcodes.New(errcodes.InvalidRequest, "the name of a scratch file must be 1 to 64 ASCII letters and digits")
	}
	return s.scratch.Fault.of(method, name)
}

func (s *memorySpace) Create(name string) (io.WriteCloser, error) {
	if err := s.ready("Create", name); err != nil {
		return nil, err
	}
	if _, there := s.files[name]; !there {
		s.scratch.count(0, 1)
	}
	s.files[name] = nil
	return &newScratchFile{space: s, name: name}, nil
}

func (s *memorySpace) Open(name string) (io.ReadCloser, error) {
	if err := s.ready("Read", name); err != nil {
		return nil, err
	}
	data, there := s.files[name]
	if !there {
		return nil, errcodes.New(errcodes.NotFound, "")
	}
	if data == nil {
		return nil, errcodes.Wrap(errcodes.Conflict, "", errors.New("the file is still being written"))
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

func (s *memorySpace) Remove(name string) error {
	if err := s.ready("Remove", name); err != nil {
		return err
	}
	if _, there := s.files[name]; there {
		delete(s.files, name)
		s.scratch.count(0, -1)
	}
	return nil
}

func (s *memorySpace) Close() error {
	if !s.closed {
		s.closed = true
		s.scratch.count(-1, -len(s.files))
		clear(s.files)
	}
	return nil
}

type newScratchFile struct {
	space *memorySpace
	name  string
	data  bytes.Buffer
	over  bool
}

func (f *newScratchFile) Write(p []byte) (int, error) {
	if f.over {
		return 0, errFileOver
	}
	if err := f.space.scratch.Fault.of("Write", f.name); err != nil {
		return 0, err
	}
	return f.data.Write(p)
}

func (f *newScratchFile) Close() error {
	if f.over || f.space.closed {
		return nil
	}
	f.over = true
	f.space.files[f.name] = append([]byte{}, f.data.Bytes()...)
	return nil
}
