package reporttest_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
	"github.com/corridor-go/corridor/ports/portstest/reporttest"
)

// scratch is a correct scratch whose methods a flaw can replace.
type scratch struct {
	memory *fake.Scratch
	fill   func() func()
	files  func() int

	space      func(ctx context.Context) (ports.ScratchSpace, error)
	create     func(s ports.ScratchSpace, name string) (io.WriteCloser, error)
	open       func(s ports.ScratchSpace, name string) (io.ReadCloser, error)
	remove     func(s ports.ScratchSpace, name string) error
	closeSpace func(s ports.ScratchSpace) error
}

func newScratch() *scratch {
	m := fake.NewScratch()
	full := &faultSwitch{}
	m.Fault = full.fault
	return &scratch{
		memory: m, fill: full.fill, files: m.Files, space: m.Open,
		create:     ports.ScratchSpace.Create,
		open:       ports.ScratchSpace.Open,
		remove:     ports.ScratchSpace.Remove,
		closeSpace: ports.ScratchSpace.Close,
	}
}

// faultSwitch simulates a disk that may be full.
type faultSwitch struct {
	mu sync.Mutex
	on bool
}

func (s *faultSwitch) fault(method, _ string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.on && (method == "Write" || method == "Commit") {
		return errcodes.New(errcodes.StorageUnavailable, "")
	}
	return nil
}

func (s *faultSwitch) fill() (empty func()) {
	s.set(true)
	return func() { s.set(false) }
}

func (s *faultSwitch) set(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on = on
}

func (s *scratch) room() reporttest.Room {
	return reporttest.Room{Scratch: s, Files: s.files, Fill: s.fill}
}

func (s *scratch) Open(ctx context.Context) (ports.ScratchSpace, error) {
	inner, err := s.space(ctx)
	if err != nil {
		return nil, err
	}
	return scratchSpace{s, inner}, nil
}

type scratchSpace struct {
	s     *scratch
	inner ports.ScratchSpace
}

func (s scratchSpace) Create(name string) (io.WriteCloser, error) { return s.s.create(s.inner, name) }
func (s scratchSpace) Open(name string) (io.ReadCloser, error)    { return s.s.open(s.inner, name) }
func (s scratchSpace) Remove(name string) error                   { return s.s.remove(s.inner, name) }
func (s scratchSpace) Close() error                               { return s.s.closeSpace(s.inner) }

// spoiltWriter is a file whose Write was replaced by a flaw.
type spoiltWriter struct {
	io.WriteCloser
	write func(p []byte) (int, error)
}

func (w spoiltWriter) Write(p []byte) (int, error) { return w.write(p) }

// onScratchWrite replaces the Write of each file with fn.
func onScratchWrite(fn func(w io.Writer, p []byte) (int, error)) func(s *scratch) {
	return func(s *scratch) {
		create := s.create
		s.create = func(space ports.ScratchSpace, name string) (io.WriteCloser, error) {
			w, err := create(space, name)
			if err != nil {
				return nil, err
			}
			return spoiltWriter{w, func(p []byte) (int, error) { return fn(w, p) }}, nil
		}
	}
}

// renamesScratch applies fn to each name first.
func renamesScratch(fn func(name string) string) func(s *scratch) {
	return func(s *scratch) {
		create, open, remove := s.create, s.open, s.remove
		s.create = func(space ports.ScratchSpace, name string) (io.WriteCloser, error) { return create(space, fn(name)) }
		s.open = func(space ports.ScratchSpace, name string) (io.ReadCloser, error) { return open(space, fn(name)) }
		s.remove = func(space ports.ScratchSpace, name string) error { return remove(space, fn(name)) }
	}
}

// keptBuffer keeps the slices passed to Write and writes them when it is closed.
type keptBuffer struct {
	io.WriteCloser
	kept [][]byte
}

func (w *keptBuffer) Write(p []byte) (int, error) { w.kept = append(w.kept, p); return len(p), nil }
func (w *keptBuffer) Close() error {
	_, err := w.WriteCloser.Write(bytes.Join(w.kept, nil))
	return errors.Join(err, w.WriteCloser.Close())
}

var scratchFlaws = []struct {
	flaw, check string
	spoil       func(s *scratch)
}{
	{"damages a byte", "a file is read back as written", onScratchWrite(func(w io.Writer, p []byte) (int, error) {
		if len(p) > 512<<10 {
			p = bytes.Clone(p)
			p[len(p)-1]++
		}
		return w.Write(p)
	})},
	{"writes less than it was passed", "a file is read back as written", onScratchWrite(func(w io.Writer, p []byte) (int, error) {
		return w.Write(p[:min(len(p), 64<<10)])
	})},
	{"can be read only once", "a file can be opened several times", func(s *scratch) {
		seen := map[string]bool{}
		s.open = func(space ports.ScratchSpace, name string) (io.ReadCloser, error) {
			if seen[name] {
				return nil, errcodes.New(errcodes.Conflict, "")
			}
			seen[name] = true
			return space.Open(name)
		}
	}},
	{"shares one position between the readers of a file", "a file can be opened several times", func(s *scratch) {
		readers := map[string]io.ReadCloser{}
		s.open = func(space ports.ScratchSpace, name string) (r io.ReadCloser, err error) {
			if readers[name] == nil {
				readers[name], err = space.Open(name)
			}
			return readers[name], err
		}
	}},
	{"has room for only 50 files", "many files can be written and read at the same time", func(s *scratch) {
		n := 0
		s.create = func(space ports.ScratchSpace, name string) (io.WriteCloser, error) {
			if n++; n > 50 {
				return nil, errcodes.New(errcodes.StorageUnavailable, "")
			}
			return space.Create(name)
		}
	}},
	{"shares one buffer between all files", "many files can be written and read at the same time", func(s *scratch) {
		var all bytes.Buffer
		onScratchWrite(func(w io.Writer, p []byte) (int, error) {
			all.Write(p)
			if all.Len() < 4096 {
				return len(p), nil
			}
			_, err := w.Write(all.Next(all.Len()))
			return len(p), err
		})(s)
	}},
	{"keeps the writer's buffer", "Write does not keep its argument", func(s *scratch) {
		s.create = func(space ports.ScratchSpace, name string) (io.WriteCloser, error) {
			w, err := space.Create(name)
			return &keptBuffer{WriteCloser: w}, err
		}
	}},
	{"removes nothing", "a removed file is not found, and its name can be reused", func(s *scratch) {
		s.remove = func(ports.ScratchSpace, string) error { return nil }
	}},
	{"keeps the bytes of a removed name", "a removed file is not found, and its name can be reused", func(s *scratch) {
		old := map[string][]byte{}
		s.remove = func(space ports.ScratchSpace, name string) error {
			r, err := space.Open(name)
			if err == nil {
				old[name], err = io.ReadAll(r)
			}
			return errors.Join(err, space.Remove(name))
		}
		s.open = func(space ports.ScratchSpace, name string) (io.ReadCloser, error) {
			r, err := space.Open(name)
			if err == nil && old[name] != nil {
				return io.NopCloser(bytes.NewReader(old[name])), nil
			}
			return r, err
		}
	}},
	{"removes by prefix", "a removed file is not found, and its name can be reused", func(s *scratch) {
		s.remove = func(space ports.ScratchSpace, name string) error {
			return errors.Join(space.Remove(name), space.Remove(name+"0"))
		}
	}},
	{"returns an empty file for a missing one", "a file that was never written is not found", func(s *scratch) {
		s.open = func(space ports.ScratchSpace, name string) (io.ReadCloser, error) {
			r, err := space.Open(name)
			if errcodes.Of(err) == errcodes.NotFound {
				return io.NopCloser(strings.NewReader("")), nil
			}
			return r, err
		}
	}},
	{"returns no code for a missing file", "a file that was never written is not found", func(s *scratch) {
		s.open = func(space ports.ScratchSpace, name string) (io.ReadCloser, error) {
			r, err := space.Open(name)
			return r, broken.Recode(err, errcodes.NotFound, errcodes.StorageUnavailable)
		}
	}},
	{"cleans names", "a name with other than letters and digits is rejected", renamesScratch(func(name string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune("./_- \x00\n\\", r) {
				return -1
			}
			return r
		}, name)
	})},
	{"keeps only 64 letters", "a name with other than letters and digits is rejected", renamesScratch(func(name string) string { return name[:min(len(name), 64)] })},
	{"accepts the empty name", "a name with other than letters and digits is rejected", renamesScratch(func(name string) string {
		if name == "" {
			return "none"
		}
		return name
	})},
	{"rejects capitals", "a name with other than letters and digits is rejected", func(s *scratch) {
		s.create = func(space ports.ScratchSpace, name string) (io.WriteCloser, error) {
			if strings.ToLower(name) != name {
				return nil, errcodes.New(errcodes.InvalidRequest, "")
			}
			return space.Create(name)
		}
	}},
	{"has only one space", "two spaces are independent", func(s *scratch) {
		var only ports.ScratchSpace
		s.space = func(ctx context.Context) (ports.ScratchSpace, error) {
			if only != nil {
				return only, nil
			}
			var err error
			only, err = s.memory.Open(ctx)
			return only, err
		}
	}},
	{"closes all spaces", "two spaces are independent", func(s *scratch) {
		var all []ports.ScratchSpace
		s.space = func(ctx context.Context) (ports.ScratchSpace, error) {
			space, err := s.memory.Open(ctx)
			all = append(all, space)
			return space, err
		}
		s.closeSpace = func(ports.ScratchSpace) (err error) {
			for _, space := range all {
				err = errors.Join(err, space.Close())
			}
			return err
		}
	}},
	{"leaves files behind", "Close removes the space and its files", func(s *scratch) {
		closed := map[ports.ScratchSpace]bool{}
		s.closeSpace = func(space ports.ScratchSpace) error { closed[space] = true; return nil }
		s.create = func(space ports.ScratchSpace, name string) (io.WriteCloser, error) {
			if closed[space] {
				return nil, errcodes.New(errcodes.Conflict, "")
			}
			return space.Create(name)
		}
		s.open = func(space ports.ScratchSpace, name string) (io.ReadCloser, error) {
			if closed[space] {
				return nil, errcodes.New(errcodes.Conflict, "")
			}
			return space.Open(name)
		}
	}},
	{"works after Close", "Close removes the space and its files", func(s *scratch) {
		s.closeSpace = func(ports.ScratchSpace) error { return nil }
	}},
	{"fails on a second Close", "Close removes the space and its files", func(s *scratch) {
		closed := map[ports.ScratchSpace]bool{}
		s.closeSpace = func(space ports.ScratchSpace) error {
			if closed[space] {
				return errors.New("closed already")
			}
			closed[space] = true
			return space.Close()
		}
	}},
	{"limits the number of spaces", "spaces can be used concurrently", func(s *scratch) {
		var mu sync.Mutex
		n := 0
		s.space = func(ctx context.Context) (ports.ScratchSpace, error) {
			mu.Lock()
			defer mu.Unlock()
			if n++; n > 4 {
				return nil, errcodes.New(errcodes.TooManyRequests, "")
			}
			return s.memory.Open(ctx)
		}
	}},
	{"ignores contexts", "a done context returns its code and no space", func(s *scratch) {
		s.space = func(ctx context.Context) (ports.ScratchSpace, error) {
			return s.memory.Open(context.WithoutCancel(ctx))
		}
	}},
	{"has no code for a full disk", "a full disk returns StorageUnavailable", onScratchWrite(func(w io.Writer, p []byte) (int, error) {
		n, err := w.Write(p)
		return n, broken.Recode(err, errcodes.StorageUnavailable, errcodes.Internal)
	})},
	{"loses what does not fit", "a full disk returns StorageUnavailable", onScratchWrite(func(w io.Writer, p []byte) (int, error) {
		_, _ = w.Write(p)
		return len(p), nil
	})},
}

func TestACorrectScratchPassesEveryCheck(t *testing.T) {
	reporttest.Scratch(t, reporttest.ScratchHarness{Open: func(testing.TB) reporttest.Room { return newScratch().room() }})
	for _, check := range reporttest.ScratchCheckNames() {
		sound := newScratch()
		r := broken.Record(t, func(tb testing.TB) { reporttest.RunScratchCheck(tb, check, sound.room()) })
		if r.Failed() || r.Skipped() {
			t.Errorf("%s: failed %t, skipped %t\n%s", check, r.Failed(), r.Skipped(), r.Text())
		}
		if n := sound.memory.Spaces(); n != 0 {
			t.Errorf("the check %s leaves %d spaces open", check, n)
		}
	}
}

func TestEveryFlawOfAScratchIsCaught(t *testing.T) {
	t.Parallel()
	for _, s := range scratchFlaws {
		t.Run(s.flaw, func(t *testing.T) {
			t.Parallel()
			r := broken.Record(t, func(tb testing.TB) {
				flawed := newScratch()
				s.spoil(flawed)
				reporttest.RunScratchCheck(tb, s.check, flawed.room())
			})
			if !r.Failed() {
				t.Errorf("the check %q did not catch it", s.check)
			}
		})
	}
}

func TestEveryCheckOfScratchHasAFlaw(t *testing.T) {
	var caught []string
	for _, s := range scratchFlaws {
		caught = append(caught, s.check)
	}
	wantAllCaught(t, reporttest.ScratchCheckNames(), caught)
}

func TestASuiteOfFilesSkipsWhatTheHarnessLacks(t *testing.T) {
	for name, run := range map[string]func(tb testing.TB){
		"a full disk returns StorageUnavailable and keeps the old file": func(tb testing.TB) {
			reporttest.RunFileCheck(tb, "a full disk returns StorageUnavailable and keeps the old file", reporttest.Files{ReportFiles: fake.NewFiles()})
		},
		"a full disk returns StorageUnavailable": func(tb testing.TB) {
			reporttest.RunScratchCheck(tb, "a full disk returns StorageUnavailable", reporttest.Room{Scratch: fake.NewScratch()})
		},
	} {
		if r := broken.Record(t, run); !r.Skipped() || r.Failed() {
			t.Errorf("%s: skipped %t, failed %t", name, r.Skipped(), r.Failed())
		}
	}
}
