package cmd

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/relay"
	"github.com/corridor-go/corridor/adapters/service"
	"github.com/corridor-go/corridor/adapters/webhook"
	"github.com/corridor-go/corridor/ports"
)

// buried returns the undeliverable events of a store.
func buried(t *testing.T, store string) (lines []buriedLine) {
	t.Helper()
	code, out, errs := command(t, "", nil, "events", "buried", "--store", store)
	require.Zero(t, code, errs)
	require.Empty(t, errs)
	for line := range strings.Lines(out) {
		var b buriedLine
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.DisallowUnknownFields()
		require.NoError(t, decoder.Decode(&b), line)
		lines = append(lines, b)
	}
	return lines
}

// tidy runs corridor events on a store and returns its output.
func tidy(t *testing.T, store string, args ...string) string {
	t.Helper()
	code, out, errs := command(t, "", nil, append([]string{"events", args[0], "--store", store}, args[1:]...)...)
	require.Zero(t, code, errs)
	require.Empty(t, errs)
	return out
}

// goneStore returns a store whose receiver was gone when acme's plays began, so their
// events are buried. The plays pause for an hour.
func goneStore(t *testing.T, store string) string {
	t.Helper()
	standstill(t, store)
	r := receiving(t, func(w http.ResponseWriter, _ *posted) { http.Error(w, "canaryanswer", http.StatusGone) })
	secrets, err := webhook.ParseSecrets(secretA)
	require.NoError(t, err)
	sink, err := webhook.New(r.URL, secrets, &webhook.Config{AllowPrivate: true, GoneFor: 1}) // each event is a probe
	require.NoError(t, err)
	opened, err := service.OpenStore(t.Context(), parts(), store)
	require.NoError(t, err)
	buries, err := relay.New(relay.Ports{Outbox: opened.Outbox(), Sink: sink}, relay.Policy{}, nil)
	require.NoError(t, err)
	for rows(t, store, `SELECT count(*) FROM events WHERE state = 'buried'`) < atOnce {
		require.NoError(t, buries.Tick(t.Context(), time.Now()))
	}
	require.NoError(t, errors.Join(opened.Close(), sink.Close()))
	require.Len(t, r.requests(), atOnce)
	return store
}

// Events are listed in the order in which they were saved, with the reason and without
// their data.
func TestBuriedEventsAreListed(t *testing.T) { at(t, buriedEventsAreListed, onFile, shared) }

func buriedEventsAreListed(t *testing.T, store string) {
	goneStore(t, store)
	lines := buried(t, store)
	require.Len(t, lines, atOnce)
	ids := map[string]bool{}
	for i, line := range lines {
		require.Regexp(t, "^evt_[0-9a-f]{32}$", line.ID)
		require.Equal(t, "acme", line.ClientID)
		require.Equal(t, "410 Gone", line.Reason)
		require.Equal(t, 1, line.Attempts)
		require.WithinDuration(t, time.Now().Add(time.Hour), line.At, time.Minute)
		if i < 5 {
			require.Equal(t, "transaction.opened", line.Kind)
		}
		ids[line.ID] = true
	}
	require.Len(t, ids, atOnce)
	require.ElementsMatch(t, []string{"transaction.failed", "transaction.errored"}, []string{lines[5].Kind, lines[6].Kind})
	raw := tidy(t, store, "buried")
	require.Equal(t, atOnce, strings.Count(raw, "\n"))
	requireUntold(t, raw, "tx_sandbox", "cancelled by user", "balance is")
}

// A replayed event is delivered before the later ones of its transaction, and a discarded
// one never.
func TestEventsAreReplayedAndDiscardedWhileTheServiceRuns(t *testing.T) {
	at(t, eventsAreReplayedAndDiscardedWhileTheServiceRuns, onFile, shared)
}

func eventsAreReplayedAndDiscardedWhileTheServiceRuns(t *testing.T, store string) {
	goneStore(t, store)
	var up atomic.Bool
	r := receiving(t, func(w http.ResponseWriter, _ *posted) {
		if !up.Load() {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	s := serveHooks(t, store, r)
	age(t, store, time.Hour+6*time.Second)
	s.payment("pending") // three more events, two of which are the first of their transactions
	s.received(r, 2)
	lines := buried(t, store)
	require.Len(t, lines, atOnce, "a restart replays nothing")
	requireMissing(t, store, "1 discarded\n", "1 of 2", "discard", lines[2].ID, "evt_none")
	requireMissing(t, store, "0 discarded\n", "1 of 1", "discard", lines[2].ID)
	requireMissing(t, store, "1 replayed\n", "2 of 3", "replay", lines[0].ID, "evt_none", "") // timeout_late, opened
	require.Len(t, buried(t, store), atOnce-2)
	up.Store(true)
	s.eventually(func() bool { return len(kinds(r.of("acme", "timeout_late"))) == 3 }, "not sent again")
	s.eventually(func() bool {
		return s.metric(`corridor_events_total{kind="transaction.failed"}`) == 1 && s.metric(`corridor_events_total{kind="transaction.opened"}`) == 1
	}, "not counted")
	require.Equal(t, []string{"transaction.opened", "transaction.failed", "transaction.late_payment"}, kinds(r.of("acme", "timeout_late")), "in its place")
	require.Equal(t, "5 replayed\n", tidy(t, store, "replay", "--all"))
	s.eventually(func() bool { return rows(t, store, `SELECT count(*) FROM events`) == 0 }, "not all are sent")
	require.Empty(t, buried(t, store))
	require.Equal(t, []string{"transaction.opened", "transaction.failed"}, kinds(r.of("acme", "failed")))
	require.Equal(t, []string{"transaction.errored"}, kinds(r.of("acme", "errored")), "what was discarded never comes")
	require.Equal(t, "0 replayed\n", tidy(t, store, "replay", "--all"))
	for act, n := range map[string]int{ports.ActEventReplayed: 6, ports.ActEventDiscarded: 1} { // I39
		require.Equal(t, n, rows(t, store, `SELECT count(*) FROM readable_audit WHERE client = 'operator' AND owner = 'acme' AND act = '`+act+`'`), act)
	}
	requireSigned(t, s.webhookSecret(), r.requests())
}

// The next service finds the replayed and discarded events.
func TestEventsAreReplayedBeforeAStart(t *testing.T) {
	at(t, eventsAreReplayedBeforeAStart, onFile, shared)
}

func eventsAreReplayedBeforeAStart(t *testing.T, store string) {
	goneStore(t, store)
	lines := buried(t, store)
	ids := []string{"discard"}
	for _, line := range lines[:5] {
		ids = append(ids, line.ID)
	}
	require.Equal(t, "5 discarded\n", tidy(t, store, append(ids, ids[1])...), "an id twice is one event")
	require.Equal(t, "2 replayed\n", tidy(t, store, "replay", "--all"))
	require.Empty(t, buried(t, store))
	r := receiving(t, nil)
	s := serveHooks(t, store, r)
	s.received(r, 2)
	s.eventually(func() bool { return rows(t, store, `SELECT count(*) FROM events`) == 0 }, "not all are sent")
	require.Len(t, r.requests(), 2)
	require.NotEqual(t, "transaction.opened", r.requests()[0].kind)
}

// Each event is listed once.
func TestAllPagesOfBuriedEventsAreListed(t *testing.T) {
	t.Parallel()
	store := goneStore(t, onFile.empty(t)) // the statement is SQLite's; the postgres package has its own test
	for _, total := range []int{buriedPage, buriedPage + 1, 2 * buriedPage, 2*buriedPage + 500} {
		alter(t, store, `WITH RECURSIVE n (i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
			INSERT INTO events (id, kind, key, owner, at, data, state, reason)
			SELECT CAST('e' || i AS BLOB), 'test', CAST('k' AS BLOB), CAST('acme' AS BLOB), 0, CAST('{}' AS BLOB), 'buried', 'internal' FROM n`,
			rows(t, store, `SELECT count(*) FROM events`)+1, total)
		lines := buried(t, store)
		require.Equal(t, total, len(lines)) //nolint:testifylint // Len would print them all
		ids := map[string]bool{}
		for _, line := range lines {
			ids[line.ID] = true
		}
		require.Equal(t, total, len(ids)) //nolint:testifylint // the same
	}
}

// Nothing is created, and a mistyped path is an error.
func TestEventsNeedAnExistingStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "text"), "this is no database, and it is longer than the header of one, which has a hundred bytes, as one can read")
	for _, verb := range [][]string{{"buried"}, {"replay", "--all"}, {"replay", "evt_1"}, {"discard", "evt_1"}} {
		for name, store := range map[string]string{
			"no file": "sqlite:" + filepath.Join(dir, "corridor.db"), "no folder": "sqlite:" + filepath.Join(dir, "none", "corridor.db"),
			"memory": "memory:", "no path": "sqlite:", "no database": "sqlite:" + filepath.Join(dir, "text"), "another kind": "mysql:canarypassword",
		} {
			code, out, errs := command(t, "", nil, append(append([]string{"events"}, verb...), "--store", store)...)
			require.Equal(t, exitRejected, code, "%s of %s", verb, name)
			require.Empty(t, out, "%s of %s", verb, name)
			require.Equal(t, 1, strings.Count(errs, "\n"), errs)
			require.NotContains(t, errs, "canary")
		}
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing was made")
}

// Replaying all events needs --all, so that an empty variable replays nothing.
func TestReplayingAllEventsMustBeExplicit(t *testing.T) {
	at(t, replayingAllEventsMustBeExplicit, onFile, shared)
}

func replayingAllEventsMustBeExplicit(t *testing.T, store string) {
	goneStore(t, store)
	for _, args := range [][]string{
		{"replay"}, {"replay", "--all", "evt_1"}, {"discard"}, {"discard", "--all"}, {"buried", "evt_1"}, {},
	} {
		code, out, _ := command(t, "", nil, append(append([]string{"events"}, args...), "--store", store)...)
		require.Equal(t, exitRejected, code, args)
		require.NotContains(t, out, "played")
	}
	known := buried(t, store)[0].ID
	for _, id := range []string{"", "evt_", "%", "' OR 1=1 --", strings.Repeat("x", 100_000)} {
		requireMissing(t, store, "0 replayed\n", "1 of 1", "replay", id)
		requireMissing(t, store, "0 discarded\n", "1 of 1", "discard", id)
	}
	require.Len(t, buried(t, store), atOnce)
	requireMissing(t, store, "1 discarded\n", "2 of 3", "discard", "evt_1", known, "evt_2")
	require.Len(t, buried(t, store), atOnce-1)
}

// requireMissing runs corridor events with ids that do not all exist.
func requireMissing(t *testing.T, store, printed, missing, verb string, ids ...string) {
	t.Helper()
	code, out, errs := command(t, "", nil, append([]string{"events", verb, "--store", store, "--"}, ids...)...)
	require.Equal(t, exitFailed, code)
	require.Equal(t, printed, out)
	require.Contains(t, errs, "do not include "+missing+" ids")
}
