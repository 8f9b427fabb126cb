package reporttest_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
)

var fileNameFlaws = []flawedFiles{
	{"folds case", "an invalid name is rejected", renames(strings.ToLower)},
	{"trims blanks", "an invalid name is rejected", renames(strings.TrimSpace)},
	{"stops at a NUL", "an invalid name is rejected", renames(broken.Confusions["stops at a NUL"])},
	{"repairs ill text", "an invalid name is rejected", renames(func(s string) string { return strings.ToValidUTF8(s, "") })},
	{"keeps 200 letters", "an invalid name is rejected", renames(func(s string) string { return s[:min(len(s), 200)] })},
	{"cleans two slashes", "an invalid name is rejected", renames(func(s string) string { return strings.ReplaceAll(s, "//", "/") })},
	{"cleans dots", "an invalid name is rejected", renames(func(s string) string { return strings.ReplaceAll(s, "..", "x") })},
	{"trims leading slashes", "an invalid name is rejected", renames(func(s string) string { return strings.TrimLeft(s, "/") })},
	{"accepts the empty name", "an invalid name is rejected", obliging(func(s string) bool { return s == "" })},
	{"accepts hidden names", "an invalid name is rejected", obliging(func(s string) bool { return strings.HasPrefix(s, ".") })},
	{"accepts hidden names in a folder", "an invalid name is rejected", obliging(func(s string) bool { return strings.Contains(s, "/.b") })},
	{"accepts letters of all alphabets", "an invalid name is rejected", obliging(func(s string) bool { return s == "é" })},
	{"reports an invalid name as not found", "an invalid name is rejected", func(s *reportFiles) {
		open := s.open
		s.open = func(ctx context.Context, name string) (ports.ReportFile, error) {
			f, err := open(ctx, name)
			return f, broken.Recode(err, errcodes.InvalidRequest, errcodes.NotFound)
		}
	}},
	{"makes folders flat", "names that look alike are different files", renames(func(s string) string { return strings.ReplaceAll(s, "/", "_") })},
	{"uses only the last part", "names that look alike are different files", renames(func(s string) string { return s[strings.LastIndexByte(s, '/')+1:] })},
	{"trims dots", "names that look alike are different files", renames(func(s string) string { return strings.TrimRight(s, ".") })},
	{"reserves names for temporary files", "names that look alike are different files", func(s *reportFiles) {
		remove := s.remove
		s.remove = func(ctx context.Context, name string) error {
			return errors.Join(remove(ctx, name), s.memory.Remove(ctx, name+".tmp"))
		}
	}},
	{"removes by prefix", "names that look alike are different files", func(s *reportFiles) {
		s.remove = func(ctx context.Context, name string) error {
			for _, have := range s.memory.Names() {
				if strings.HasPrefix(have, name) {
					_ = s.memory.Remove(ctx, have)
				}
			}
			return nil
		}
	}},
	{"rejects long names", "names that look alike are different files", func(s *reportFiles) {
		create := s.create
		s.create = func(ctx context.Context, name string) (ports.NewReportFile, error) {
			if len(name) > 190 {
				return nil, errcodes.New(errcodes.InvalidRequest, "")
			}
			return create(ctx, name)
		}
	}},
	{"returns no code for a missing file", "a missing file is not found, and removing it succeeds", func(s *reportFiles) {
		open := s.open
		s.open = func(ctx context.Context, name string) (ports.ReportFile, error) {
			f, err := open(ctx, name)
			return f, broken.Recode(err, errcodes.NotFound, errcodes.StorageUnavailable)
		}
	}},
	{"returns an error when it removes a missing file", "a missing file is not found, and removing it succeeds", func(s *reportFiles) {
		remove := s.remove
		s.remove = func(ctx context.Context, name string) error {
			if !slices.Contains(s.memory.Names(), name) {
				return errcodes.New(errcodes.NotFound, "")
			}
			return remove(ctx, name)
		}
	}},
	{"opens folders", "the folder of a file is not a file", func(s *reportFiles) {
		open := s.open
		s.open = func(ctx context.Context, name string) (ports.ReportFile, error) {
			if name == "rep_1" {
				return openEmpty(s)
			}
			return open(ctx, name)
		}
	}},
	{"removes folders", "the folder of a file is not a file", func(s *reportFiles) {
		s.remove = func(ctx context.Context, name string) error {
			for _, have := range s.memory.Names() {
				if have == name || strings.HasPrefix(have, name+"/") {
					_ = s.memory.Remove(ctx, have)
				}
			}
			return nil
		}
	}},
}

func openEmpty(s *reportFiles) (ports.ReportFile, error) {
	s.put("empty", nil)
	return s.memory.Open(context.Background(), "empty")
}

var fileReadFlaws = []flawedFiles{
	{"keeps only 4 MiB", "a large file is read back unchanged", func(s *reportFiles) {
		n := map[ports.NewReportFile]int{}
		s.write = func(f ports.NewReportFile, _ string, p []byte) (int, error) {
			if n[f] += len(p); n[f] > 4<<20 {
				return len(p), nil
			}
			return f.Write(p)
		}
	}},
	{"damages a byte", "a large file is read back unchanged", func(s *reportFiles) {
		s.write = func(f ports.NewReportFile, _ string, p []byte) (int, error) {
			if len(p) > 512<<10 {
				p = bytes.Clone(p)
				p[len(p)-1]++
			}
			return f.Write(p)
		}
	}},
	{"loses small writes", "a large file is read back unchanged", func(s *reportFiles) {
		s.write = func(f ports.NewReportFile, _ string, p []byte) (int, error) {
			if len(p) == 1 {
				return 1, nil
			}
			return f.Write(p)
		}
	}},
	{"does not commit an empty file", "an empty file exists", func(s *reportFiles) {
		wrote := map[ports.NewReportFile]bool{}
		s.write = func(f ports.NewReportFile, _ string, p []byte) (int, error) {
			wrote[f] = wrote[f] || len(p) > 0
			return f.Write(p)
		}
		s.commit = func(ctx context.Context, f ports.NewReportFile, _ string) error {
			if !wrote[f] {
				return nil
			}
			return f.Commit(ctx)
		}
	}},
	{"counts the end from the beginning", "a file can be read from any position", func(s *reportFiles) {
		s.seek = func(f ports.ReportFile, offset int64, whence int) (int64, error) {
			if whence == io.SeekEnd && offset != 0 {
				return f.Seek(-offset, io.SeekStart)
			}
			return f.Seek(offset, whence)
		}
	}},
	{"returns a new position but does not move", "a file can be read from any position", func(s *reportFiles) {
		s.seek = func(f ports.ReportFile, offset int64, whence int) (int64, error) {
			old, _ := f.Seek(0, io.SeekCurrent)
			at, err := f.Seek(offset, whence)
			_, _ = f.Seek(old, io.SeekStart)
			return at, err
		}
	}},
	{"seeks in steps of 64 KiB", "a file can be read from any position", func(s *reportFiles) {
		s.seek = func(f ports.ReportFile, offset int64, whence int) (int64, error) {
			at, err := f.Seek(offset, whence)
			if err == nil && at > 1 && at%(64<<10) == 1<<16-1 {
				_, _ = f.Seek(at+1, io.SeekStart)
			}
			return at, err
		}
	}},
	{"stops at the end", "a file can be read from any position", func(s *reportFiles) {
		s.seek = func(f ports.ReportFile, offset int64, whence int) (int64, error) {
			at, err := f.Seek(offset, whence)
			if at > f.Size() {
				return f.Seek(0, io.SeekEnd)
			}
			return at, err
		}
	}},
	{"stops at the beginning", "a file can be read from any position", func(s *reportFiles) {
		s.seek = func(f ports.ReportFile, offset int64, whence int) (int64, error) {
			at, err := f.Seek(offset, whence)
			if err != nil && whence == io.SeekCurrent {
				return f.Seek(0, io.SeekStart)
			}
			return at, err
		}
	}},
	{"accepts an unknown whence", "a file can be read from any position", func(s *reportFiles) {
		s.seek = func(f ports.ReportFile, offset int64, whence int) (int64, error) { return f.Seek(offset, whence%3) }
	}},
	{"shares one position between all readers", "each reader has its own position", func(s *reportFiles) {
		var mu sync.Mutex
		var last ports.ReportFile
		open := s.open
		s.open = func(ctx context.Context, name string) (ports.ReportFile, error) {
			mu.Lock()
			defer mu.Unlock()
			if last != nil && last.Size() > 100_000 {
				return last, nil
			}
			var err error
			last, err = open(ctx, name)
			return last, err
		}
	}},
	{"reads nothing after removal", "an open file survives its removal", func(s *reportFiles) {
		s.read = func(f ports.ReportFile, p []byte) (int, error) {
			if len(s.memory.Names()) == 0 {
				return 0, errors.New("the file was removed")
			}
			return f.Read(p)
		}
	}},
	{"reads the new file", "an open file survives its replacement", func(s *reportFiles) {
		s.read = func(f ports.ReportFile, p []byte) (int, error) {
			now := s.contents("rep_1/report.csv")
			at, _ := f.Seek(0, io.SeekCurrent)
			n, err := f.Read(p)
			if int(at) < len(now) {
				copy(p[:n], now[at:])
			}
			return n, err
		}
	}},
	{"returns the size of the new file", "an open file survives its replacement", func(s *reportFiles) {
		s.size = func(ports.ReportFile) int64 { return int64(len(s.contents("rep_1/report.csv"))) }
	}},
	{"has no date", "ModTime is the time of Commit", func(s *reportFiles) {
		s.dated = func(ports.ReportFile) time.Time { return time.Time{} }
	}},
	{"uses the time of Open", "ModTime is the time of Commit", func(s *reportFiles) {
		n := time.Duration(0)
		s.dated = func(f ports.ReportFile) time.Time { n++; return f.ModTime().Add(n) }
	}},
	{"moves ModTime back", "ModTime is the time of Commit", func(s *reportFiles) {
		s.dated = func(f ports.ReportFile) time.Time {
			if data := s.contents("rep_1/report.csv"); string(data) == "two\n" {
				return f.ModTime().Add(-time.Minute)
			}
			return f.ModTime()
		}
	}},
}
