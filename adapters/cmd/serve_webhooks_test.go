package cmd

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/relay"
)

// Each event arrives once, in order for each transaction, and with the shape of the
// polled resource (SPEC 6).
func TestEventsArriveSigned(t *testing.T) { at(t, eventsArriveSigned, inMemory, onFile, shared) }

func eventsArriveSigned(t *testing.T, store string) {
	r := receiving(t, nil)
	s := serveHooks(t, store, r)
	require.Empty(t, r.requests(), "nothing has happened")
	failed := s.payment("failed")
	beta := s.in(t)
	require.Equal(t, http.StatusOK, beta.login("beta", betaSecret))
	beta.payment("pending")
	for _, client := range []string{"acme", "beta"} {
		for play, want := range map[string][]string{
			"pending": {"opened"}, "failed": {"opened", "failed"}, "errored": {"opened", "errored"},
			"succeeded": {"opened", "succeeded"}, "timeout_late": {"opened", "failed"},
		} {
			s.eventually(func() bool { return len(r.of(client, play)) >= len(want) }, "events are missing")
			of := r.of(client, play)[:len(want)] // the late payment may have arrived by now
			require.Equal(t, "transaction."+strings.Join(want, " transaction."), strings.Join(kinds(of), " "), play)
		}
	}
	list := r.requests()
	requireSigned(t, s.webhookSecret(), list)
	s.eventually(func() bool { return s.metric(`corridor_webhook_attempts_total{status="200"}`) >= float64(len(list)) }, "not counted")
	s.eventually(func() bool { return s.metric("corridor_event_delay_seconds_count") >= float64(len(list)) }, "not timed")
	told := map[string]any{}
	for _, p := range list {
		require.Equal(t, 1, p.nth, "once each")
	}
	require.NoError(t, json.Unmarshal(r.of("acme", "failed")[1].data, &told))
	require.Equal(t, failed, told)
	require.NotContains(t, s.log.String(), "no --webhook-url")
	require.Zero(t, s.stop(), s.log)
}

// The service still stops in time without losing the event.
func TestAHangingReceiverDelaysOnlyOneTransaction(t *testing.T) {
	at(t, aHangingReceiverDelaysOnlyOneTransaction, onFile, shared)
}

func aHangingReceiverDelaysOnlyOneTransaction(t *testing.T, store string) {
	release := make(chan struct{})
	unhang := sync.OnceFunc(func() { close(release) })
	r := receiving(t, func(_ http.ResponseWriter, p *posted) {
		if p.about == "tx_sandbox_timeout_late" { // the first to be opened
			<-release
		}
	})
	t.Cleanup(unhang)
	standstill(t, store)
	s := serveHooks(t, store, r)
	s.received(r, atOnce)
	require.Zero(t, s.stop(), s.log)
	require.NotContains(t, s.log.String(), "level=ERROR")
	require.Equal(t, 1, rows(t, store, `SELECT count(*) FROM events WHERE kind = 'transaction.opened'`), "not lost")
	unhang()
	free(t, store)
	next := serveHooks(t, store, r)
	next.eventually(func() bool { return len(r.of("acme", "timeout_late")) >= 2 }, "not sent again")
	of := r.of("acme", "timeout_late")
	require.Equal(t, of[0].id, of[1].id)
	require.Equal(t, string(of[0].body), string(of[1].body))
	requireSigned(t, s.webhookSecret(), of)
	require.Equal(t, s.webhookSecret(), next.webhookSecret(), "the same secret after a restart")
}

// The events of that time arrive in order, once.
func TestEventsArriveAfterTheReceiverWasDown(t *testing.T) {
	at(t, eventsArriveAfterTheReceiverWasDown, inMemory, shared)
}

func eventsArriveAfterTheReceiverWasDown(t *testing.T, store string) {
	r := answering(t, nil)
	door := &slammed{Listener: r.Listener}
	r.Listener = door
	r.Start()
	s := serveHooks(t, store, r)
	s.payment("pending")
	s.eventually(func() bool { return s.metric(`corridor_webhook_attempts_total{status="0"}`) >= 5 }, "not tried")
	door.open.Store(true)
	for _, play := range []string{"failed", "errored"} {
		s.eventually(func() bool { return len(r.of("acme", play)) >= 2 }, "events are missing")
		of := r.of("acme", play)
		require.Equal(t, []string{"transaction.opened", "transaction." + play}, kinds(of))
		require.Len(t, of, 2)
	}
	require.Zero(t, s.metric(`corridor_events_buried_total{code="unavailable",kind="transaction.opened"}`))
	s.eventually(func() bool { return s.metric("corridor_event_delay_seconds_sum") >= relay.DefaultFirstPause.Seconds() }, "the wait is not told")
}

// A process that is killed three times loses no event, sends each end once and keeps the
// order (I32).
func TestEventsSurviveAKill(t *testing.T) {
	t.Parallel()
	r := receiving(t, nil)
	clients, store := clientsFile(t), onFile.empty(t)
	env := []string{"CORRIDOR_WEBHOOK_URL=" + r.URL, webhookSecretsEnv + "=" + secretA}
	start := func() *process { return launch(t, clients, store, env...) }
	p := start()
	for round := range 3 {
		asked := make(chan struct{})
		go func() { // cut off by the end of the process at the latest
			defer close(asked)
			pollUntil(p.url, p.token)
		}()
		doomed := p.cmd.Process
		time.AfterFunc(time.Duration(round*7)*time.Millisecond, func() { _ = doomed.Kill() })
		require.Error(t, await(t, "end of the process", p.gone))
		await(t, "end of the polls", asked)
		if round > 0 {
			age(t, store, 2*time.Second)
		}
		free(t, store)
		p = start()
	}
	age(t, store, 10*time.Second)
	p.payment("pending")
	p.received(r, 10)
	p.eventually(func() bool { return rows(t, store, `SELECT count(*) FROM events`) == 0 }, "not all are delivered")
	list := r.requests()
	requireSigned(t, secretA, list)
	for play, want := range map[string][]string{
		"pending": {"opened"}, "failed": {"opened", "failed"}, "errored": {"opened", "errored"},
		"succeeded": {"opened", "succeeded"}, "timeout_late": {"opened", "failed", "late_payment"},
	} {
		of := r.of("acme", play)
		require.Equal(t, "transaction."+strings.Join(want, " transaction."), strings.Join(kinds(of), " "), play)
		bodies := map[string]string{}
		for _, p := range of {
			if body, again := bodies[p.id]; again {
				require.Equal(t, body, string(p.body), "a repeat is the same")
			}
			bodies[p.id] = string(p.body)
		}
		require.Len(t, bodies, len(want), "one event each")
	}
}

// pollUntil polls as fast as possible until there is no response.
func pollUntil(url, token string) {
	for {
		request, err := http.NewRequest(http.MethodGet, url+"/v1/payment/tx_sandbox_pending", nil)
		if err != nil {
			return
		}
		request.Header.Set("Authorization", "Bearer "+token)
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return
		}
		_ = answer.Body.Close()
	}
}
