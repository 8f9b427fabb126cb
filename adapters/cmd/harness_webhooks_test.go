package cmd

import (
	"database/sql"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/service"
	"github.com/corridor-go/corridor/adapters/webhook"
	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

// posted is a request that a receiver got.
type posted struct {
	at     time.Time
	header http.Header
	body   []byte
	nth    int // number of the attempt for this event, from 1
	id     string
	kind   string
	client string
	about  string // the transaction
	data   json.RawMessage
}

// receiver receives the events of serve.
type receiver struct {
	*httptest.Server

	mu   sync.Mutex
	got  []posted
	seen map[string]int
}

// answering returns a receiver that records a request and then responds with the
// function; nil means 200.
func answering(t *testing.T, answer func(w http.ResponseWriter, p *posted)) *receiver {
	t.Helper()
	r := &receiver{seen: map[string]int{}}
	r.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return // the sender was killed
		}
		p := r.note(request.Header, body)
		if answer != nil {
			answer(w, p)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// receiving returns a started receiver.
func receiving(t *testing.T, answer func(w http.ResponseWriter, p *posted)) *receiver {
	t.Helper()
	r := answering(t, answer)
	r.Start()
	return r
}

// slammed cuts connections off until it is opened. If it closed its listener, another
// program could get the port.
type slammed struct {
	net.Listener

	open atomic.Bool
}

func (s *slammed) Accept() (net.Conn, error) {
	for {
		conn, err := s.Listener.Accept()
		if err != nil || s.open.Load() {
			return conn, err
		}
		_ = conn.Close()
	}
}

func (r *receiver) note(header http.Header, body []byte) *posted {
	var read struct {
		ID, Type, ClientID string
		Data               json.RawMessage
	}
	var data struct{ TransactionID string }
	_ = json.Unmarshal(body, &read) // an invalid event has no id, which the tests check
	_ = json.Unmarshal(read.Data, &data)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen[read.ID]++
	p := posted{time.Now(), header, body, r.seen[read.ID], read.ID, read.Type, read.ClientID, data.TransactionID, read.Data}
	r.got = append(r.got, p)
	return &p
}

func (r *receiver) requests() []posted {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]posted(nil), r.got...)
}

// of returns the requests about one transaction of a client, in order.
func (r *receiver) of(client, play string) (list []posted) {
	for _, p := range r.requests() {
		if p.client == client && p.about == sandboxPrefix+play {
			list = append(list, p)
		}
	}
	return list
}

// kinds returns the kinds of events, each once, in the order of their last attempt.
func kinds(list []posted) (order []string) {
	last := map[string]int{}
	for i, p := range list {
		last[p.id] = i
	}
	for i, p := range list {
		if last[p.id] == i {
			order = append(order, p.kind)
		}
	}
	return order
}

// atOnce is the number of events when the plays begin: five transactions open and two
// end.
const atOnce = 7

// standstill begins acme's plays in a store, dated an hour from now, so that they pause:
// five have opened and two have ended.
func standstill(t *testing.T, store string) {
	t.Helper()
	opened, err := service.OpenShared(t.Context(), parts(), store)
	require.NoError(t, err)
	later := portstest.NewClock(time.Now().Add(time.Hour))
	payments, err := authstate.New(authstate.Ports{Transactions: opened.Transactions(), Work: opened.Work()}, authstate.Policy{}, &authstate.Config{Clock: later})
	require.NoError(t, err)
	for _, play := range []authstate.Opening{
		{ID: "timeout_late", Direction: errcodes.Payin, RespondBy: later.Now().Add(2 * time.Second)},
		{ID: "succeeded", Direction: errcodes.Payin},
		{ID: "errored", Direction: errcodes.Payout},
		{ID: "failed", Direction: errcodes.Payin},
		{ID: "pending", Direction: errcodes.Payin},
	} {
		play.ID = sandboxPrefix + play.ID
		_, err := payments.Open(t.Context(), "acme", play)
		require.NoError(t, err)
	}
	record := func(play, code, message string) {
		_, err := payments.Record(t.Context(), "acme", sandboxPrefix+play, authstate.Report{Scheme: failures.MpesaDaraja, Code: code, Message: message})
		require.NoError(t, err)
	}
	record("failed", "1032", "Request cancelled by user")
	record("errored", "1", "The balance is insufficient for the transaction.")
	require.NoError(t, opened.Close())
}

// received waits for the number of different events about the plays.
func (s *running) received(r *receiver, n int) []posted {
	s.t.Helper()
	s.eventually(func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.seen) >= n
	}, "events are missing")
	return r.requests()
}

var printedSecret = regexp.MustCompile(`(?m)^  secret        (whsec_\S+)$`)

// webhookSecret returns the secret that the sandbox printed.
func (s *running) webhookSecret() (text string) {
	s.t.Helper()
	s.eventually(func() bool {
		if m := printedSecret.FindStringSubmatch(s.out.String()); m != nil {
			text = m[1]
		}
		return text != ""
	}, "no webhook secret is shown")
	return text
}

// requireSigned verifies requests like a receiver.
func requireSigned(t *testing.T, secret string, list []posted) {
	t.Helper()
	secrets, err := webhook.ParseSecrets(secret)
	require.NoError(t, err)
	require.NotEmpty(t, list)
	for _, p := range list {
		message, err := webhook.Verify(secrets, p.header, p.body, time.Now())
		require.NoError(t, err)
		_, err = message.Event()
		require.NoError(t, err)
	}
}

// requireNotSigned requires that no request is signed with the secret.
func requireNotSigned(t *testing.T, secret string, list []posted) {
	t.Helper()
	secrets, err := webhook.ParseSecrets(secret)
	require.NoError(t, err)
	require.NotEmpty(t, list)
	for _, p := range list {
		_, err := webhook.Verify(secrets, p.header, p.body, time.Now())
		require.ErrorIs(t, err, errcodes.Unauthorized)
	}
}

// serveHooks serves acme and beta in the sandbox and sends events to a receiver.
func serveHooks(t *testing.T, store string, r *receiver, args ...string) *running {
	t.Helper()
	return serveAcme(t, append([]string{"--sandbox", "--store", store, "--webhook-url", r.URL + "/events", "--log-level", "DEBUG"}, args...)...)
}

// payment requests one of the plays.
func (s *running) payment(play string) map[string]any {
	s.t.Helper()
	status, body := s.do(http.MethodGet, "/v1/payment/"+sandboxPrefix+play, "")
	require.Equal(s.t, http.StatusOK, status, body)
	return body
}

// becomes polls a play until it has the status.
func (s *running) becomes(play string, status ports.TransactionStatus) (body map[string]any) {
	s.t.Helper()
	s.eventually(func() bool {
		body = s.payment(play)
		return body["status"] == string(status)
	}, "not "+string(status))
	return body
}

// alter changes a store directly, as time or an accident would.
func alter(t *testing.T, store, statement string, args ...any) {
	t.Helper()
	within(t, store, func(db *sql.DB) {
		_, err := db.Exec(statement, args...)
		require.NoError(t, err)
	})
}

// rows returns the number of rows of a table of the store.
func rows(t *testing.T, store, query string, args ...any) (n int) {
	t.Helper()
	within(t, store, func(db *sql.DB) { require.NoError(t, db.QueryRow(query, args...).Scan(&n)) })
	return n
}

// age moves the transactions and their timeouts into the past.
func age(t *testing.T, store string, by time.Duration) {
	t.Helper()
	if !isPostgres(store) {
		alter(t, store, `UPDATE transactions SET created_at = created_at - $1, respond_by = respond_by - $1`, by.Milliseconds())
		alter(t, store, `UPDATE work_items SET due_at = due_at - $1`, by.Milliseconds())
		return
	}
	alter(t, store, `UPDATE transactions SET created_at = created_at - $1 * interval '1 ms', respond_by = respond_by - $1 * interval '1 ms'`, by.Milliseconds())
	alter(t, store, `UPDATE work_items SET due_at = due_at - $1 * interval '1 ms'`, by.Milliseconds())
	alter(t, store, `UPDATE river_job SET scheduled_at = scheduled_at - $1 * interval '1 ms',
		args = jsonb_set(args, '{due}', to_jsonb((args->>'due')::bigint - $1::bigint)) WHERE args ? 'due'`, by.Milliseconds())
}

// free ends the leases of a dead process, which otherwise last a minute.
func free(t *testing.T, store string) {
	t.Helper()
	free := `UPDATE events SET available_at = 0 WHERE claimed`
	if isPostgres(store) {
		free = `UPDATE events SET available_at = '-infinity' WHERE claimed`
	}
	alter(t, store, free)
}
