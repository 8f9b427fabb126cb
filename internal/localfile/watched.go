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
	Size    func(V) slog.Attr // what log lines say of a new version, such as its number of clients
}

// Watched is a file that is read again when it is used, at most once in Config.Every.
// Changes are detected by its bytes, not by its modification time. A new version is
// logged. A broken or missing version is logged once, and the last valid version remains
// in use.
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
	if _, err := w.read(cfg.Clock.Now()); err != nil {
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

func (w *Watched[V]) read(now time.Time) (changed bool, err error) {
	w.last.Store(now.UnixNano())
	body, err := Read(w.cfg.Path, w.cfg.MaxSize)
	if err != nil {
		return false, err
	}
	next := version[V]{at: ports.Millis(now), sum: sha256.Sum256(body)}
	last := w.current.Load()
	changed = last == nil || last.sum != next.sum
	if !changed {
		next.value = last.value
	} else if next.value, err = w.cfg.Parse(body); err != nil {
		return false, err
	}
	w.current.Store(&next)
	return changed, nil
}

// report stores the result of a read, and logs it if it differs from that of the read
// before.
func (w *Watched[V]) report(changed bool, err error) {
	log := w.cfg.Logger.With("file", w.cfg.Name, "path", w.cfg.Path)
	if err != nil {
		was := w.failure.Swap(&failure{err})
		if was == nil || was.err.Error() != err.Error() {
			log.Error("a file cannot be used, its last valid version remains in use", "error", err)
		}
		return
	}
	switch was := w.failure.Swap(nil); {
	case was != nil:
		log.Info("a file can be used again", w.cfg.Size(w.current.Load().value))
	case changed:
		log.Info("a new version of a file is in use", w.cfg.Size(w.current.Load().value))
	}
}
