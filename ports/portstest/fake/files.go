package fake

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Files is a ports.ReportFiles in memory, for tests of code that writes reports.
// It passes reporttest.ReportFiles and is safe for concurrent use. The fields must
// be set before the first call.
type Files struct {
	// Clock sets the files' ModTime; nil means ports.SystemClock.
	Clock ports.Clock
	// Fault can make a call fail before it does anything. The method is Create,
	// Open, Remove, Write or Commit.
	Fault Fault

	mu      sync.Mutex
	files   map[string]memoryFile
	writing int
}

type memoryFile struct {
	data []byte
	at   time.Time
}

// NewFiles returns an empty set of files.
func NewFiles() *Files {
	return &Files{files: map[string]memoryFile{}}
}

// Names returns the names of the committed files in order.
func (m *Files) Names() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.files))
}

// Writing returns the number of files neither committed nor aborted yet.
func (m *Files) Writing() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.writing
}

// Create starts a new file.
func (m *Files) Create(ctx context.Context, name string) (ports.NewReportFile, error) {
	if err := m.ready(ctx, "Create", name); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.writing++
	return &newMemoryFile{files: m, name: name}, nil
}

// Open opens a committed file. A later Remove or Commit does not change it.
func (m *Files) Open(ctx context.Context, name string) (ports.ReportFile, error) {
	if err := m.ready(ctx, "Open", name); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	f, ok := m.files[name]
	if !ok {
		return nil, errcodes.New(errcodes.NotFound, "")
	}
	return &openMemoryFile{Reader: bytes.NewReader(f.data), at: f.at}, nil
}

// Remove removes a committed file.
func (m *Files) Remove(ctx context.Context, name string) error {
	if err := m.ready(ctx, "Remove", name); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.files, name)
	return nil
}

func (m *Files) ready(ctx context.Context, method, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := ports.CheckReportFileName(name); err != nil {
		return err
	}
	return m.Fault.of(method, name)
}

// Fault returns the error that a call is to return, or nil to let it succeed.
type Fault func(method, name string) error

func (f Fault) of(method, name string) error {
	if f == nil {
		return nil
	}
	return f(method, name)
}

type newMemoryFile struct {
	files *Files
	name  string
	data  bytes.Buffer
	part  error // of a Write that failed: the data are incomplete
	over  bool
}

var errFileOver = errcodes.Wrap(errcodes.Conflict, "", errors.New("the file was committed or aborted"))

func (f *newMemoryFile) Write(p []byte) (int, error) {
	if f.over {
		return 0, errFileOver
	}
	if f.part == nil {
		f.part = f.files.Fault.of("Write", f.name)
	}
	if f.part != nil {
		return 0, f.part
	}
	return f.data.Write(p)
}

func (f *newMemoryFile) Commit(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if f.over {
		return errFileOver
	}
	if f.part != nil {
		return f.part
	}
	if err := f.files.Fault.of("Commit", f.name); err != nil {
		return err
	}
	m := f.files
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files[f.name] = memoryFile{f.data.Bytes(), cmp.Or(m.Clock, ports.SystemClock()).Now().UTC()}
	f.over = true
	m.writing--
	return nil
}

func (f *newMemoryFile) Abort() error {
	m := f.files
	m.mu.Lock()
	defer m.mu.Unlock()
	if !f.over {
		f.over = true
		m.writing--
	}
	return nil
}

type openMemoryFile struct {
	*bytes.Reader
	at time.Time
}

func (f *openMemoryFile) ModTime() time.Time { return f.at }
func (f *openMemoryFile) Close() error       { return nil }
