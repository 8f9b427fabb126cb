package cmd

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/validation"
)

// answered is the result of a request, which may have had no response.
type answered struct {
	status int
	header http.Header
	body   string
	took   time.Duration
	err    error
}

var alone = http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// try sends a request to one address on its own connection. It may be called from any
// goroutine.
func try(ctx context.Context, token, method, url, body string) (a answered) {
	began := time.Now()
	defer func() { a.took = time.Since(began) }()
	request, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return answered{err: err}
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+token)
	answer, err := alone.Do(request)
	if err != nil {
		return answered{err: err}
	}
	text, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close() // the body has been read
	return answered{status: answer.StatusCode, header: answer.Header, body: string(text), err: err}
}

// load creates and cancels rate locks at all addresses until it is stopped.
type load struct {
	stop  func()
	mu    sync.Mutex
	acked map[string]string // the last status that was answered, by the lock's id
	other []answered        // without success
	done  atomic.Int64      // successes
}

func (s *running) load(urls []string, workers int) *load {
	ctx, cancel := context.WithCancel(context.Background())
	l := &load{acked: map[string]string{}}
	var all sync.WaitGroup
	for i := range workers {
		all.Go(func() { l.run(ctx, s.token, urls, i) })
	}
	l.stop = sync.OnceFunc(func() { cancel(); all.Wait() })
	s.t.Cleanup(l.stop)
	return l
}

func (l *load) run(ctx context.Context, token string, urls []string, worker int) {
	pair := `{"base":"USD","quote":"` + []string{"ZAR", "NGN", "KES", "GHS", "EGP", "XOF"}[worker%6] + `"}`
	steady := context.WithoutCancel(ctx) // requests that have begun are completed
	for n := worker; ctx.Err() == nil; n++ {
		<-time.After(10 * time.Millisecond) // like clients, not a benchmark
		created := try(steady, token, http.MethodPost, urls[n%len(urls)]+"/v1/rate-locks", pair)
		id, ok := l.note(created)
		if ok {
			l.note(try(steady, token, http.MethodPost, urls[(n+1)%len(urls)]+"/v1/rate-locks/"+id+"/cancel", ""))
		}
	}
}

func (l *load) note(a answered) (id string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a.err != nil || a.status >= http.StatusBadRequest {
		l.other = append(l.other, a)
		return "", false
	}
	l.done.Add(1)
	id, status := lockOf(a.body)
	if l.acked[id] != "cancelled" { // a response from before the cancel may arrive after it
		l.acked[id] = status
	}
	return id, true
}

// kept requires that every response is still true (I10).
func (l *load) kept(s *running) {
	s.t.Helper()
	require.NotEmpty(s.t, l.acked)
	for id, told := range l.acked {
		status, body := s.do(http.MethodGet, "/v1/rate-locks/"+id, "")
		require.Equal(s.t, http.StatusOK, status, "a lock that was acknowledged")
		if told == "cancelled" {
			require.Equal(s.t, "cancelled", body["status"], "a cancel that was acknowledged")
		}
	}
}

// Each kind of round runs. That rounds do not overlap, are not doubled by processes, and
// that those of drift stay in one is proved in adapters/river.
func TestRoundsAreShared(t *testing.T) {
	t.Parallel()
	s := serveAcme(t, "--sandbox", "--store", shared.empty(t), "--drift-every", "1s")
	const drifts = `corridor_jobs_total{kind="drift",outcome="done"}`
	s.eventually(func() bool { return s.metric(drifts) > 0 }, "no look at the market")
	before := s.metric(drifts)
	s.eventually(func() bool { return s.metric(drifts) >= before+5 }, "no five more")
	for _, kind := range []string{"rate_locks", validation.WorkRecover, authstate.WorkTimeout, "events_1"} {
		s.eventually(func() bool { return s.metric(`corridor_jobs_total{kind="`+kind+`",outcome="done"}`) > 0 }, "no round of "+kind)
	}
	require.Equal(t, len(s.urls), strings.Count(s.log.String(), "no --webhook-url"), "each says that its share of the events reaches nobody")
}
