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

// Config says what a [Watched] file is. All fields are required.
type Config[V any] struct {
	Path    string
	Name    string // in errors and log lines: "the clients file"
	MaxSize int    // bytes
	Every   time.Duration
	Clock   ports.Clock
	Logger  *slog.Logger
	Parse   func(body []byte) (V, error)
}

// Watched is a file that is read again, at most once in Config.Every and only when
// somebody asks. Its bytes decide whether it has changed, not its time. A version
// that is broken, or gone, is logged once, and the last good one stays in force.
type Watched[V any] struct {
	cfg     Config[V]
	current atomic.Pointer[version[V]]
	last    atomic.Int64            // Unix nanoseconds of the last look, by the clock
	trouble atomic.Pointer[trouble] // of the last look; nil when it was good
	looking sync.Mutex              // one look at a time
}

type trouble struct{ err error }

// version is what a good look found. It never changes.
type version[V any] struct {
	at    time.Time // of the look
	sum   [sha256.Size]byte
	value V
}

// Watch reads the file. If it is missing, too large or broken, Watch returns
// [errcodes.Configuration].
func Watch[V any](cfg Config[V]) (*Watched[V], error) {
	w := &Watched[V]{cfg: cfg}
	if err := w.read(cfg.Clock.Now()); err != nil {
		return nil, errcodes.Wrap(errcodes.Configuration, cfg.Name+" cannot be used", err)
	}
	return w, nil
}

// Current returns the content in force and the time of the last good look, after
// another look if one is due at now. One caller looks; the others go on with what
// is there. A clock that went back makes a look due.
func (w *Watched[V]) Current(now time.Time) (V, time.Time) {
	last := w.last.Load()
	if age := time.Duration(now.UnixNano() - last); (age < 0 || age >= w.cfg.Every) && w.looking.TryLock() {
		defer w.looking.Unlock()
		if w.last.Load() == last {
			w.report(w.read(now))
		}
	}
	current := w.current.Load()
	return current.value, current.at
}

// LastRead returns the time of the last good look, and what was wrong at the last
// one: nil when it was good. It does not look itself.
func (w *Watched[V]) LastRead() (time.Time, error) {
	at := w.current.Load().at
	if t := w.trouble.Load(); t != nil {
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

// report keeps the outcome of a look, and logs a trouble once while it lasts.
func (w *Watched[V]) report(err error) {
	was := w.trouble.Load()
	switch {
	case err != nil:
		w.trouble.Store(&trouble{err})
		if was == nil || was.err.Error() != err.Error() {
			w.cfg.Logger.Error("a file cannot be used, its last good version stays in force", "file", w.cfg.Name, "path", w.cfg.Path, "error", err)
		}
	case was != nil:
		w.trouble.Store(nil)
		w.cfg.Logger.Info("a file is good again", "file", w.cfg.Name, "path", w.cfg.Path)
	}
}
