package ecb_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/feed/ecb"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

func TestConforms(t *testing.T) {
	broken := map[string]func(testing.TB) ports.PriceFeed{}
	for name, answer := range badAnswers(t) {
		broken[name] = func(tb testing.TB) ports.PriceFeed { return open(tb, answer) }
	}
	for name, h := range map[string]portstest.FeedHarness{
		"from an address": {
			Open:      func(tb testing.TB) ports.PriceFeed { return open(tb, text(daily(tb))) },
			NeverRead: func(tb testing.TB) ports.PriceFeed { return open(tb, status(http.StatusBadGateway)) },
			Down: func(tb testing.TB) (ports.PriceFeed, func()) {
				b := open(tb, text(daily(tb)))
				return b, func() {
					b.answers(status(http.StatusBadGateway))
					b.clock.Advance(ecb.DefaultRefreshEvery)
				}
			},
			LookAgain: func(tb testing.TB) (ports.PriceFeed, func()) {
				b := open(tb, text(daily(tb)))
				return b, func() { lookAgain(tb, b.Feed, b.clock) }
			},
			TooMany: func(tb testing.TB) (ports.PriceFeed, func([]string)) {
				b := open(tb, text(daily(tb)))
				return b, func(currencies []string) {
					b.answers(text(currenciesOf("2024-02-27", currencies)))
					b.clock.Advance(ecb.DefaultRefreshEvery)
				}
			},
			Broken: broken,
		},
		"from a file": {
			Open: func(tb testing.TB) ports.PriceFeed { return fromFile(tb, dailyFile) },
			NeverRead: func(tb testing.TB) ports.PriceFeed {
				return fromFile(tb, filepath.Join(tb.TempDir(), "absent.xml"))
			},
			LookAgain: func(tb testing.TB) (ports.PriceFeed, func()) {
				clock := portstest.NewClock(after)
				feed, err := ecb.New(dailyFile, &ecb.Config{Clock: clock})
				require.NoError(tb, err)
				return feed, func() { lookAgain(tb, feed, clock) }
			},
		},
	} {
		h.Now = func() time.Time { return after }
		t.Run(name, func(t *testing.T) { portstest.PriceFeed(t, h) })
	}
}

// lookAgain makes the feed read its source again, and waits for the answer.
func lookAgain(tb testing.TB, feed *ecb.Feed, clock *portstest.Clock) {
	tb.Helper()
	clock.Advance(ecb.DefaultRefreshEvery)
	require.Eventually(tb, func() bool {
		_, err := feed.Mid(tb.Context(), eurusd)
		require.NoError(tb, err)
		at, err := feed.LastRead()
		return err == nil && at.After(after)
	}, time.Minute, time.Millisecond)
}

func fromFile(tb testing.TB, source string) *ecb.Feed {
	tb.Helper()
	feed, err := ecb.New(source, &ecb.Config{Clock: portstest.NewClock(after)})
	require.NoError(tb, err)
	return feed
}

// badAnswers returns answers that must be rejected.
func badAnswers(tb testing.TB) map[string]http.HandlerFunc {
	tb.Helper()
	good := daily(tb)
	answers := map[string]http.HandlerFunc{
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/elsewhere" {
				text(good)(w, r)
				return
			}
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		},
		"status 500":        status(http.StatusInternalServerError),
		"status 204":        status(http.StatusNoContent),
		"one byte too many": text(good + strings.Repeat(" ", ecb.DefaultMaxBody-len(good)+1)),
		"half an answer": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9999")
			_, _ = w.Write([]byte(good))
		},
	}
	for name, body := range badBodies(good) {
		answers[name] = text(body)
	}
	return answers
}

func TestABadAnswerDoesNotReplaceTheLastValidOne(t *testing.T) {
	for name, answer := range badAnswers(t) {
		t.Run(name, func(t *testing.T) {
			b := open(t, text(daily(t)))
			was, err := b.Mid(t.Context(), usdzar)
			require.NoError(t, err)
			b.answers(answer)
			for range 3 {
				b.clock.Advance(ecb.DefaultRefreshEvery)
				is, err := b.Mid(t.Context(), usdzar)
				require.NoError(t, err)
				require.Equal(t, was, is)
			}
			at, err := b.LastRead()
			require.Error(t, err)
			require.Equal(t, after, at)
			require.NotContains(t, err.Error(), "canary")

			b.answers(text(daily(t)))
			require.Eventually(t, func() bool {
				b.clock.Advance(ecb.DefaultRetryEvery)
				_, err := b.Mid(t.Context(), usdzar)
				require.NoError(t, err)
				_, err = b.LastRead()
				return err == nil
			}, time.Minute, time.Millisecond)
			require.NotContains(t, b.log.String(), "canary")
			require.Equal(t, 1, strings.Count(b.log.String(), "level=ERROR"), b.log)
			require.Equal(t, 1, strings.Count(b.log.String(), "read again"), b.log)
		})
	}
}

func TestYesterdaysRatesKeepTheirTime(t *testing.T) {
	b := open(t, text(daily(t)))
	b.clock.Advance(5 * 24 * time.Hour)
	got, err := b.Mid(t.Context(), eurusd)
	require.NoError(t, err)
	require.Equal(t, noon, got.At)
}

func TestOlderRatesAreRejected(t *testing.T) {
	b := open(t, text(daily(t)))
	_, err := b.Pairs(t.Context())
	require.NoError(t, err)
	b.answers(text(strings.Replace(strings.Replace(daily(t), "2024-02-27", "2024-02-26", 1), "1.0856", "1.2", 1)))
	b.clock.Advance(ecb.DefaultRefreshEvery)
	got, err := b.Mid(t.Context(), eurusd)
	require.NoError(t, err)
	require.Equal(t, "1.0856", got.Mid)
}

func TestCorrectedRatesOfADayAreAccepted(t *testing.T) {
	b := open(t, text(daily(t)))
	_, err := b.Pairs(t.Context())
	require.NoError(t, err)
	b.answers(text(strings.Replace(daily(t), "1.0856", "1.0865", 1)))
	b.clock.Advance(ecb.DefaultRefreshEvery)
	got, err := b.Mid(t.Context(), eurusd)
	require.NoError(t, err)
	require.Equal(t, "1.0865", got.Mid)
}

func TestReadsArePaced(t *testing.T) {
	b := open(t, status(http.StatusInternalServerError))
	look := func(wait time.Duration, want int) {
		t.Helper()
		b.clock.Advance(wait)
		_, _ = b.Mid(t.Context(), usdzar)
		require.Eventually(t, func() bool { return b.times() == want }, time.Minute, time.Millisecond)
	}
	look(0, 1)
	look(ecb.DefaultRetryEvery-1, 1)
	b.answers(text(daily(t)))
	look(1, 2)
	look(ecb.DefaultRefreshEvery-1, 2)
	look(1, 3)
	look(-time.Hour, 4)
}

func TestConcurrentCallersShareOneRead(t *testing.T) {
	const callers = 32
	release, arrived := make(chan struct{}), make(chan struct{}, callers)
	good := daily(t)
	b := open(t, func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-release
		text(good)(w, r)
	})
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			var err error
			if i%2 == 0 {
				_, err = b.Mid(t.Context(), usdzar)
			} else {
				_, err = b.Pairs(t.Context())
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	<-arrived
	close(release)
	wg.Wait()
	require.Equal(t, 1, b.times())
}

func TestACanceledCallerDoesNotEndTheReadOfOthers(t *testing.T) {
	release, arrived := make(chan struct{}), make(chan struct{})
	good := daily(t)
	b := open(t, func(w http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-release
		text(good)(w, r)
	})
	ctx, cancel := context.WithCancel(t.Context())
	first, second := make(chan error, 1), make(chan error, 1)
	go func() { _, err := b.Mid(ctx, usdzar); first <- err }()
	<-arrived
	joined := &waiting{Context: t.Context(), waits: make(chan struct{})}
	go func() { _, err := b.Mid(joined, usdzar); second <- err }()
	<-joined.waits
	cancel()
	require.ErrorIs(t, <-first, context.Canceled)
	close(release)
	require.NoError(t, <-second)
	require.Equal(t, 1, b.times())
}

// If there is a price, only the first read that fails is waited for.
func TestCallersDoNotWaitForAFailingSource(t *testing.T) {
	b := open(t, text(daily(t)))
	_, err := b.Mid(t.Context(), usdzar)
	require.NoError(t, err)
	b.answers(status(http.StatusBadGateway))
	b.clock.Advance(ecb.DefaultRefreshEvery)
	_, err = b.Mid(t.Context(), usdzar)
	require.NoError(t, err)

	release, arrived := make(chan struct{}), make(chan struct{})
	b.answers(func(w http.ResponseWriter, _ *http.Request) {
		close(arrived)
		<-release
		w.WriteHeader(http.StatusBadGateway)
	})
	b.clock.Advance(ecb.DefaultRetryEvery)
	_, failure := b.LastRead()
	got, err := b.Mid(t.Context(), usdzar)
	require.NoError(t, err)
	require.Equal(t, noon, got.At)
	_, err = b.LastRead()
	require.Equal(t, failure, err, "Mid returned before the read had ended")
	<-arrived
	close(release)
}

func TestThereIsNoPriceBeforeTheDay(t *testing.T) {
	b := open(t, text(daily(t)))
	_, err := b.Mid(t.Context(), usdzar)
	require.NoError(t, err)
	b.clock.Set(noon.Add(-time.Millisecond))
	_, err = b.Mid(t.Context(), usdzar)
	require.Equal(t, errcodes.PriceUnavailable, errcodes.Of(err))
}

func TestLastRead(t *testing.T) {
	b := open(t, status(http.StatusBadGateway))
	at, err := b.LastRead()
	require.NoError(t, err)
	require.True(t, at.IsZero())
	_, err = b.Mid(t.Context(), usdzar)
	require.Equal(t, errcodes.PriceUnavailable, errcodes.Of(err))
	at, err = b.LastRead()
	require.ErrorContains(t, err, "502")
	require.True(t, at.IsZero())
}

func TestTheLogSaysWhetherThereIsAValidVersion(t *testing.T) {
	const inForce, noEarlier = "stays in force", "no earlier version"
	b := open(t, status(http.StatusBadGateway))
	look := func(wait time.Duration, answer http.HandlerFunc) string {
		b.log.Reset()
		b.answers(answer)
		b.clock.Advance(wait)
		_, _ = b.Mid(t.Context(), usdzar)
		return b.log.String()
	}
	said := look(0, status(http.StatusBadGateway))
	require.Contains(t, said, noEarlier)
	require.NotContains(t, said, inForce)
	require.Empty(t, look(ecb.DefaultRetryEvery, status(http.StatusBadGateway)), "the same error")
	said = look(ecb.DefaultRetryEvery, status(http.StatusInternalServerError))
	require.Contains(t, said, noEarlier, "another error")
	require.NotContains(t, said, inForce)
	require.Contains(t, look(ecb.DefaultRetryEvery, text(daily(t))), "read again")
	said = look(ecb.DefaultRefreshEvery, status(http.StatusBadGateway))
	require.Contains(t, said, inForce)
	require.NotContains(t, said, noEarlier)
}

// The largest day that is used has the euro and 299 other currencies.
func TestUnknownCurrenciesAreSkippedUpToTheBound(t *testing.T) {
	all := []string{"USD", "ZAR", "XAU", "XTS"}
	for i := 0; len(all) < ports.MaxFeedCurrencies; i++ {
		if code := "Q" + string(rune('A'+i/26)) + string(rune('A'+i%26)); code != "QAR" {
			all = append(all, code)
		}
	}
	b := open(t, text(currenciesOf("2024-02-27", all[:len(all)-1])))
	set, err := b.Pairs(t.Context())
	require.NoError(t, err)
	require.Equal(t, "[EUR/USD EUR/ZAR USD/EUR USD/ZAR ZAR/EUR ZAR/USD]", fmt.Sprint(set.All()))
	_, err = b.Mid(t.Context(), ports.Pair{Base: "EUR", Quote: "XAU"})
	require.Equal(t, errcodes.PairNotOffered, errcodes.Of(err))

	_, err = open(t, text(currenciesOf("2024-02-27", all))).Pairs(t.Context())
	require.Equal(t, errcodes.PriceUnavailable, errcodes.Of(err))
	require.ErrorContains(t, err, "more than 300 currencies")
}

func TestSkippedCurrenciesAreLoggedWhenTheyChange(t *testing.T) {
	b := open(t, nil)
	for i, day := range []struct{ currencies, logged string }{
		{"USD", ""},
		{"USD QQB QQA", "count=2 currencies=\"[QQA QQB]\""},
		{"USD QQA QQB", ""},
		{"USD ZAR QQA QQB", ""},
		{"USD ZAR QQA QQC", "count=2 currencies=\"[QQA QQC]\""},
		{"USD ZAR", "count=0"},
		{"USD ZAR", ""},
	} {
		b.log.Reset()
		b.answers(text(currenciesOf("2024-02-27", strings.Fields(day.currencies))))
		b.clock.Advance(ecb.DefaultRefreshEvery)
		_, err := b.Mid(t.Context(), eurusd)
		require.NoError(t, err)
		if day.logged == "" {
			require.NotContains(t, b.log.String(), "skipped", i)
		} else {
			require.Equal(t, 1, strings.Count(b.log.String(), "are skipped"), b.log)
			require.Contains(t, b.log.String(), day.logged, i)
		}
	}
}

// A set of all currencies is large, so another day does not build it again.
func TestTheSetOfPairsIsBuiltOnceForItsCurrencies(t *testing.T) {
	b := open(t, nil)
	set := func(day string, currencies ...string) ports.PairSet {
		b.answers(text(currenciesOf(day, currencies)))
		b.clock.Advance(ecb.DefaultRefreshEvery)
		_, err := b.Mid(t.Context(), eurusd)
		require.NoError(t, err)
		set, err := b.Pairs(t.Context())
		require.NoError(t, err)
		return set
	}
	first := set("2024-02-26", "USD", "ZAR")
	require.True(t, first == set("2024-02-27", "ZAR", "USD", "QQQ"), "the same set")
	require.True(t, set("2024-02-27", "USD", "GBP").Has(ports.Pair{Base: "USD", Quote: "GBP"}))
	require.Equal(t, 2, set("2024-02-27", "USD").Len())
}

func ExampleNew() {
	clock := portstest.NewClock(time.Date(2024, time.February, 27, 16, 0, 0, 0, time.UTC))
	feed, err := ecb.New("testdata/eurofxref-daily.xml", &ecb.Config{Clock: clock}) // or ecb.DailyURL
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, pair := range []ports.Pair{{Base: "EUR", Quote: "USD"}, {Base: "USD", Quote: "EUR"}, {Base: "USD", Quote: "ZAR"}} {
		price, err := feed.Mid(context.Background(), pair)
		fmt.Println(price.Pair, price.Mid, price.At.Format(time.RFC3339), err)
	}
	// Output:
	// EUR/USD 1.0856 2024-02-27T12:00:00Z <nil>
	// USD/EUR 0.9211495947 2024-02-27T12:00:00Z <nil>
	// USD/ZAR 19.13411938 2024-02-27T12:00:00Z <nil>
}
