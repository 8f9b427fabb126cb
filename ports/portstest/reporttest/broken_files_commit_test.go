package reporttest_test

import (
	"bytes"
	"context"
	"errors"
	"sync"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
)

var commitFlaws = []flawedFiles{
	{"writes in place", "a file does not exist before Commit", func(s *reportFiles) {
		s.write = func(f ports.NewReportFile, name string, p []byte) (int, error) {
			s.put(name, append(s.contents(name), p...))
			return f.Write(p)
		}
	}},
	{"starts with an empty file", "a file does not exist before Commit", func(s *reportFiles) {
		create := s.create
		s.create = func(ctx context.Context, name string) (ports.NewReportFile, error) {
			s.put(name, nil)
			return create(ctx, name)
		}
	}},
	{"removes the old file first", "Commit replaces the whole file", func(s *reportFiles) {
		create := s.create
		s.create = func(ctx context.Context, name string) (ports.NewReportFile, error) {
			if err := s.memory.Remove(ctx, name); err != nil {
				return nil, err
			}
			return create(ctx, name)
		}
	}},
	{"writes over the beginning of the old file", "Commit replaces the whole file", func(s *reportFiles) {
		s.commit = func(ctx context.Context, f ports.NewReportFile, name string) error {
			old := s.contents(name)
			err := f.Commit(ctx)
			if data := s.contents(name); len(old) > len(data) {
				s.put(name, append(data, old[len(data):]...))
			}
			return err
		}
	}},
	{"commits when it aborts", "Abort discards the new file and keeps the old one", func(s *reportFiles) {
		s.abort = func(f ports.NewReportFile, _ string) error { _ = f.Commit(context.Background()); return nil }
	}},
	{"removes the old file when it aborts", "Abort discards the new file and keeps the old one", func(s *reportFiles) {
		s.abort = func(f ports.NewReportFile, name string) error {
			return errors.Join(s.memory.Remove(context.Background(), name), f.Abort())
		}
	}},
	{"fails on a second Abort", "Abort discards the new file and keeps the old one", func(s *reportFiles) {
		seen := map[ports.NewReportFile]bool{}
		s.abort = func(f ports.NewReportFile, _ string) error {
			if seen[f] {
				return errors.New("aborted already")
			}
			seen[f] = true
			return f.Abort()
		}
	}},
	{"fails on Abort after Commit", "Abort after Commit does nothing", func(s *reportFiles) {
		over := map[ports.NewReportFile]bool{}
		s.commit = func(ctx context.Context, f ports.NewReportFile, _ string) error { over[f] = true; return f.Commit(ctx) }
		s.abort = func(f ports.NewReportFile, _ string) error {
			if over[f] {
				return errors.New("committed already")
			}
			return f.Abort()
		}
	}},
	{"removes by name on Abort after Commit", "Abort after Commit does nothing", func(s *reportFiles) {
		s.abort = func(_ ports.NewReportFile, name string) error { return s.memory.Remove(context.Background(), name) }
	}},
	{"commits what was aborted", "a committed or aborted file rejects writes", func(s *reportFiles) {
		s.abort = func(ports.NewReportFile, string) error { return nil }
	}},
	{"ignores Write after the end", "a committed or aborted file rejects writes", func(s *reportFiles) {
		s.write = func(f ports.NewReportFile, _ string, p []byte) (int, error) {
			n, err := f.Write(p)
			if errcodes.Of(err) == errcodes.Conflict {
				return len(p), nil
			}
			return n, err
		}
	}},
	{"ignores Commit after Abort", "a committed or aborted file rejects writes", func(s *reportFiles) {
		s.commit = func(ctx context.Context, f ports.NewReportFile, _ string) error {
			if err := f.Commit(ctx); errcodes.Of(err) != errcodes.Conflict {
				return err
			}
			return nil
		}
	}},
	{"keeps the writer's buffer", "Write does not keep its argument", func(s *reportFiles) {
		kept := map[ports.NewReportFile][][]byte{}
		s.write = func(f ports.NewReportFile, _ string, p []byte) (int, error) {
			kept[f] = append(kept[f], p)
			return len(p), nil
		}
		s.commit = func(ctx context.Context, f ports.NewReportFile, _ string) error {
			for _, p := range kept[f] {
				if _, err := f.Write(p); err != nil {
					return err
				}
			}
			return f.Commit(ctx)
		}
	}},
	{"wipes the writer's buffer", "Write does not keep its argument", func(s *reportFiles) {
		s.write = func(f ports.NewReportFile, _ string, p []byte) (int, error) {
			n, err := f.Write(p)
			clear(p)
			return n, err
		}
	}},
	{"shares one new file between writers of a name", "concurrent writers of one name leave one complete file", sharedTemp},
	{"rejects a second writer of a name", "concurrent writers of one name leave one complete file", func(s *reportFiles) {
		var mu sync.Mutex
		busy, create := 0, s.create
		s.create = func(ctx context.Context, name string) (ports.NewReportFile, error) {
			mu.Lock()
			defer mu.Unlock()
			if busy++; busy > 1 {
				return nil, errcodes.New(errcodes.Conflict, "")
			}
			return create(ctx, name)
		}
	}},
	{"ignores the context of Create", ctxCheck, func(s *reportFiles) {
		create := s.create
		s.create = func(ctx context.Context, name string) (ports.NewReportFile, error) {
			return create(context.WithoutCancel(ctx), name)
		}
	}},
	{"ignores the context of Open", ctxCheck, func(s *reportFiles) {
		open := s.open
		s.open = func(ctx context.Context, name string) (ports.ReportFile, error) {
			return open(context.WithoutCancel(ctx), name)
		}
	}},
	{"checks the context only after Remove", ctxCheck, func(s *reportFiles) {
		remove := s.remove
		s.remove = func(ctx context.Context, name string) error {
			return broken.OrDone(ctx, remove(context.WithoutCancel(ctx), name))
		}
	}},
	{"checks the context only after Commit", ctxCheck, func(s *reportFiles) {
		s.commit = func(ctx context.Context, f ports.NewReportFile, _ string) error {
			return broken.OrDone(ctx, f.Commit(context.WithoutCancel(ctx)))
		}
	}},
	{"has no code for a full disk", fullCheck, func(s *reportFiles) {
		s.write = func(f ports.NewReportFile, _ string, p []byte) (int, error) {
			n, err := f.Write(p)
			return n, broken.Recode(err, errcodes.StorageUnavailable, errcodes.Internal)
		}
	}},
	{"commits what fitted", fullCheck, func(s *reportFiles) {
		s.commit = func(ctx context.Context, f ports.NewReportFile, name string) error {
			err := f.Commit(ctx)
			if errcodes.Of(err) == errcodes.StorageUnavailable {
				s.put(name, []byte("what fitted"))
				return nil
			}
			return err
		}
	}},
	{"returns an error and commits what fitted", fullCheck, func(s *reportFiles) {
		s.commit = func(ctx context.Context, f ports.NewReportFile, name string) error {
			err := f.Commit(ctx)
			if errcodes.Of(err) == errcodes.StorageUnavailable {
				s.put(name, []byte("what fitted"))
			}
			return err
		}
	}},
	{"stays full", fullCheck, func(s *reportFiles) { s.fill = func() func() { s.memory.Fault = alwaysFull; return func() {} } }},
}

const (
	ctxCheck  = "a done context returns its code and changes nothing"
	fullCheck = "a full disk returns StorageUnavailable and keeps the old file"
)

func alwaysFull(method, _ string) error {
	if method == "Write" {
		return errcodes.New(errcodes.StorageUnavailable, "")
	}
	return nil
}

// sharedTemp writes all new files of a name into one file.
func sharedTemp(s *reportFiles) {
	var mu sync.Mutex
	temp := map[string]*bytes.Buffer{}
	s.write = func(_ ports.NewReportFile, name string, p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		if temp[name] == nil {
			temp[name] = &bytes.Buffer{}
		}
		return temp[name].Write(p)
	}
	s.commit = func(ctx context.Context, f ports.NewReportFile, name string) error {
		mu.Lock()
		defer mu.Unlock()
		if b := temp[name]; b != nil {
			_, _ = f.Write(b.Bytes())
		}
		return f.Commit(ctx)
	}
}
