package cmd

import (
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/postgres/pgtest"
)

// ownServer is a database server that the test may stop.
func ownServer(t *testing.T) (c *pgtest.Cluster, store string) {
	t.Helper()
	c = pgtest.New(t, nil)
	return c, withPool(c.Database(t, tables), "8")
}

// mayWait is how long a request may take: Config.AcquireTimeout and Timeout of
// adapters/postgres are 7 s, and the rest is for a busy machine.
const mayWait = 30 * time.Second

// requireAway requires a valid response for a database that is unavailable or was lost
// during a change.
func (l *load) requireAway(t *testing.T) {
	t.Helper()
	for _, a := range l.other {
		require.NoError(t, a.err)
		require.Less(t, a.took, mayWait)
		require.True(t, strings.HasPrefix(a.body, `{"message":"`), a.body)
		if a.status != http.StatusInternalServerError {
			require.Equal(t, http.StatusServiceUnavailable, a.status, a.body)
			continue
		}
		require.Contains(t, a.body, "outcome_unknown", "the one reason for a 500")
	}
}

// Requests fail in time while the database is unavailable. Afterwards everything
// continues by itself, and nothing acknowledged is lost (I10).
func TestTheServiceRecoversWhenTheDatabaseReturns(t *testing.T) {
	onlyFull(t, "it compares durations of requests, and servers go away for seconds")
	t.Parallel()
	for name, c := range map[string]struct {
		leave, back func(c *pgtest.Cluster) error
	}{
		"it stops": {
			func(c *pgtest.Cluster) error { return c.Stop(pgtest.Fast) },
			func(c *pgtest.Cluster) error { return c.Start() },
		},
		"it hangs": {
			func(c *pgtest.Cluster) error { return c.Pause() },
			func(c *pgtest.Cluster) error { return c.Resume() },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cluster, store := ownServer(t)
			r := receiving(t, nil)
			s := serveHooks(t, store, r)
			l := s.load(s.urls, 4)
			s.eventually(func() bool { return l.done.Load() > 40 }, "no load")
			require.NoError(t, c.leave(cluster))
			gone := time.Now()
			for _, url := range s.urls {
				require.Equal(t, http.StatusOK, try(t.Context(), "", http.MethodGet, url+"/livez", "").status)
				ready := try(t.Context(), "", http.MethodGet, url+"/readyz", "")
				require.Equal(t, http.StatusServiceUnavailable, ready.status)
				require.Contains(t, ready.body, `{"status":"unavailable","failing":["store"`)
				token := try(t.Context(), "", http.MethodPost, url+"/v1/auth/oauth2/token", `{"client_id":"acme","client_secret":"`+acmeSecret+`"}`)
				require.Equal(t, http.StatusServiceUnavailable, token.status)
				require.JSONEq(t, `{"error":"Authentication service unavailable"}`, token.body)
				require.Less(t, token.took, mayWait)
			}
			for time.Since(gone) < 3*time.Second {
				a := try(t.Context(), s.token, http.MethodPost, s.next("create")+"/v1/rate-locks", `{"base":"EUR","quote":"ZAR"}`)
				require.Equal(t, http.StatusServiceUnavailable, a.status, a.body)
				require.Contains(t, a.body, `"statusCode":503`)
				require.Less(t, a.took, mayWait)
			}
			require.NoError(t, c.back(cluster))
			since := l.done.Load()
			s.eventually(func() bool { return l.done.Load() > since+20 }, "requests do not go on")
			l.stop()
			l.requireAway(t)
			l.kept(s)
			for _, url := range s.urls {
				require.Equal(t, http.StatusOK, try(t.Context(), "", http.MethodGet, url+"/readyz", "").status)
			}
			require.Equal(t, "verified", s.validate(nigeria.asking("0002"))["status"])
			s.requireEventsOf(r, l, store)
			requireUntold(t, s.log.String(), acmeSecret, "pgtest-")
			require.Zero(t, s.stop(), s.log)
			p := launch(t, clientsFile(t), store)
			require.NoError(t, c.leave(cluster))
			_ = p.end(syscall.SIGTERM) // within 10 s, but it may report that it could not reach the database
		})
	}
}

// requireEventsOf requires the events of everything acknowledged, by lock.
func (s *running) requireEventsOf(r *receiver, l *load, store string) {
	s.t.Helper()
	s.eventually(func() bool { return rows(s.t, store, `SELECT count(*) FROM events`) == 0 }, "events are left")
	var told sync.Map
	for _, p := range r.requests() {
		if id, _ := lockOf(string(p.data)); id != "" {
			told.Store(p.kind+id, true)
		}
	}
	for id, status := range l.acked {
		_, minted := told.Load("rate_lock.minted" + id)
		require.True(s.t, minted, "the event of a mint that was acknowledged (I32)")
		if status == "cancelled" {
			_, cancelled := told.Load("rate_lock.cancelled" + id)
			require.True(s.t, cancelled, "the event of a cancel that was acknowledged (I32)")
		}
	}
}

// A request that waits too long for a connection is rejected with a time to retry. The
// metrics show it, and then everything is as before.
func TestAnExhaustedPoolRejectsRequestsInTime(t *testing.T) {
	onlyFull(t, "it compares durations of requests")
	t.Parallel()
	store := strings.Replace(shared.empty(t), "pool_max_conns=6", "pool_max_conns=4", 1)
	s := serveTimes(t, 1, nil, "--sandbox", "--store", store, "--clients-file", clientsFile(t))
	require.Equal(t, http.StatusOK, s.login("acme", acmeSecret))
	status, _ := s.lock("USD", "ZAR")
	require.Equal(t, http.StatusCreated, status)
	require.InDelta(t, 4, s.metric("corridor_store_connections_max"), 0)

	release := locked(t, store)
	answers := make(chan answered, 24)
	for range cap(answers) {
		go func() {
			answers <- try(t.Context(), s.token, http.MethodPost, s.url+"/v1/rate-locks", `{"base":"USD","quote":"NGN"}`)
		}()
	}
	s.eventually(func() bool { return s.metric("corridor_store_connections_in_use") == 4 }, "not all are in use")
	told := 0
	for range cap(answers) {
		a := await(t, "answer", answers)
		require.NoError(t, a.err)
		require.Equal(t, http.StatusServiceUnavailable, a.status, a.body)
		require.Less(t, a.took, mayWait)
		if a.header.Get("Retry-After") == "1" {
			told++
		}
	}
	require.Positive(t, told, "those that got no connection")
	require.Positive(t, s.metric("corridor_store_acquires_failed_total"))
	require.Positive(t, s.metric("corridor_store_acquires_waited_total"))
	require.Positive(t, s.metric("corridor_store_acquire_wait_seconds_total"))
	require.LessOrEqual(t, s.metric("corridor_store_connections_open"), 4.0)
	release()
	s.eventually(func() bool {
		status, _ := s.lock("USD", "NGN")
		return status == http.StatusCreated
	}, "it does not go on")
	s.eventually(func() bool { return s.metric("corridor_store_connections_in_use") < 3 }, "connections are held")
	require.Zero(t, s.stop(), s.log)
}
