package ecb_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/corridor-go/corridor/adapters/feed/ecb"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const dailyFile, historyFile = "testdata/eurofxref-daily.xml", "testdata/eurofxref-hist-90d.xml"

var (
	// after is shortly after the publication of the daily file in testdata.
	after  = time.Date(2024, time.February, 27, 15, 5, 0, 0, time.UTC)
	noon   = time.Date(2024, time.February, 27, 12, 0, 0, 0, time.UTC)
	eurusd = ports.Pair{Base: "EUR", Quote: "USD"}
	usdzar = ports.Pair{Base: "USD", Quote: "ZAR"}
)

func daily(tb testing.TB) string {
	tb.Helper()
	body, err := os.ReadFile(dailyFile)
	require.NoError(tb, err)
	return string(body)
}

// bank is a source that a test controls, and the feed that reads it.
type bank struct {
	*ecb.Feed

	server *httptest.Server
	clock  *portstest.Clock
	log    *bytes.Buffer

	mu     sync.Mutex
	answer http.HandlerFunc
	asked  int
}

// open returns a feed whose source is answer.
func open(tb testing.TB, answer http.HandlerFunc) *bank {
	tb.Helper()
	b := &bank{clock: portstest.NewClock(after), log: &bytes.Buffer{}, answer: answer}
	b.server = httptest.NewServer(b)
	tb.Cleanup(b.server.Close)
	feed, err := ecb.New(b.server.URL+"/daily.xml?key=canary", &ecb.Config{
		Clock: b.clock, Client: b.server.Client(), Logger: slog.New(slog.NewTextHandler(b.log, nil)),
	})
	require.NoError(tb, err)
	b.Feed = feed
	return b
}

func (b *bank) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	b.asked++
	answer := b.answer
	b.mu.Unlock()
	answer(w, r)
}

func (b *bank) answers(h http.HandlerFunc) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answer = h
}

func (b *bank) times() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.asked
}

func text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// waiting is a context that reports when somebody waits for its end.
type waiting struct {
	context.Context

	once  sync.Once
	waits chan struct{}
}

func (w *waiting) Done() <-chan struct{} {
	w.once.Do(func() { close(w.waits) })
	return w.Context.Done()
}
