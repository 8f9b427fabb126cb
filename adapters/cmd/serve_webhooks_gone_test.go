package cmd

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// A 410 ends its own delivery only. The other events wait for the receiver, which a replay
// asks again at once.
func TestAReplayEndsThePauseOfAReceiver(t *testing.T) {
	at(t, aReplayEndsThePauseOfAReceiver, onFile, shared)
}

func aReplayEndsThePauseOfAReceiver(t *testing.T, store string) {
	standstill(t, store)
	var back atomic.Bool
	var gone atomic.Int64 // how often the receiver answered 410
	r := receiving(t, func(w http.ResponseWriter, _ *posted) {
		if back.Load() {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		gone.Add(1)
		http.Error(w, "canaryanswer", http.StatusGone)
	})
	s := serveHooks(t, store, r)
	settled := func() bool {
		return rows(t, store, `SELECT count(*) FROM events WHERE claimed`) == 0 &&
			rows(t, store, `SELECT count(*) FROM events WHERE state = 'buried'`) == int(gone.Load())
	}
	s.eventually(func() bool {
		return rows(t, store, `SELECT count(*) FROM events WHERE attempt > 0`) >= 5 && settled() // the first of each transaction
	}, "events were buried without a request")
	s.eventually(s.anyPaused, "the pause is not shown")
	s.eventually(func() bool { return s.metric("corridor_webhook_paused") >= 1 }, "the pause is not counted")
	back.Store(true)
	s.eventually(settled, "events were buried without a request")

	lines := buried(t, store)
	require.NotEmpty(t, lines)
	for _, line := range lines {
		require.Equal(t, "410 Gone", line.Reason)
	}
	require.Positive(t, s.metric(`corridor_events_buried_total{code="not_found",kind="transaction.opened"}`))
	require.Equal(t, fmt.Sprintln(len(lines), "replayed"), tidy(t, store, "replay", "--all"))
	s.eventually(func() bool { return rows(t, store, `SELECT count(*) FROM events`) == 0 }, "not all are delivered")
	require.Empty(t, buried(t, store))
	for play, want := range map[string]string{
		"pending": "opened", "failed": "opened failed", "errored": "opened errored", "succeeded": "opened", "timeout_late": "opened",
	} {
		require.Equal(t, "transaction."+strings.ReplaceAll(want, " ", " transaction."), strings.Join(kinds(r.of("acme", play)), " "), play)
	}
	requireSigned(t, s.webhookSecret(), r.requests())
	requireUntold(t, s.log.String(), "canary", r.URL)
	if !isPostgres(store) { // another process learns it with its next event
		require.False(t, s.anyPaused())
		require.Zero(t, s.metric("corridor_webhook_paused"))
		require.Equal(t, 1, strings.Count(s.log.String(), "webhook receiver paused"), s.log)
		require.Equal(t, 1, strings.Count(s.log.String(), "webhook receiver no longer paused"), s.log)
	}
}

// anyPaused reports whether a process shows a pause of its receiver.
func (s *running) anyPaused() (paused bool) {
	s.t.Helper()
	for _, one := range s.each() {
		status, body := one.send(http.MethodGet, "/readyz", "", "")
		require.Equal(s.t, http.StatusOK, status)
		if body != `{"status":"ok"}` {
			require.Equal(s.t, `{"status":"degraded","degraded":["webhook"]}`, body)
			paused = true
		}
	}
	return paused
}
