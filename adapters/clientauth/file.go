package clientauth

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/localfile"
	"github.com/corridor-go/corridor/ports"
)

const (
	lookEvery   = time.Second
	maxFileSize = 16 << 20
)

// FileConfig tunes a [File]. The zero value, and nil, mean the defaults.
type FileConfig struct {
	Clock  ports.Clock  // paces the looks at the file; nil: [ports.SystemClock]
	Logger *slog.Logger // gets a line when a version is rejected, and when it is good again; nil: nothing is logged
}

// File is the clients of a JSON file:
//
//	[{"id": "acme", "disabled": false, "merchants": ["…"],
//	  "secrets": [{"sha256": "64 hex digits", "notBefore": "2026-01-01T00:00:00Z", "notAfter": "…"}]}]
//
// All but id may be left out: no merchants means any, no bound means none. It
// is a [Clients].
//
// When somebody asks, but at most once a second, the file is looked at, and read
// again if it has changed. A new version that is broken is logged once, and
// the last good one stays in force; so it does when the file is gone.
type File struct {
	path    string
	clock   ports.Clock
	log     *slog.Logger
	current atomic.Pointer[Static]

	lookedAt atomic.Int64 // nanoseconds, by the clock
	mu       sync.Mutex   // guards what follows
	seen     os.FileInfo  // of the version last read
	settled  bool         // seen was read twice
	readErr  error        // what was wrong with it
	logged   string       // the trouble last logged, until it ends
}

// OpenFile reads the clients file at path. A file that cannot be read or is
// broken is [errcodes.Configuration].
func OpenFile(path string, cfg *FileConfig) (*File, error) {
	c := cmp.Or(cfg, &FileConfig{})
	f := &File{path: path, clock: cmp.Or(c.Clock, ports.SystemClock()), log: cmp.Or(c.Logger, slog.New(slog.DiscardHandler))}
	f.lookedAt.Store(f.clock.Now().UnixNano())
	if err := f.reload(); err != nil {
		return nil, errcodes.Wrap(errcodes.Configuration, "the clients file is unusable", err)
	}
	return f, nil
}

// Client returns the client of id; an unknown one is [errcodes.NotFound].
func (f *File) Client(ctx context.Context, id string) (ports.Client, error) {
	f.look()
	return f.current.Load().Client(ctx, id)
}

// look lets one caller check the file when a look is due; the others go on with
// what is there.
func (f *File) look() {
	now, last := f.clock.Now().UnixNano(), f.lookedAt.Load()
	if age := time.Duration(now - last); age >= 0 && age < lookEvery {
		return
	}
	if !f.lookedAt.CompareAndSwap(last, now) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.report(f.reload())
}

// reload takes a version that it has not seen. Each version is read twice, on
// two looks: a write right behind the first read may leave size and time as
// they were.
func (f *File) reload() error {
	info, err := os.Stat(f.path)
	if err != nil {
		return err
	}
	same := f.seen != nil && unchanged(info, f.seen)
	if same && f.settled {
		return f.readErr
	}
	f.seen, f.settled = info, same
	var data []byte
	if data, f.readErr = localfile.Read(f.path, maxFileSize); f.readErr != nil {
		return f.readErr
	}
	var clients *Static
	if clients, f.readErr = parseFile(data); f.readErr == nil {
		f.current.Store(clients)
	}
	return f.readErr
}

func unchanged(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}

// report logs a trouble once, and its end.
func (f *File) report(err error) {
	switch {
	case err != nil && err.Error() != f.logged:
		f.logged = err.Error()
		f.log.Error("clients file refused, the last good one stays in force", "path", f.path, "error", f.logged)
	case err == nil && f.logged != "":
		f.logged = ""
		f.log.Info("clients file is good again", "path", f.path)
	}
}
