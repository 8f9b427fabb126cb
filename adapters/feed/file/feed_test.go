package file_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/feed/file"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

var (
	evening = time.Date(2026, time.November, 20, 18, 0, 0, 0, time.UTC)
	closing = time.Date(2026, time.November, 20, 15, 0, 0, 0, time.UTC)
	usdzar  = ports.Pair{Base: "USD", Quote: "ZAR"}
	usdxof  = ports.Pair{Base: "USD", Quote: "XOF"}
	usdngn  = ports.Pair{Base: "USD", Quote: "NGN"}
)

const rates = `{"rates":[{"base":"USD","quote":"ZAR","mid":"18.2500","at":"2026-11-20T15:00:00Z"},
          {"base":"USD","quote":"NGN","mid":"1420.3537"},
          {"base":"USD","quote":"XOF","mid":null}]}`

// desk is a feed, with the file that it reads and its clock.
type desk struct {
	*file.Feed

	tb    testing.TB
	path  string
	clock *portstest.Clock
	log   *bytes.Buffer
}

func open(tb testing.TB, body string) *desk {
	tb.Helper()
	d := &desk{tb: tb, path: filepath.Join(tb.TempDir(), "rates.json"), clock: portstest.NewClock(evening), log: &bytes.Buffer{}}
	d.write(body)
	feed, err := file.New(d.path, &file.Config{Clock: d.clock, Logger: slog.New(slog.NewTextHandler(d.log, nil))})
	require.NoError(tb, err)
	d.Feed = feed
	return d
}

func (d *desk) write(body string) {
	d.tb.Helper()
	require.NoError(d.tb, os.WriteFile(d.path, []byte(body), 0o600))
}

// later makes the next check of the file due.
func (d *desk) later() { d.clock.Advance(file.DefaultCheckEvery) }

func (d *desk) mid(pair ports.Pair) string {
	d.tb.Helper()
	p, err := d.Mid(d.tb.Context(), pair)
	require.NoError(d.tb, err)
	return p.Mid
}

func one(mid string) string {
	return `{"rates":[{"base":"USD","quote":"ZAR","mid":"` + mid + `"}]}`
}

func TestConforms(t *testing.T) {
	portstest.PriceFeed(t, portstest.FeedHarness{
		Now:         func() time.Time { return evening },
		Open:        func(tb testing.TB) ports.PriceFeed { return open(tb, rates) },
		NoLivePrice: func(tb testing.TB) (ports.PriceFeed, ports.Pair) { return open(tb, rates), usdxof },
		LookAgain: func(tb testing.TB) (ports.PriceFeed, func()) {
			timed := `{"rates":[{"base":"USD","quote":"ZAR","mid":"18.2500","at":"` + closing.Format(time.RFC3339) + `"}]}`
			d := open(tb, timed)
			return d, func() {
				d.write(timed + "\n") // the same content with another size, so it is read again
				d.later()
			}
		},
		Down: func(tb testing.TB) (ports.PriceFeed, func()) {
			d := open(tb, rates)
			return d, func() {
				require.NoError(tb, os.Remove(d.path))
				d.later()
			}
		},
		TooMany: func(tb testing.TB) (ports.PriceFeed, func([]string)) {
			d := open(tb, rates)
			return d, func(currencies []string) {
				rows := make([]string, 0, len(currencies))
				for _, c := range currencies {
					if c != "USD" {
						rows = append(rows, `{"base":"USD","quote":"`+c+`","mid":"2"}`)
					}
				}
				d.write(`{"rates":[` + strings.Join(rows, ",") + `]}`)
				d.later()
			}
		},
	})
}

func TestReadsTheFile(t *testing.T) {
	d := open(t, rates)
	set, err := d.Pairs(t.Context())
	require.NoError(t, err)
	require.Equal(t, []ports.Pair{usdngn, usdxof, usdzar}, set.All())

	got, err := d.Mid(t.Context(), usdzar)
	require.NoError(t, err)
	require.Equal(t, ports.Price{Pair: usdzar, Mid: "18.2500", Source: "file", At: closing}, got)

	got, err = d.Mid(t.Context(), usdngn)
	require.NoError(t, err)
	require.Equal(t, evening, got.At, "without a time, that of the read")

	_, err = d.Mid(t.Context(), usdxof)
	require.Equal(t, errcodes.PriceUnavailable, errcodes.Of(err))
	require.Equal(t, file.DefaultCheckEvery, errcodes.RetryAfterOf(err))
	_, err = d.Mid(t.Context(), usdzar.Inverse())
	require.Equal(t, errcodes.PairNotOffered, errcodes.Of(err))
}

func TestAnEmptyFileOffersNothing(t *testing.T) {
	d := open(t, `{"rates":[]}`)
	set, err := d.Pairs(t.Context())
	require.NoError(t, err)
	require.Zero(t, set.Len())
}

func TestNewRejectsInvalidFiles(t *testing.T) {
	dir := t.TempDir()
	_, err := file.New(filepath.Join(dir, "absent.json"), nil)
	require.Equal(t, errcodes.Configuration, errcodes.Of(err))
	_, err = file.New(dir, nil)
	require.Equal(t, errcodes.Configuration, errcodes.Of(err))
	require.ErrorContains(t, err, "not a regular file")

	path := filepath.Join(dir, "rates.json")
	for name, body := range brokenBodies() {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(path, []byte(body), 0o600))
			_, err := file.New(path, nil)
			require.Equal(t, errcodes.Configuration, errcodes.Of(err), "%v", err)
		})
	}
}

func TestNewRejectsABadCheckEvery(t *testing.T) {
	for _, every := range []time.Duration{-1, file.MaxCheckEvery + 1} {
		_, err := file.New(open(t, rates).path, &file.Config{CheckEvery: every})
		require.Equal(t, errcodes.Configuration, errcodes.Of(err))
		require.ErrorContains(t, err, "1h0m0s")
	}
}

func TestAChangedFileIsRead(t *testing.T) {
	for name, replace := range map[string]func(d *desk, body string){
		"written in place": (*desk).write,
		"replaced by rename": func(d *desk, body string) {
			require.NoError(t, os.WriteFile(d.path+".new", []byte(body), 0o600))
			require.NoError(t, os.Rename(d.path+".new", d.path))
		},
		"of the same size at the same time": func(d *desk, body string) {
			was, err := os.Stat(d.path)
			require.NoError(t, err)
			d.write(body)
			require.NoError(t, os.Chtimes(d.path, was.ModTime(), was.ModTime()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, one("18.25"))
			replace(d, one("18.26"))
			require.Equal(t, "18.25", d.mid(usdzar), "no check is due")
			d.later()
			require.Equal(t, "18.26", d.mid(usdzar))
		})
	}
}

func TestThePairsFollowTheFile(t *testing.T) {
	d := open(t, one("18.25"))
	d.write(`{"rates":[{"base":"USD","quote":"NGN","mid":"1500"}]}`)
	d.later()
	set, err := d.Pairs(t.Context())
	require.NoError(t, err)
	require.Equal(t, []ports.Pair{usdngn}, set.All())
	require.Equal(t, 1, strings.Count(d.log.String(), "a new version of a file is in use"), d.log)
	require.Contains(t, d.log.String(), "pairs=1")
}

func TestABrokenVersionDoesNotReplaceTheLastValidOne(t *testing.T) {
	for name, body := range brokenBodies() {
		t.Run(name, func(t *testing.T) {
			d := open(t, rates)
			d.write(body)
			for range 3 {
				d.later()
				require.Equal(t, "18.2500", d.mid(usdzar))
			}
			got, err := d.Mid(t.Context(), usdngn)
			require.NoError(t, err)
			require.Equal(t, evening, got.At, "the time is unchanged")
			at, err := d.LastRead()
			require.Error(t, err)
			require.Equal(t, evening, at)
			require.Equal(t, 1, strings.Count(d.log.String(), "level=ERROR"), d.log)

			d.write(one("19"))
			d.later()
			require.Equal(t, "19", d.mid(usdzar))
			at, err = d.LastRead()
			require.NoError(t, err)
			require.Equal(t, d.clock.Now(), at)
			require.Equal(t, 1, strings.Count(d.log.String(), "can be used again"), d.log)
		})
	}
}

func TestAPriceFromTheFutureIsUnavailable(t *testing.T) {
	d := open(t, `{"rates":[{"base":"USD","quote":"ZAR","mid":"18.25","at":"2026-11-20T18:00:00.001Z"}]}`)
	_, err := d.Mid(t.Context(), usdzar)
	require.Equal(t, errcodes.PriceUnavailable, errcodes.Of(err))
	require.Equal(t, time.Millisecond, errcodes.RetryAfterOf(err))
	d.clock.Advance(time.Millisecond)
	require.Equal(t, "18.25", d.mid(usdzar))
}

func TestAClockThatIsSetBackMakesACheckDue(t *testing.T) {
	d := open(t, one("18.25"))
	d.write(one("18.26"))
	d.clock.Advance(-time.Hour)
	got, err := d.Mid(t.Context(), usdzar)
	require.NoError(t, err)
	require.Equal(t, "18.26", got.Mid)
	require.Equal(t, d.clock.Now(), got.At)
}

// hurried is a clock that advances by a millisecond per call, and lets other goroutines
// run first.
type hurried struct {
	ports.Clock

	reads atomic.Int64
}

func (c *hurried) Now() time.Time {
	now := c.Clock.Now().Add(time.Duration(c.reads.Add(1)) * time.Millisecond)
	runtime.Gosched()
	return now
}

// If another caller reads the file after this caller has read the clock, the new price
// is not from the future.
func TestAConcurrentReadIsNotFromTheFuture(t *testing.T) {
	d := open(t, one("18.25"))
	feed, err := file.New(d.path, &file.Config{Clock: &hurried{Clock: d.clock}, CheckEvery: 1})
	require.NoError(t, err)
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			for range 4000 {
				if _, err := feed.Mid(t.Context(), usdzar); err != nil {
					t.Error(err, errors.Unwrap(err))
					return
				}
			}
		})
	}
	callers.Wait()
}

func TestReadersAndAWriterRace(t *testing.T) {
	d := open(t, one("1"))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if _, err := d.Mid(t.Context(), usdzar); err != nil {
					t.Error(err)
				}
				if _, err := d.Pairs(t.Context()); err != nil {
					t.Error(err)
				}
				if at, _ := d.LastRead(); at.IsZero() {
					t.Error("the file was never read")
				}
				d.later()
			}
		})
	}
	for i := range 50 {
		d.write(one(strconv.Itoa(i + 1)))
	}
	wg.Wait()
	d.later()
	require.Equal(t, "50", d.mid(usdzar))
}

func ExampleNew() {
	dir, err := os.MkdirTemp("", "rates")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "rates.json")
	body := `{"rates":[{"base":"USD","quote":"ZAR","mid":"18.2500","at":"2026-11-20T15:00:00Z"}]}`
	if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	feed, err := file.New(path, &file.Config{Clock: portstest.NewClock(evening)})
	if err != nil {
		fmt.Println(err)
		return
	}
	price, err := feed.Mid(context.Background(), ports.Pair{Base: "USD", Quote: "ZAR"})
	fmt.Println(price.Pair, price.Mid, price.At.Format(time.RFC3339), err)
	// Output: USD/ZAR 18.2500 2026-11-20T15:00:00Z <nil>
}
