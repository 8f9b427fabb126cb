package fake_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/fake"
)

var (
	morning = time.Date(2026, time.January, 23, 9, 0, 0, 0, time.UTC)
	zar     = ports.Pair{Base: "USD", Quote: "ZAR"}
)

func scripted() *fake.Feed {
	f := fake.NewFeed(func() time.Time { return morning })
	f.Offer(zar, "16.1563")
	return f
}

func TestScriptedFeedConforms(t *testing.T) {
	portstest.PriceFeed(t, portstest.FeedHarness{
		Now:  func() time.Time { return morning },
		Open: func(testing.TB) ports.PriceFeed { return scripted() },
		NeverRead: func(testing.TB) ports.PriceFeed {
			return fake.NewFeed(func() time.Time { return morning })
		},
		NoLivePrice: func(testing.TB) (ports.PriceFeed, ports.Pair) {
			f := scripted()
			f.Drop(zar)
			return f, zar
		},
		Down: func(testing.TB) (ports.PriceFeed, func()) {
			f := scripted()
			return f, func() { f.Fail(nil) }
		},
	})
}

func TestScriptedFeedFollowsTheScript(t *testing.T) {
	f := scripted()
	for _, step := range []struct {
		name string
		do   func()
		mid  string
		code errcodes.Code
	}{
		{"as offered", func() {}, "16.1563", ""},
		{"drift", func() { f.Set(zar, "17") }, "17", ""},
		{"a bad tick", func() { f.Set(zar, "NaN") }, "NaN", ""},
		{"back again", func() { f.Set(zar, "17") }, "17", ""},
		{"dropped", func() { f.Drop(zar) }, "", errcodes.PriceUnavailable},
		{"set again", func() { f.Set(zar, "18") }, "18", ""},
		{"dead", func() { f.Fail(errors.New("no")) }, "", errcodes.Internal},
		{"alive", func() { f.Recover() }, "18", ""},
		{"withdrawn", func() { f.Withdraw(zar) }, "", errcodes.PairNotOffered},
	} {
		step.do()
		p, err := f.Mid(t.Context(), zar)
		if p.Mid != step.mid || errcodes.Of(err) != step.code {
			t.Errorf("%s: %q, %v; want %q, %q", step.name, p.Mid, err, step.mid, step.code)
		}
	}
	if f.Asked() != 9 {
		t.Errorf("asked %d times, but Asked returned %d", 9, f.Asked())
	}
}

func TestScriptedFeedStampsThePriceWhenItIsSet(t *testing.T) {
	now := morning
	f := fake.NewFeed(func() time.Time { return now })
	f.Offer(zar, "16")
	now = now.Add(time.Hour)
	if p, err := f.Mid(t.Context(), zar); err != nil || !p.At.Equal(morning) {
		t.Errorf("at %s, %v; want %s", p.At, err, morning)
	}
	stale := morning.AddDate(0, 0, -5)
	f.SetAt(zar, "16", stale)
	if p, err := f.Mid(t.Context(), zar); err != nil || !p.At.Equal(stale) {
		t.Errorf("at %s, %v; want %s", p.At, err, stale)
	}
}

func TestScriptedFeedHoldsCalls(t *testing.T) {
	f := scripted()
	release := f.Hold()
	ctx, cancel := context.WithCancel(t.Context())
	patient, impatient := make(chan error, 1), make(chan error, 1)
	go func() { _, err := f.Mid(t.Context(), zar); patient <- err }()
	go func() { _, err := f.Mid(ctx, zar); impatient <- err }()
	f.WaitAsked(2)
	cancel()
	if err := <-impatient; !errors.Is(err, context.Canceled) {
		t.Errorf("the call with the canceled context returned %v", err)
	}
	select {
	case err := <-patient:
		t.Errorf("the other call was not held: %v", err)
	default:
	}
	release()
	release()
	if err := <-patient; err != nil {
		t.Errorf("the other call returned %v", err)
	}
}

func ExampleNewFeed() {
	feed := fake.NewFeed(func() time.Time { return morning })
	feed.Offer(zar, "16.1563")
	feed.Set(zar, "17.0000") // the market drifts

	price, err := feed.Mid(context.Background(), zar)
	fmt.Println(price.Pair, price.Mid, err)

	feed.Fail(nil) // the source fails
	_, err = feed.Mid(context.Background(), zar)
	fmt.Println(errcodes.Of(err))
	// Output:
	// USD/ZAR 17.0000 <nil>
	// price_unavailable
}
