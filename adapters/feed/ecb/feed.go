package ecb

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Feed is a [ports.PriceFeed] with the bank's reference rates. It is safe for
// concurrent use.
type Feed struct {
	cfg    Config
	fetch  fetch
	flight singleflight.Group
	state  atomic.Pointer[state]
}

// state is the result of the reads so far. It never changes.
type state struct {
	table   *table    // of the last successful read; nil: none yet
	readAt  time.Time // time of the last successful read
	tried   bool
	triedAt time.Time // time of the last read
	err     error     // of the last read
}

// New returns a feed that reads source: an https address without a user, such as
// [DailyURL] (http only to this machine), or the path of a file, also with the prefix
// file: or file://. It does not read the source yet. Another kind of source, or an
// invalid value in cfg, is [errcodes.Configuration].
func New(source string, cfg *Config) (*Feed, error) {
	c, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	fetch, err := open(source, c)
	if err != nil {
		return nil, err
	}
	f := &Feed{cfg: c, fetch: fetch}
	f.state.Store(&state{})
	return f, nil
}

// Pairs returns the pairs on offer, from memory. If no read has succeeded yet, it reads
// the source, and returns [errcodes.PriceUnavailable] if that fails.
func (f *Feed) Pairs(ctx context.Context) (ports.PairSet, error) {
	if err := ctx.Err(); err != nil {
		return ports.PairSet{}, err
	}
	if t := f.state.Load().table; t != nil {
		return t.pairs, nil
	}
	t, err := f.current(ctx)
	if err != nil {
		return ports.PairSet{}, err
	}
	return t.pairs, nil
}

// Mid returns the pair's price. It returns [errcodes.PairNotOffered] if the bank has no
// rates for the pair, and [errcodes.PriceUnavailable] if no read has succeeded yet, with
// a RetryAfter of [Config.RetryEvery], or the clock is before the day of the rates.
func (f *Feed) Mid(ctx context.Context, pair ports.Pair) (ports.Price, error) {
	if err := ctx.Err(); err != nil {
		return ports.Price{}, err
	}
	t, err := f.current(ctx)
	if err != nil {
		return ports.Price{}, err
	}
	mid, err := t.mid(pair)
	switch {
	case err != nil:
		return ports.Price{}, err
	case t.at.After(f.cfg.Clock.Now()):
		return ports.Price{}, errcodes.Wrap(errcodes.PriceUnavailable, "", errFuture).WithRetryAfter(t.at.Sub(f.cfg.Clock.Now()))
	default:
		return ports.Price{Pair: pair, Mid: mid, Source: Source, At: t.at, MaxAge: MaxAge}, nil
	}
}

// LastRead returns the time of the last successful read, zero if there was none, and
// the error of the last read, nil if it succeeded or there was none. It does not read
// itself.
func (f *Feed) LastRead() (time.Time, error) {
	s := f.state.Load()
	return s.readAt, s.err
}

// current returns the current table, after a read if one is due. If the last read
// failed, the next may fail slowly: callers that have a price do not wait for it.
func (f *Feed) current(ctx context.Context) (*table, error) {
	s := f.state.Load()
	if f.due(s) {
		looked := f.flight.DoChan("", func() (any, error) { return f.look(ctx), nil })
		if s.table == nil || s.err == nil {
			select {
			case <-looked:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			s = f.state.Load()
		}
	}
	if s.table == nil {
		return nil, errcodes.Wrap(errcodes.PriceUnavailable, "", s.err).WithRetryAfter(f.cfg.RetryEvery)
	}
	return s.table, nil
}

// due reports whether to read again; true also if the clock was set back.
func (f *Feed) due(s *state) bool {
	pause := f.cfg.RefreshEvery
	if s.err != nil {
		pause = f.cfg.RetryEvery
	}
	age := f.cfg.Clock.Now().Sub(s.triedAt)
	return !s.tried || age < 0 || age >= pause
}

// look reads the source and stores the result. It serves all callers that wait, so it
// does not end with the context of the first one.
func (f *Feed) look(ctx context.Context) *state {
	was := f.state.Load()
	if !f.due(was) {
		return was
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), f.cfg.Timeout)
	defer cancel()
	t, now, err := f.read(ctx, was.table)
	next := &state{table: was.table, readAt: was.readAt, tried: true, triedAt: now, err: err}
	if err == nil {
		next.table, next.readAt = t, ports.Millis(now)
	}
	f.log(was, err)
	f.logSkipped(was.table, next.table)
	f.state.Store(next)
	return next
}

// read returns the source's table and the time of the read. It runs in a goroutine of
// singleflight, where a panic of the configured transport would end the process.
func (f *Feed) read(ctx context.Context, last *table) (t *table, now time.Time, err error) {
	defer func() {
		if v := recover(); v != nil {
			t, now, err = nil, f.cfg.Clock.Now(), errcodes.Panicked(errcodes.PriceUnavailable, v)
			f.cfg.Logger.ErrorContext(ctx, "reading the ECB's rates panicked", "error", err, "stack", string(debug.Stack()))
		}
	}()
	body, err := f.fetch(ctx)
	now = f.cfg.Clock.Now()
	if err != nil {
		return nil, now, err
	}
	t, err = read(body, now, last)
	return t, now, err
}

var (
	errFuture = errors.New("the rates are from the future")
	errBack   = errors.New("the rates are older than the current ones")
)

// read parses the source's bytes.
func read(body []byte, now time.Time, last *table) (*table, error) {
	d, err := parse(body)
	if err != nil {
		return nil, err
	}
	t, err := tabulate(d, last)
	switch {
	case err != nil:
		return nil, err
	case t.at.After(now):
		return nil, errFuture
	case last != nil && t.at.Before(last.at):
		return nil, errBack
	default:
		return t, nil
	}
}

// log logs an error when it first occurs, and when it is over.
func (f *Feed) log(was *state, is error) {
	switch {
	case is == nil && was.err != nil:
		f.cfg.Logger.Info("the ECB's rates can be read again")
	case is == nil, was.err != nil && was.err.Error() == is.Error():
	case was.table == nil:
		f.cfg.Logger.Error("the ECB's rates cannot be read, there is no earlier version", slog.Any("error", is))
	default:
		f.cfg.Logger.Error("the ECB's rates cannot be read, the last valid version stays in force", slog.Any("error", is))
	}
}

// logSkipped logs the currencies of the rates that are not offered, when they change.
func (f *Feed) logSkipped(was, is *table) {
	var before, now []string
	if was != nil {
		before = was.skipped
	}
	if is != nil {
		now = is.skipped
	}
	if !slices.Equal(before, now) {
		f.cfg.Logger.Warn("the ECB's rates of currencies without a minor unit in ISO 4217 are skipped",
			slog.Int("count", len(now)), slog.Any("currencies", now))
	}
}
