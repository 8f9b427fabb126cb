package portstest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

var (
	feedNow = time.Date(2026, time.January, 23, 9, 0, 0, 0, time.UTC)
	usdzar  = ports.Pair{Base: "USD", Quote: "ZAR"}
	usdngn  = ports.Pair{Base: "USD", Quote: "NGN"}
	eurusd  = ports.Pair{Base: "EUR", Quote: "USD"}
)

// judge runs one check on a harness.
func judge(t *testing.T, c feedCheck, h FeedHarness) *broken.Recorder {
	t.Helper()
	return broken.Record(t, func(tb testing.TB) { c.Run(&feedKit{kit.Kit{TB: tb}, h}) })
}

// bent is the scripted feed with parts that a test replaces.
type bent struct {
	*fake.Feed

	pairs func(ctx context.Context) (ports.PairSet, error)
	mid   func(ctx context.Context, pair ports.Pair) (ports.Price, error)
}

func (b *bent) Pairs(ctx context.Context) (ports.PairSet, error) {
	if b.pairs != nil {
		return b.pairs(ctx)
	}
	return b.Feed.Pairs(ctx)
}

func (b *bent) Mid(ctx context.Context, pair ports.Pair) (ports.Price, error) {
	if b.mid != nil {
		return b.mid(ctx, pair)
	}
	return b.Feed.Mid(ctx, pair)
}

func script() *fake.Feed {
	f := fake.NewFeed(func() time.Time { return feedNow })
	f.Offer(usdzar, "16.1563")
	f.Offer(usdzar.Inverse(), "0.06189536")
	f.Offer(eurusd, "1.1733")
	f.Drop(usdngn)
	return f
}

func TestPriceFeedPassesACorrectFeed(t *testing.T) { PriceFeed(t, sound()) }

func TestPriceFeedSkipsWhatTheHarnessLacks(t *testing.T) {
	for _, c := range feedChecks {
		v := judge(t, c, FeedHarness{Open: sound().Open})
		if v.Failed() {
			t.Errorf("%s: %s", c.Name, v.Text())
		}
		if v.Skipped() && !strings.Contains(v.Text(), "FeedHarness.") {
			t.Errorf("%s is skipped without a reason: %q", c.Name, v.Text())
		}
	}
}

// TestPriceFeedNamesGuessedPairs: the message must be that the feed offers pairs
// that it cannot know, not that pairs are missing.
func TestPriceFeedNamesGuessedPairs(t *testing.T) {
	h := sound()
	h.Broken = map[string]func(testing.TB) ports.PriceFeed{
		"an error page": func(testing.TB) ports.PriceFeed {
			return &bent{pairs: offers(usdzar), mid: answers(ports.Price{}, errcodes.PriceUnavailable)}
		},
	}
	for _, c := range feedChecks {
		if v := judge(t, c, h); c.Name == "a broken answer does not become a price" && !strings.HasPrefix(v.Text(),
			"an error page: Pairs returned [USD/ZAR] before the source had a valid answer, and [EUR/USD USD/NGN USD/ZAR ZAR/USD] afterwards") {
			t.Errorf("the check says %q", v.Text())
		}
	}
}

func TestPriceFeedCatchesWrongFeeds(t *testing.T) {
	mutants := wrongFeeds()
	for _, c := range feedChecks {
		if len(mutants[c.Name]) == 0 {
			t.Errorf("no wrong feed shows that the check %q can fail", c.Name)
		}
		for name, h := range mutants[c.Name] {
			t.Run(c.Name+"/"+name, func(t *testing.T) {
				if v := judge(t, c, h); !v.Failed() {
					t.Errorf("the suite does not catch a feed that %s", name)
				}
			})
		}
		delete(mutants, c.Name)
	}
	for name := range mutants {
		t.Errorf("there is no check %q", name)
	}
}
