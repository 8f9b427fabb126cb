package portstest

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

var (
	feedNow = time.Date(2026, time.January, 23, 9, 0, 0, 0, time.UTC)
	usdzar  = ports.Pair{Base: "USD", Quote: "ZAR"}
	usdngn  = ports.Pair{Base: "USD", Quote: "NGN"}
	eurusd  = ports.Pair{Base: "EUR", Quote: "USD"}
)

// verdict is a testing.TB that takes down how a check ends.
type verdict struct {
	testing.TB

	failed, skipped string
}

func (v *verdict) Helper() {}

func (v *verdict) Fatalf(format string, args ...any) {
	v.failed = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (v *verdict) Skipf(format string, args ...any) {
	v.skipped = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// judge runs one check on a harness.
func judge(t *testing.T, c feedCheck, h FeedHarness) *verdict {
	t.Helper()
	v := &verdict{TB: t}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.run(&feedKit{kit{TB: v}, h})
	}()
	<-ended
	return v
}

// bent is a feed that does as the scripted one, but for what a test bends.
type bent struct {
	*ScriptedFeed

	pairs func(ctx context.Context) (ports.PairSet, error)
	mid   func(ctx context.Context, pair ports.Pair) (ports.Price, error)
}

func (b *bent) Pairs(ctx context.Context) (ports.PairSet, error) {
	if b.pairs != nil {
		return b.pairs(ctx)
	}
	return b.ScriptedFeed.Pairs(ctx)
}

func (b *bent) Mid(ctx context.Context, pair ports.Pair) (ports.Price, error) {
	if b.mid != nil {
		return b.mid(ctx, pair)
	}
	return b.ScriptedFeed.Mid(ctx, pair)
}

func script() *ScriptedFeed {
	f := NewScriptedFeed(func() time.Time { return feedNow })
	f.Offer(usdzar, "16.1563")
	f.Offer(usdzar.Inverse(), "0.06189536")
	f.Offer(eurusd, "1.1733")
	f.Drop(usdngn)
	return f
}

func TestPriceFeedPassesASoundFeed(t *testing.T) { PriceFeed(t, sound()) }

func TestPriceFeedSkipsWhatTheHarnessLacks(t *testing.T) {
	for _, c := range feedChecks {
		v := judge(t, c, FeedHarness{Open: sound().Open})
		if v.failed != "" {
			t.Errorf("%s: %s", c.name, v.failed)
		}
		if v.skipped != "" && !strings.Contains(v.skipped, "FeedHarness.") {
			t.Errorf("%s is skipped without a reason: %q", c.name, v.skipped)
		}
	}
}

// TestABrokenFeedOfFewerPairsIsToldWhy: that it offers what it cannot know, not
// that pairs are missing.
func TestABrokenFeedOfFewerPairsIsToldWhy(t *testing.T) {
	h := sound()
	h.Broken = map[string]func(testing.TB) ports.PriceFeed{
		"an error page": func(testing.TB) ports.PriceFeed {
			return &bent{pairs: offers(usdzar), mid: answers(ports.Price{}, errcodes.PriceUnavailable)}
		},
	}
	for _, c := range feedChecks {
		if v := judge(t, c, h); c.name == "a broken answer is no price" && !strings.HasPrefix(v.failed,
			"an error page: Pairs offers [USD/ZAR] though the source has said nothing that can be used, and [EUR/USD USD/NGN USD/ZAR ZAR/USD] once") {
			t.Errorf("the check says %q", v.failed)
		}
	}
}

func TestPriceFeedCatchesWrongFeeds(t *testing.T) {
	mutants := wrongFeeds()
	for _, c := range feedChecks {
		if len(mutants[c.name]) == 0 {
			t.Errorf("no wrong feed shows that this check can fail: %s", c.name)
		}
		for name, h := range mutants[c.name] {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				if v := judge(t, c, h); v.failed == "" {
					t.Errorf("the suite does not catch a feed that %s", name)
				}
			})
		}
		delete(mutants, c.name)
	}
	for name := range mutants {
		t.Errorf("no check has the name %q", name)
	}
}
