package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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
		return nil, errors.New("want " + b.parts.feedForms())
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
	return func(ctx context.Context) (degraded bool, err error) {
		offered, err := all.Pairs(ctx)
		if err != nil {
			return false, err
		}
		degraded = !anyLive(ctx, all, offered, maxAge)
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

// anyLive reports whether any pair has a price that can be locked.
func anyLive(ctx context.Context, feed ports.PriceFeed, offered ports.PairSet, maxAge time.Duration) bool {
	for _, pair := range offered.All() {
		price, err := feed.Mid(ctx, pair)
		if err == nil && time.Since(price.At) <= price.AgeLimit(maxAge) {
			return true
		}
	}
	return false
}
