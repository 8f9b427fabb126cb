package file

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/localfile"
	"github.com/corridor-go/corridor/ports"
)

// Source is the Source of the prices.
const Source = "file"

// Feed is a [ports.PriceFeed] that reads a file. It is safe for concurrent use.
type Feed struct {
	cfg  Config
	file *localfile.Watched[rates]
}

// rates are the content of a file.
type rates struct {
	byPair map[ports.Pair]rate
	pairs  ports.PairSet
}

// New reads the file at path. It returns [errcodes.Configuration] if the file is
// missing, invalid or larger than [MaxBody], or if a value in cfg is invalid.
func New(path string, cfg *Config) (*Feed, error) {
	c, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	file, err := localfile.Watch(localfile.Config[rates]{
		Path: path, Name: "the feed file", MaxSize: MaxBody, Every: c.CheckEvery, Clock: c.Clock, Logger: c.Logger, Parse: table,
		Size: func(r rates) slog.Attr { return slog.Int("pairs", r.pairs.Len()) },
	})
	if err != nil {
		return nil, err
	}
	return &Feed{c, file}, nil
}

// Pairs returns the pairs in the file.
func (f *Feed) Pairs(ctx context.Context) (ports.PairSet, error) {
	if err := ctx.Err(); err != nil {
		return ports.PairSet{}, err
	}
	current, _ := f.file.Current(f.cfg.Clock.Now())
	return current.pairs, nil
}

// Mid returns the pair's price. It returns [errcodes.PairNotOffered] if the pair is not
// in the file, and [errcodes.PriceUnavailable] if its mid is null, with a RetryAfter of
// [Config.CheckEvery], or its time is later than the clock, with one until then.
func (f *Feed) Mid(ctx context.Context, pair ports.Pair) (ports.Price, error) {
	if err := ctx.Err(); err != nil {
		return ports.Price{}, err
	}
	now := f.cfg.Clock.Now()
	current, readAt := f.file.Current(now)
	r, ok := current.byPair[pair]
	at := r.at
	if at.IsZero() {
		at = readAt
	}
	switch {
	case !ok:
		return ports.Price{}, errcodes.New(errcodes.PairNotOffered, "")
	case r.mid == "":
		return ports.Price{}, errcodes.New(errcodes.PriceUnavailable, "").WithRetryAfter(f.cfg.CheckEvery)
	case at.After(now) && at.After(f.cfg.Clock.Now()): // a concurrent call may have read the file after now
		return ports.Price{}, errcodes.Wrap(errcodes.PriceUnavailable, "", errors.New("the price is from the future")).WithRetryAfter(at.Sub(now))
	default:
		return ports.Price{Pair: pair, Mid: r.mid, Source: Source, At: at}, nil
	}
}

// LastRead returns the time of the last successful read of the file, and the error of
// the last read, nil if it succeeded. It does not read itself.
func (f *Feed) LastRead() (time.Time, error) { return f.file.LastRead() }

func table(body []byte) (rates, error) {
	list, err := parse(body)
	if err != nil {
		return rates{}, err
	}
	byPair, pairs := make(map[ports.Pair]rate, len(list)), make([]ports.Pair, 0, len(list))
	for _, r := range list {
		byPair[r.pair] = r
		pairs = append(pairs, r.pair)
	}
	return rates{byPair, ports.NewPairSet(pairs...)}, nil
}
