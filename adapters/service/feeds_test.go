package service

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/fake"
)

// A stranger's probes of /readyz make a feed do little, also if all its prices are old,
// and the answer is right whichever pair has a price.
func TestProbesAskAFeedForAllItsPairsOnlyOnceInAWhile(t *testing.T) {
	clock := portstest.NewClock(time.Date(2026, time.November, 20, 9, 0, 0, 0, time.UTC))
	feed := fake.NewFeed(clock.Now)
	old := clock.Now().Add(-time.Hour)
	first, last := ports.Pair{Base: "EUR", Quote: "AED"}, ports.Pair{Base: "EUR", Quote: "ZAR"}
	all := []ports.Pair{first, {Base: "EUR", Quote: "GBP"}, {Base: "EUR", Quote: "USD"}, last}
	for _, pair := range all {
		feed.SetAt(pair, "2", old)
	}
	offered := ports.NewPairSet(all...)
	l := &liveness{feed: feed, maxAge: time.Minute, clock: clock}
	for _, step := range []struct {
		name  string
		wait  time.Duration
		set   ports.Pair // to a price of now
		live  bool
		asked int
	}{
		{"all are old", 0, ports.Pair{}, false, 4},
		{"again at once", 0, ports.Pair{}, false, 0},
		{"before a search is due", searchEvery - 1, last, false, 0},
		{"the last one is live", 1, last, true, 4},
		{"the one that was found", 0, ports.Pair{}, true, 1},
		{"another one is live", time.Minute + 1, first, true, 2},
		{"that one is old soon after", time.Minute + 1, ports.Pair{}, false, 5},
		{"and again", 0, ports.Pair{}, false, 1},
	} {
		clock.Advance(step.wait)
		if step.set != (ports.Pair{}) {
			feed.Set(step.set, "3")
		}
		asked := feed.Asked()
		require.Equal(t, step.live, l.any(t.Context(), offered), step.name)
		require.Equal(t, step.asked, feed.Asked()-asked, step.name)
	}
	feed.Drop(first)
	clock.Advance(-time.Hour)
	require.True(t, l.any(t.Context(), offered), "a search is due if the clock was set back")
}
