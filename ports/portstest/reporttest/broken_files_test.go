package reporttest_test

import (
	"context"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
	"github.com/corridor-go/corridor/ports/portstest/reporttest"
)

// reportFiles are correct report files whose methods a flaw can replace.
type reportFiles struct {
	memory *fake.Files
	fill   func() func()

	create func(ctx context.Context, name string) (ports.NewReportFile, error)
	open   func(ctx context.Context, name string) (ports.ReportFile, error)
	remove func(ctx context.Context, name string) error
	write  func(f ports.NewReportFile, name string, p []byte) (int, error)
	commit func(ctx context.Context, f ports.NewReportFile, name string) error
	abort  func(f ports.NewReportFile, name string) error
	read   func(f ports.ReportFile, p []byte) (int, error)
	seek   func(f ports.ReportFile, offset int64, whence int) (int64, error)
	size   func(f ports.ReportFile) int64
	dated  func(f ports.ReportFile) time.Time
}

func newFiles() *reportFiles {
	m := fake.NewFiles()
	full := &faultSwitch{}
	m.Fault = full.fault
	return &reportFiles{
		memory: m,
		fill:   full.fill,
		create: m.Create, open: m.Open, remove: m.Remove,
		write:  func(f ports.NewReportFile, _ string, p []byte) (int, error) { return f.Write(p) },
		commit: func(ctx context.Context, f ports.NewReportFile, _ string) error { return f.Commit(ctx) },
		abort:  func(f ports.NewReportFile, _ string) error { return f.Abort() },
		read:   func(f ports.ReportFile, p []byte) (int, error) { return f.Read(p) },
		seek:   func(f ports.ReportFile, offset int64, whence int) (int64, error) { return f.Seek(offset, whence) },
		size:   ports.ReportFile.Size, dated: ports.ReportFile.ModTime,
	}
}

func (s *reportFiles) all() reporttest.Files { return reporttest.Files{ReportFiles: s, Fill: s.fill} }

func (s *reportFiles) Create(ctx context.Context, name string) (ports.NewReportFile, error) {
	f, err := s.create(ctx, name)
	if err != nil {
		return nil, err
	}
	return newFile{s, f, name}, nil
}

func (s *reportFiles) Open(ctx context.Context, name string) (ports.ReportFile, error) {
	f, err := s.open(ctx, name)
	if err != nil {
		return nil, err
	}
	return openFile{f, s}, nil
}

func (s *reportFiles) Remove(ctx context.Context, name string) error { return s.remove(ctx, name) }

type newFile struct {
	s    *reportFiles
	f    ports.NewReportFile
	name string
}

func (f newFile) Write(p []byte) (int, error)      { return f.s.write(f.f, f.name, p) }
func (f newFile) Commit(ctx context.Context) error { return f.s.commit(ctx, f.f, f.name) }
func (f newFile) Abort() error                     { return f.s.abort(f.f, f.name) }

type openFile struct {
	ports.ReportFile
	s *reportFiles
}

func (f openFile) Read(p []byte) (int, error) { return f.s.read(f.ReportFile, p) }
func (f openFile) Seek(offset int64, whence int) (int64, error) {
	return f.s.seek(f.ReportFile, offset, whence)
}
func (f openFile) Size() int64        { return f.s.size(f.ReportFile) }
func (f openFile) ModTime() time.Time { return f.s.dated(f.ReportFile) }

// put stores a file without the flaw.
func (s *reportFiles) put(name string, data []byte) {
	f, err := s.memory.Create(context.Background(), name)
	if err == nil {
		_, _ = f.Write(data)
		_ = f.Commit(context.Background())
	}
}

// contents returns the contents of a file without the flaw.
func (s *reportFiles) contents(name string) []byte {
	f, err := s.memory.Open(context.Background(), name)
	if err != nil {
		return nil
	}
	data, _ := io.ReadAll(f)
	return data
}

type flawedFiles struct {
	flaw, check string
	spoil       func(s *reportFiles)
}

// renames applies fn to each name first.
func renames(fn func(name string) string) func(s *reportFiles) {
	return func(s *reportFiles) {
		create, open, remove := s.create, s.open, s.remove
		s.create = func(ctx context.Context, name string) (ports.NewReportFile, error) { return create(ctx, fn(name)) }
		s.open = func(ctx context.Context, name string) (ports.ReportFile, error) { return open(ctx, fn(name)) }
		s.remove = func(ctx context.Context, name string) error { return remove(ctx, fn(name)) }
	}
}

// obliging accepts some invalid names.
func obliging(bad func(name string) bool) func(s *reportFiles) {
	return renames(func(name string) string {
		if bad(name) {
			return "other"
		}
		return name
	})
}

var fileFlaws = slices.Concat(commitFlaws, fileNameFlaws, fileReadFlaws)

func TestCorrectReportFilesPassEveryCheck(t *testing.T) {
	reporttest.ReportFiles(t, reporttest.FilesHarness{Open: func(testing.TB) reporttest.Files { return newFiles().all() }})
	for _, check := range reporttest.FileCheckNames() {
		r := broken.Record(t, func(tb testing.TB) { reporttest.RunFileCheck(tb, check, newFiles().all()) })
		if r.Failed() || r.Skipped() {
			t.Errorf("%s: failed %t, skipped %t\n%s", check, r.Failed(), r.Skipped(), r.Text())
		}
	}
}

func TestEveryFlawOfReportFilesIsCaught(t *testing.T) {
	t.Parallel()
	for _, s := range fileFlaws {
		t.Run(s.flaw, func(t *testing.T) {
			t.Parallel()
			r := broken.Record(t, func(tb testing.TB) {
				flawed := newFiles()
				s.spoil(flawed)
				reporttest.RunFileCheck(tb, s.check, flawed.all())
			})
			if !r.Failed() {
				t.Errorf("the check %q did not catch it", s.check)
			}
		})
	}
}

func TestEveryCheckOfReportFilesHasAFlaw(t *testing.T) {
	var caught []string
	for _, s := range fileFlaws {
		caught = append(caught, s.check)
	}
	wantAllCaught(t, reporttest.FileCheckNames(), caught)
}

func wantAllCaught(t *testing.T, checks, caught []string) {
	t.Helper()
	for i, check := range checks {
		if !slices.Contains(caught, check) {
			t.Errorf("no flaw shows that the check %q can fail", check)
		}
		if slices.Contains(checks[:i], check) {
			t.Errorf("two checks are named %q", check)
		}
	}
}
