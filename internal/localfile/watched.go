package localfile

import (
	"crypto/sha256"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Config configures a [Watched] file. All fields are required.
type Config[V any] struct {
	Path    string
	Name    string // in errors and log lines, such as "the clients file"
	MaxSize int    // bytes
	Every   time.Duration
	Clock   ports.Clock
	Logger  *slog.Logger
	Parse   func(body []byte) (V, error)
}

// Watched is a file that is read again when it is used, at most once in Config.Every.
// Changes are detected by its bytes, not by its modification time. A broken or missing
// version is logged once, and the last valid version remains in use.
type Watched[V any] struct {
	cfg     Config[V]
	current atomic.Pointer[version[V]]
	last    atomic.Int64            // Unix nanoseconds of the last read, by the clock
	failure atomic.Pointer[failure] // error of the last read, or nil
	reading sync.Mutex              // held while reading
}

type failure struct{ err error }

// version is the immutable result of a successful read.
type version[V any] struct {
	at    time.Time // time of the read
	sum   [sha256.Size]byte
	value V
}

// Watch reads the file. It returns [errcodes.Configuration] if the file is missing, too
// large or broken.
func Watch[V any](cfg Config[V]) (*Watched[V], error) {
	w := &Watched[V]{cfg: cfg}
	if err := w.read(cfg.Clock.Now()); err != nil {
		return nil, errcodes.Wrap(errcodes.Configuration, cfg.Name+" cannot be used", err)
	}
	return w, nil
}

// Current returns the valid content and the time of the last successful read. If a read
// is due at now, the first caller reads while the others get the present content. A read
// is also due if the clock has gone back.
func (w *Watched[V]) Current(now time.Time) (V, time.Time) {
	last := w.last.Load()
	if age := time.Duration(now.UnixNano() - last); (age < 0 || age >= w.cfg.Every) && w.reading.TryLock() {
		defer w.reading.Unlock()
		if w.last.Load() == last {
			w.report(w.read(now))
		}
	}
	current := w.current.Load()
	return current.value, current.at
}

// LastRead returns the time of the last successful read, and the error of the last read
// or nil. It does not read the file.
func (w *Watched[V]) LastRead() (time.Time, error) {
	at := w.current.Load().at
	if t := w.failure.Load(); t != nil {
		return at, t.err
	}
	return at, nil
}

func (w *Watched[V]) read(now time.Time) error {
	w.last.Store(now.UnixNano())
	body, err := Read(w.cfg.Path, w.cfg.MaxSize)
	if err != nil {
		return err
	}
	next := version[V]{at: ports.Millis(now), sum: sha256.Sum256(body)}
	if last := w.current.Load(); last != nil && last.sum == next.sum {
		next.value = last.value
	} else if next.value, err = w.cfg.Parse(body); err != nil {
		return err
	}
	w.current.Store(&next)
	return nil
}

// report stores the result of a read. It logs a lasting error only once.
func (w *Watched[V]) report(err error) {
	was := w.failure.Load()
	switch {
	case err != nil:
		w.failure.Store(&failure{err})
		if was == nil || was.err.Error() != err.Error() {
			w.cfg.Logger.Error("a file cannot be used, its last valid version remains in use", "file", w.cfg.Name, "path", w.cfg.Path, "error", err)
		}
	case was != nil:
		w.failure.Store(nil)
		w.cfg.Logger.Info("a file can be used again", "file", w.cfg.Name, "path", w.cfg.Path)
	}
}
