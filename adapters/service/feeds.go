package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/corridor-go/corridor/adapters/feed/chain"
	"github.com/corridor-go/corridor/adapters/feed/ecb"
	"github.com/corridor-go/corridor/adapters/feed/sandbox"
	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/ports"
)

// lookTimeout is below drainTimeout, so that a request that waits for a slow source is
// completed before a stop cuts it off.
const lookTimeout = 5 * time.Second

type feed struct {
	feed  ports.PriceFeed
	check httpserver.Check
}

// reader is a feed that reports the result of its last read.
type reader interface {
	LastRead() (time.Time, error)
}

// openFeeds opens the feeds of --feed, or the sandbox's rates.
func (b *builder) openFeeds() (*feed, error) {
	specs, maxAge := b.settings.Feed, b.settings.maxPriceAge() // older prices cannot be used
	if len(specs) == 0 && !b.settings.Sandbox {
		return nil, fmt.Errorf("a feed is required: --feed %s, or --sandbox", b.parts.feedForms())
	}
	if len(specs) == 0 {
		s, err := sandbox.New(nil)
		return &feed{s, always("feed")}, err
	}
	var feeds []ports.PriceFeed
	for _, spec := range specs {
		f, err := b.openFeed(spec)
		if err != nil {
			return nil, fmt.Errorf("--feed %s: %w", b.parts.feedName(spec), err)
		}
		feeds = append(feeds, f)
	}
	all := feeds[0]
	if len(feeds) > 1 {
		chained, err := chain.New(feeds, &chain.Config{MaxAge: maxAge})
		if err != nil {
			return nil, err
		}
		all = chained
	}
	return &feed{all, httpserver.Check{Name: "feed", Run: readable(all, feeds, maxAge)}}, nil
}

func (b *builder) openFeed(spec string) (ports.PriceFeed, error) {
	kind, source := b.parts.feedKind(spec)
	if kind == nil || source == "" {
		return nil, errors.New("want " + b.parts.feedForms() + b.parts.similarFeed(spec))
	}
	return kind.Open(b.ctx, source, FeedOptions{Logger: b.log, Timeout: lookTimeout})
}

// feedKind returns the row and the source of a feed, or nil if its name is unknown.
func (p Parts) feedKind(spec string) (kind *FeedKind, source string) {
	name, source, _ := strings.Cut(spec, ":")
	i := slices.IndexFunc(p.Feeds, func(k FeedKind) bool { return k.Name == name })
	if i < 0 {
		return nil, source
	}
	return &p.Feeds[i], source
}

// similarFeed returns the hint for a feed whose name is mistyped.
func (p Parts) similarFeed(spec string) string {
	name, _, _ := strings.Cut(spec, ":")
	known := make([]string, len(p.Feeds))
	for i, k := range p.Feeds {
		known[i] = k.Name
	}
	return DidYouMean(name, known)
}

func (p Parts) feedForms() string { return either(p.Feeds, func(k FeedKind) string { return k.Form }) }

// feedName returns a feed of --feed for messages: with its path, but without an address,
// which may contain a key.
func (p Parts) feedName(spec string) string {
	kind, source := p.feedKind(spec)
	if kind != nil && kind.Plain != nil && kind.Plain(source) {
		return spec
	}
	return kindOf(spec)
}

// openECB opens the bank's rates. A file must be readable at the start; an address may
// become available later.
func openECB(ctx context.Context, source string, o FeedOptions) (ports.PriceFeed, error) {
	if ecb.IsPath(source) {
		if err := tryECB(ctx, source); err != nil {
			return nil, err
		}
	}
	return ecb.New(source, &ecb.Config{Logger: o.Logger, Timeout: o.Timeout})
}

// tryECB reads the source once without logging, because the error is returned.
func tryECB(ctx context.Context, source string) error {
	f, err := ecb.New(source, nil)
	if err != nil {
		return err
	}
	if _, err := f.Pairs(ctx); err != nil {
		_, trouble := f.LastRead()
		return cmp.Or(trouble, err)
	}
	return nil
}

// readable is the readiness check of feeds: not ready before any feed has been read,
// degraded while a last read failed or all prices are too old.
func readable(all ports.PriceFeed, feeds []ports.PriceFeed, maxAge time.Duration) func(context.Context) (bool, error) {
	live := &liveness{feed: all, maxAge: maxAge, clock: ports.SystemClock()}
	return func(ctx context.Context) (degraded bool, err error) {
		offered, err := all.Pairs(ctx)
		if err != nil {
			return false, err
		}
		degraded = !live.any(ctx, offered)
		for _, f := range feeds {
			if r, ok := f.(reader); ok {
				if at, err := r.LastRead(); err != nil || at.IsZero() {
					degraded = true
				}
			}
		}
		return degraded, nil
	}
}

// searchEvery is the shortest time between two searches of a liveness.
const searchEvery = 10 * time.Second

// liveness finds out whether any pair has a price that can be locked. Anybody may request
// /readyz, and a feed may offer 27,000 pairs, which take a chain a third of a second. If
// all prices are old, a request must not ask for each of them. So liveness asks first for
// the pair that it found last, which usually is still live, and searches all pairs at most
// once every searchEvery. No smaller choice of pairs is right for every feed: the pairs of
// a file have their own times, and one feed of a chain may be stale while another is not.
type liveness struct {
	feed   ports.PriceFeed
	maxAge time.Duration
	clock  ports.Clock

	mu       sync.Mutex
	found    ports.Pair // by the last successful search
	searched time.Time  // when the last search began
}

// any reports whether any of the pairs on offer is live. After a search it may report false
// for searchEvery although a pair has become live, or the pair found is not live any more.
func (l *liveness) any(ctx context.Context, offered ports.PairSet) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if offered.Has(l.found) && l.live(ctx, l.found) {
		return true
	}
	now := l.clock.Now()
	if age := now.Sub(l.searched); age >= 0 && age < searchEvery {
		return false
	}
	l.searched = now
	for _, pair := range offered.All() {
		if l.live(ctx, pair) {
			l.found = pair
			return true
		}
	}
	return false
}

func (l *liveness) live(ctx context.Context, pair ports.Pair) bool {
	price, err := l.feed.Mid(ctx, pair)
	return err == nil && l.clock.Now().Sub(price.At) <= price.AgeLimit(l.maxAge)
}
