package ecb

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Feed is a [ports.PriceFeed] out of the bank's reference rates. It is safe for
// concurrent use.
type Feed struct {
	cfg    Config
	fetch  fetch
	flight singleflight.Group
	state  atomic.Pointer[state]
}

// state is what the looks have found so far. It never changes.
type state struct {
	table   *table    // of the last good look; nil: there was none
	readAt  time.Time // of the last good look
	tried   bool
	triedAt time.Time // of the last look
	err     error     // of the last look
}

// New returns a feed that reads source: an https address such as [DailyURL] (http
// only to this machine), without a user, or the path of a file, also with file: or
// file:// in front. It does not look yet. A source of another kind, and a bad value in
// cfg, are [errcodes.Configuration].
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

// Pairs returns the pairs on offer, from memory. As long as there was no good
// look it looks, and answers [errcodes.PriceUnavailable] if that fails.
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

// Mid returns the pair's price. A pair that the bank has no rates for is
// [errcodes.PairNotOffered]. While there was no good look, or the clock stands
// before the day of the last one, it is [errcodes.PriceUnavailable].
func (f *Feed) Mid(ctx context.Context, pair ports.Pair) (ports.Price, error) {
	if err := ctx.Err(); err != nil {
		return ports.Price{}, err
	}
	t, err := f.current(ctx)
	if err != nil {
		return ports.Price{}, err
	}
	mid, ok := t.mids[pair]
	switch {
	case !ok:
		return ports.Price{}, errcodes.New(errcodes.PairNotOffered, "")
	case t.at.After(f.cfg.Clock.Now()):
		return ports.Price{}, errcodes.Wrap(errcodes.PriceUnavailable, "", errFuture)
	default:
		return ports.Price{Pair: pair, Mid: mid, Source: Source, At: t.at}, nil
	}
}

// LastRead returns the time of the last good look, zero if there was none, and
// what was wrong at the last look: nil when it was good, or there was none. It
// does not look itself.
func (f *Feed) LastRead() (time.Time, error) {
	s := f.state.Load()
	return s.readAt, s.err
}

// current returns the table in force, after a look if one is due. A source that
// failed last time may be slow to fail again: those who have a price need not
// wait for that.
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
		return nil, errcodes.Wrap(errcodes.PriceUnavailable, "", s.err)
	}
	return s.table, nil
}

// due reports whether it is time for a look. A clock that went back makes it so.
func (f *Feed) due(s *state) bool {
	pause := f.cfg.RefreshEvery
	if s.err != nil {
		pause = f.cfg.RetryEvery
	}
	age := f.cfg.Clock.Now().Sub(s.triedAt)
	return !s.tried || age < 0 || age >= pause
}

// look reads the source and keeps what came of it. It serves all who wait, so it
// does not end with the one who asked first.
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
	f.state.Store(next)
	return next
}

// read returns the source's table, and when it was read. It runs in a goroutine of
// its own, where a panic, of a transport that was plugged in, ends the process.
func (f *Feed) read(ctx context.Context, last *table) (t *table, now time.Time, err error) {
	defer func() {
		if v := recover(); v != nil {
			t, now, err = nil, f.cfg.Clock.Now(), errcodes.Panicked(errcodes.PriceUnavailable, v)
			f.cfg.Logger.ErrorContext(ctx, "the look at the ECB's rates panicked", "error", err, "stack", string(debug.Stack()))
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
	errBack   = errors.New("the rates are older than those in force")
)

// read makes a table out of the source's bytes.
func read(body []byte, now time.Time, last *table) (*table, error) {
	d, err := parse(body)
	if err != nil {
		return nil, err
	}
	t, err := tabulate(d)
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

// log tells of a trouble once while it lasts, and of its end.
func (f *Feed) log(was *state, is error) {
	switch {
	case is == nil && was.err != nil:
		f.cfg.Logger.Info("the ECB's rates can be read again")
	case is == nil, was.err != nil && was.err.Error() == is.Error():
	case was.table == nil:
		f.cfg.Logger.Error("the ECB's rates cannot be read, and there are none from before", slog.Any("error", is))
	default:
		f.cfg.Logger.Error("the ECB's rates cannot be read, the last good ones stay in force", slog.Any("error", is))
	}
}
