package file

import (
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/localfile"
	"github.com/corridor-go/corridor/ports"
)

// Source is the Source of the prices.
const Source = "file"

// Feed is a [ports.PriceFeed] out of a file. It is safe for concurrent use.
type Feed struct {
	path string
	cfg  Config

	current  atomic.Pointer[look] // the last good one
	lookedAt atomic.Int64         // Unix nanoseconds of the last look, by the clock

	trouble atomic.Pointer[trouble] // of the last look; nil when it was good
	looking sync.Mutex              // one look at a time
}

type trouble struct{ err error }

// look is what a good look at the file found. It never changes.
type look struct {
	at    time.Time // of the look
	sum   [sha256.Size]byte
	rates map[ports.Pair]rate
	pairs ports.PairSet
}

// New reads the file at path. A file that is missing, broken or larger than
// [MaxBody] is [errcodes.Configuration], and so is a bad value in cfg.
func New(path string, cfg *Config) (*Feed, error) {
	c, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	f := &Feed{path: path, cfg: c}
	if err := f.read(c.Clock.Now()); err != nil {
		return nil, errcodes.Wrap(errcodes.Configuration, "the feed file cannot be used", err)
	}
	return f, nil
}

// Pairs returns the pairs that the file names.
func (f *Feed) Pairs(ctx context.Context) (ports.PairSet, error) {
	if err := ctx.Err(); err != nil {
		return ports.PairSet{}, err
	}
	f.check(f.cfg.Clock.Now())
	return f.current.Load().pairs, nil
}

// Mid returns the pair's price. A pair that the file does not name is
// [errcodes.PairNotOffered]; one whose mid is null, or whose time is later than
// the clock, is [errcodes.PriceUnavailable].
func (f *Feed) Mid(ctx context.Context, pair ports.Pair) (ports.Price, error) {
	if err := ctx.Err(); err != nil {
		return ports.Price{}, err
	}
	now := f.cfg.Clock.Now()
	f.check(now)
	l := f.current.Load()
	r, ok := l.rates[pair]
	at := r.at
	if at.IsZero() {
		at = l.at
	}
	switch {
	case !ok:
		return ports.Price{}, errcodes.New(errcodes.PairNotOffered, "")
	case r.mid == "":
		return ports.Price{}, errcodes.New(errcodes.PriceUnavailable, "")
	case at.After(now) && at.After(f.cfg.Clock.Now()): // another's look may have overtaken this call
		return ports.Price{}, errcodes.Wrap(errcodes.PriceUnavailable, "", errors.New("the price is from the future"))
	default:
		return ports.Price{Pair: pair, Mid: r.mid, Source: Source, At: at}, nil
	}
}

// LastRead returns the time of the last good look at the file, and what was wrong
// at the last look: nil when it was good. It does not look itself.
func (f *Feed) LastRead() (time.Time, error) {
	at := f.current.Load().at
	if t := f.trouble.Load(); t != nil {
		return at, t.err
	}
	return at, nil
}

// check lets one caller look at the file when a look is due; the others go on
// with what is there. A clock that went back makes a look due.
func (f *Feed) check(now time.Time) {
	last := f.lookedAt.Load()
	if age := time.Duration(now.UnixNano() - last); age >= 0 && age < f.cfg.CheckEvery {
		return
	}
	if !f.looking.TryLock() {
		return
	}
	defer f.looking.Unlock()
	if f.lookedAt.Load() == last {
		f.report(f.read(now))
	}
}

// read looks at the file and puts a good version in force.
func (f *Feed) read(now time.Time) error {
	f.lookedAt.Store(now.UnixNano())
	body, err := localfile.Read(f.path, MaxBody)
	if err != nil {
		return err
	}
	next := look{at: ports.Millis(now), sum: sha256.Sum256(body)}
	if last := f.current.Load(); last != nil && last.sum == next.sum {
		next.rates, next.pairs = last.rates, last.pairs
	} else if next.rates, next.pairs, err = table(body); err != nil {
		return err
	}
	f.current.Store(&next)
	return nil
}

func table(body []byte) (map[ports.Pair]rate, ports.PairSet, error) {
	list, err := parse(body)
	if err != nil {
		return nil, ports.PairSet{}, err
	}
	rates, pairs := make(map[ports.Pair]rate, len(list)), make([]ports.Pair, 0, len(list))
	for _, r := range list {
		rates[r.pair] = r
		pairs = append(pairs, r.pair)
	}
	return rates, ports.NewPairSet(pairs...), nil
}

// report keeps the outcome of a look, and logs a trouble once while it lasts.
func (f *Feed) report(err error) {
	was := f.trouble.Load()
	if err == nil {
		f.trouble.Store(nil)
		if was != nil {
			f.cfg.Logger.Info("the feed file is good again", slog.String("path", f.path))
		}
		return
	}
	f.trouble.Store(&trouble{err})
	if was == nil || was.err.Error() != err.Error() {
		f.cfg.Logger.Error("the feed file cannot be used, the last good version stays in force",
			slog.String("path", f.path), slog.Any("error", err))
	}
}
