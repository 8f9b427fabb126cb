package webhook_test

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/webhook"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

var compiled = flag.String("receiver", "", "internal/docs/receiver.ts, compiled, which node then runs")

// patience is how long a test waits for a line of another process. Only a hang takes
// longer.
const patience = 2 * time.Minute

// The receivers that the documentation shows.
func TestAReceiverActsOnceOnWhatItsSenderSigned(t *testing.T) {
	t.Run("Go", func(t *testing.T) {
		receiver, err := webhook.NewReceiver(secretsOf(1, 2), nil)
		require.NoError(t, err)
		acted := make(chan string, 100)
		in := &inbox{receiver: receiver, done: map[string]bool{}, act: func(e ports.Event) error {
			acted <- "act on " + e.Kind + " " + e.ID
			return nil
		}}
		var first sync.WaitGroup
		first.Add(atOnce)
		var arrived atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if arrived.Add(1) <= atOnce {
				first.Done()
				first.Wait() // until all have arrived
			}
			in.ServeHTTP(w, r)
		}))
		t.Cleanup(server.Close)
		requireActsOnce(t, server.URL, acted)
	})
	t.Run("TypeScript", func(t *testing.T) {
		if *compiled == "" {
			t.Skip("without -receiver; .ci/full compiles it")
		}
		lines := launch(t, exec.CommandContext(t.Context(), "node", *compiled),
			"PORT=0", "WEBHOOK_SECRETS="+secretOf(1).Reveal()+", "+secretOf(2).Reveal())
		url, listens := strings.CutPrefix(next(t, lines), "listening on ")
		require.True(t, listens, url)
		requireActsOnce(t, url, lines)
	})
}

// requireActsOnce delivers events to the receiver at url, which has the secrets 1 and 2
// and sends a line to acted for each event on which it acts.
func requireActsOnce(t *testing.T, url string, acted <-chan string) {
	t.Helper()
	deliverAtOnce(t, url, event("evt_0", "lock-1"))
	huge := []byte(`"` + strings.Repeat("a", webhook.DefaultMaxBody) + `"`)
	for _, c := range []struct {
		name    string
		secrets []webhook.Secret
		ahead   time.Duration // of the sender's clock
		id      string
		data    []byte
		reason  ports.DeliveryReason // "" means delivered
	}{
		{"an event", secretsOf(1), 0, "evt_1", nil, ""},
		{"the same event again", secretsOf(1), 0, "evt_1", nil, ""},
		{"the same event under another signature", secretsOf(2), time.Minute, "evt_1", nil, ""},
		{"a forged event", secretsOf(9), 0, "evt_forged", nil, "401 Unauthorized"},
		{"an old event", secretsOf(1), -time.Hour, "evt_old", nil, "401 Unauthorized"},
		{"an event of the future", secretsOf(1), time.Hour, "evt_future", nil, "401 Unauthorized"},
		{"an event under the second secret", secretsOf(2), 0, "evt_2", nil, ""},
		{"an event with two signatures", secretsOf(9, 1), 0, "evt_3.active", nil, ""},
		{"an event that is too long", secretsOf(1), 0, "evt_long", huge, "413 Request Entity Too Large"},
		{"the last event", secretsOf(1), 0, "evt_last", nil, ""},
	} {
		e := event(c.id, "lock-1")
		if c.data != nil {
			e.Data = c.data
		}
		sink, err := webhook.New(url, c.secrets, private(portstest.NewClock(time.Now().Add(c.ahead))))
		require.NoError(t, err)
		err = sink.Deliver(t.Context(), e)
		require.NoError(t, sink.Close())
		reason, _ := errors.AsType[ports.DeliveryReason](err)
		require.Equal(t, c.reason, reason, "%s: %v", c.name, err)
		require.Equal(t, c.reason == "", err == nil, "%s: %v", c.name, err)
	}
	require.Equal(t, http.StatusUnauthorized, postChanged(t, url), "a body that was changed on its way")
	for _, id := range []string{"evt_0", "evt_1", "evt_2", "evt_3.active", "evt_last"} {
		require.Equal(t, "act on rate_lock.minted "+id, next(t, acted))
	}
	require.Empty(t, acted)
}

const atOnce = 8

// deliverAtOnce delivers an event several times at the same time, as after answers that were
// lost. The race detector finds a receiver that looks and acts without a lock.
func deliverAtOnce(t *testing.T, url string, e ports.Event) {
	t.Helper()
	sink := newSink(t, url, private(nil))
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			if err := sink.Deliver(t.Context(), e); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// postChanged posts an event with the signature of another, and returns the status.
func postChanged(t *testing.T, url string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader([]byte(`{"id":"evt_5"}`)))
	require.NoError(t, err)
	request.Header = signed(t, secretsOf(1), "evt_5", time.Now(), []byte(`{"id":"evt_4"}`))
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	http.DefaultClient.CloseIdleConnections()
	return answer.StatusCode
}

// launch starts a program for the duration of the test, and returns the lines that it
// prints.
func launch(t *testing.T, program *exec.Cmd, env ...string) <-chan string {
	t.Helper()
	program.Env = append(os.Environ(), env...)
	program.Stderr = os.Stderr
	out, err := program.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, program.Start())
	lines := make(chan string, 100)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(out); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	t.Cleanup(func() {
		require.NoError(t, program.Process.Kill())
		for range lines { //nolint:revive // until its end
		}
		_ = program.Wait() // reports that it was killed
	})
	return lines
}

// next returns the next line.
func next(t *testing.T, lines <-chan string) string {
	t.Helper()
	select {
	case line, open := <-lines:
		require.True(t, open, "the receiver has ended")
		return line
	case <-time.After(patience):
		require.FailNow(t, "the receiver prints nothing")
		return ""
	}
}

func TestAReceiverThatCannotActReceivesTheEventAgain(t *testing.T) {
	s := secretsOf(1)
	receiver, err := webhook.NewReceiver(s, nil)
	require.NoError(t, err)
	tries := 0
	server := httptest.NewServer(&inbox{receiver: receiver, done: map[string]bool{}, act: func(ports.Event) error {
		if tries++; tries == 1 {
			return errcodes.New(errcodes.Unavailable, "the database is down")
		}
		return nil
	}})
	t.Cleanup(server.Close)
	sink := newSink(t, server.URL, private(nil))
	require.Equal(t, errcodes.Unavailable, errcodes.Of(sink.Deliver(t.Context(), event("evt_1", "lock-1"))))
	require.NoError(t, sink.Deliver(t.Context(), event("evt_1", "lock-1")))
	require.NoError(t, sink.Deliver(t.Context(), event("evt_1", "lock-1")))
	require.Equal(t, 2, tries)
}
