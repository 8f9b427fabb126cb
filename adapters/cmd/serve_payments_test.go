package cmd

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// requireState compares a payment except for the time of its end, which must be present.
func requireState(t *testing.T, want map[string]any, body map[string]any) {
	t.Helper()
	state, failed := body["authState"].(map[string]any)
	if failed {
		at, err := time.Parse("2006-01-02T15:04:05.000Z", state["transitionedAt"].(string))
		require.NoError(t, err)
		require.WithinDuration(t, time.Now(), at, time.Hour)
		delete(state, "transitionedAt")
	}
	require.Equal(t, want, body)
}

// The payments are as in SPEC 2.9, each with a code for its direction and state (I24,
// I25), and the provider's own text (I26).
func TestTheSandboxHasPaymentsToPoll(t *testing.T) {
	at(t, theSandboxHasPaymentsToPoll, inMemory, onFile, shared)
}

func theSandboxHasPaymentsToPoll(t *testing.T, store string) {
	s := serveAcme(t, "--sandbox", "--store", store)
	require.Equal(t, map[string]any{"transactionId": "tx_sandbox_pending", "status": "PENDING"}, s.payment("pending"))
	requireState(t, map[string]any{"transactionId": "tx_sandbox_failed", "status": "FAILED", "authState": map[string]any{
		"state": "failed", "code": "customerRejected", "message": "The customer rejected the transaction",
		"connectorFailureCode": "1032", "connectorFailureMessage": "Request cancelled by user",
	}}, s.payment("failed"))
	requireState(t, map[string]any{"transactionId": "tx_sandbox_errored", "status": "ERRORED", "authState": map[string]any{
		"state": "error", "code": "payoutInsufficientFunds", "message": "The merchant's balance is insufficient",
		"connectorFailureCode": "1", "connectorFailureMessage": "The balance is insufficient for the transaction.",
	}}, s.payment("errored"))
	require.Equal(t, map[string]any{"transactionId": "tx_sandbox_succeeded", "status": "SUCCEEDED"}, s.becomes("succeeded", "SUCCEEDED"))
	requireState(t, map[string]any{"transactionId": "tx_sandbox_timeout_late", "status": "FAILED", "authState": map[string]any{
		"state": "failed", "code": "timeout", "message": "No response came in time",
	}}, s.becomes("timeout_late", "FAILED"))
	require.Equal(t, "PENDING", s.payment("pending")["status"])
	require.Zero(t, s.metric("corridor_background_failures_total"))
	require.Zero(t, s.stop(), s.log)
}

// After a single poll the outcome and its event come without further polls.
func TestATimeoutNeedsNoPoll(t *testing.T) { at(t, aTimeoutNeedsNoPoll, onFile, shared) }

func aTimeoutNeedsNoPoll(t *testing.T, store string) {
	s := serveAcme(t, "--sandbox", "--store", store)
	s.payment("pending")
	age(t, store, time.Second) // half of its time
	const outcome = `corridor_transaction_outcomes_total{code="timeout",direction="payin",effect=%,status="FAILED"}`
	moved, late := strings.Replace(outcome, "%", `"moved"`, 1), strings.Replace(outcome, "%", `"late_payment"`, 1)
	s.eventually(func() bool { return s.metric(moved) == 1 }, "no timeout")
	age(t, store, 5*time.Second)
	s.eventually(func() bool { return s.metric(late) == 1 }, "no late payment")
	s.eventually(func() bool { return s.metric(`corridor_events_total{kind="transaction.late_payment"}`) == 1 }, "no event was delivered")
	require.Equal(t, "timeout", s.payment("timeout_late")["authState"].(map[string]any)["code"], "the end stays (I27)")
	s.eventually(func() bool { return s.metric(`corridor_events_total{kind="transaction.succeeded"}`) == 1 }, "no event was delivered")
	require.InDelta(t, 1, s.metric(moved), 0)
	require.InDelta(t, 1, s.metric(late), 0)
}

// A timeout that passed while no process was running is found without a poll, in the
// sandbox and outside it.
func TestATimeoutIsFoundAfterAStart(t *testing.T) {
	t.Parallel()
	rates := filepath.Join(t.TempDir(), "rates.json")
	write(t, rates, `{"rates":[]}`)
	for name, args := range map[string][]string{"sandbox": {"--sandbox"}, "not": {"--feed", "file:" + rates}} {
		t.Run(name, func(t *testing.T) {
			at(t, func(t *testing.T, store string) { aTimeoutIsFoundAfterAStart(t, store, args) }, onFile, shared)
		})
	}
}

func aTimeoutIsFoundAfterAStart(t *testing.T, store string, args []string) {
	standstill(t, store)
	age(t, store, time.Hour+3*time.Second)
	s := serveAcme(t, append([]string{"--store", store}, args...)...)
	s.eventually(func() bool { return s.metric(`corridor_events_total{kind="transaction.failed"}`) == 2 }, "not found")
	const ended = `SELECT count(*) FROM transactions WHERE code = 'timeout' AND late_at IS NULL`
	require.Equal(t, 1, rows(t, store, ended))
	require.Equal(t, "timeout", s.payment("timeout_late")["authState"].(map[string]any)["code"])
	require.Zero(t, s.stop(), s.log)
}

// I31: the plays of one client are not begun by the other, and end at their own times.
func TestEachClientHasItsOwnPayments(t *testing.T) {
	at(t, eachClientHasItsOwnPayments, onFile, shared)
}

func eachClientHasItsOwnPayments(t *testing.T, store string) {
	s := serveAcme(t, "--sandbox", "--store", store)
	acmes := s.payment("failed")
	require.Equal(t, 5, rows(t, store, `SELECT count(*) FROM transactions`))
	beta := s.in(t)
	require.Equal(t, http.StatusOK, beta.login("beta", betaSecret))
	age(t, store, time.Minute)
	require.Equal(t, "PENDING", beta.payment("pending")["status"])
	s.becomes("succeeded", "SUCCEEDED")
	require.NotEqual(t, acmes["authState"], beta.payment("failed")["authState"], "the times differ")
	require.Equal(t, 10, rows(t, store, `SELECT count(*) FROM transactions`))
	require.Equal(t, 5, rows(t, store, `SELECT count(*) FROM transactions WHERE owner = $1`, []byte("beta")))
	alter(t, store, `INSERT INTO transactions SELECT owner, $1, version, direction, status, code, raw_code, raw_message,
		scheme, tables, created_at, respond_by, ended_at, late_at, late_code, late_message
		FROM transactions WHERE owner = $2 AND id = $3`, []byte("order-1"), []byte("acme"), []byte("tx_sandbox_failed"))
	status, own := s.do(http.MethodGet, "/v1/payment/order-1", "")
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, acmes["authState"], own["authState"])
	_, others := beta.send(http.MethodGet, "/v1/payment/order-1", "", "")
	_, unknown := beta.send(http.MethodGet, "/v1/payment/order-2", "", "")
	require.Equal(t, unknown, others)
}

// Every rejection has the envelope of its kind (I29).
func TestBadPollsAreRejected(t *testing.T) { at(t, badPollsAreRejected, inMemory, shared) }

func badPollsAreRejected(t *testing.T, store string) {
	s := serveAcme(t, "--sandbox", "--store", store)
	good := s.token
	const (
		none         = `{"message":"No such transaction","error":"Not Found","statusCode":404}`
		nowhere      = `{"message":"Not found","error":"Not Found","statusCode":404}`
		unauthorized = `{"message":"Unauthorized"}`
	)
	for _, c := range []struct {
		name, method, path, token string
		status                    int
		body                      string
	}{
		{"unknown", "GET", "/tx_sandbox_none", good, 404, none},
		{"without a name", "GET", "/tx_sandbox_", good, 404, none},
		{"in capitals", "GET", "/TX_SANDBOX_pending", good, 404, none},
		{"a zero byte", "GET", "/tx_sandbox_pending%00", good, 404, none},
		{"not UTF-8", "GET", "/%ff", good, 404, none},
		{"very long", "GET", "/" + strings.Repeat("x", 4000), good, 404, none},
		{"SQL", "GET", "/tx_sandbox_pending'%20OR%201=1--", good, 404, none},
		{"escaped", "GET", "/tx%5fsandbox%5fpending", good, 200, `{"transactionId":"tx_sandbox_pending","status":"PENDING"}`},
		{"no id", "GET", "", good, 404, nowhere},
		{"an empty id", "GET", "/", good, 404, nowhere},
		{"a path below", "GET", "/tx_sandbox_pending/events", good, 404, nowhere},
		{"posted", "POST", "/tx_sandbox_pending", good, 405, ""},
		{"deleted", "DELETE", "/tx_sandbox_pending", good, 405, ""},
		{"no token", "GET", "/tx_sandbox_pending", "", 401, unauthorized},
		{"no token, and unknown", "GET", "/none", "", 401, unauthorized},
		{"no token, and posted", "POST", "/none", "", 401, unauthorized},
		{"another token", "GET", "/tx_sandbox_pending", good + "x", 401, unauthorized},
		{"two tokens", "GET", "/tx_sandbox_pending", good + " " + good, 401, unauthorized},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := s.in(t)
			s.token = c.token
			status, body := s.send(c.method, "/v1/payment"+c.path, "", "")
			require.Equal(t, c.status, status, body)
			if c.body != "" {
				require.JSONEq(t, c.body, body)
			}
		})
	}
}

// The plays continue where they would be, and no response changes (I27).
func TestPaymentsSurviveTheirProcess(t *testing.T) {
	at(t, paymentsSurviveTheirProcess, onFile, shared)
}

func paymentsSurviveTheirProcess(t *testing.T, store string) {
	s := serveAcme(t, "--sandbox", "--store", store)
	failed, errored := s.payment("failed"), s.payment("errored")
	require.Zero(t, s.stop())
	require.Equal(t, 5, rows(t, store, `SELECT count(*) FROM transactions`))
	age(t, store, time.Hour)
	next := serveAcme(t, "--sandbox", "--store", store)
	require.Equal(t, failed, next.payment("failed"))
	require.Equal(t, errored, next.payment("errored"))
	require.Equal(t, "SUCCEEDED", next.payment("succeeded")["status"])
	require.Equal(t, "FAILED", next.payment("timeout_late")["status"])
	require.Equal(t, 5, rows(t, store, `SELECT count(*) FROM transactions`))
	require.Equal(t, 1, rows(t, store, `SELECT count(*) FROM transactions WHERE late_at IS NOT NULL`))
	require.Zero(t, next.stop(), next.log)
}

// Neither a provider's text nor a transaction's id is logged or in a metric.
func TestLogsAndMetricsContainNothingOfPayments(t *testing.T) {
	at(t, logsAndMetricsContainNothingOfPayments, inMemory, shared)
}

func logsAndMetricsContainNothingOfPayments(t *testing.T, store string) {
	s := serveAcme(t, "--sandbox", "--store", store, "--log-level", "DEBUG")
	s.payment("pending")
	s.becomes("succeeded", "SUCCEEDED")
	status, _ := s.send(http.MethodGet, "/v1/payment/tx_sandbox_canaryid", "", "")
	require.Equal(t, http.StatusNotFound, status)
	status, _ = s.send(http.MethodGet, "/v1/payment/canaryorder?canaryquery=canaryvalue", "", "")
	require.Equal(t, http.StatusNotFound, status)
	for _, e := range []string{"opened", "failed", "errored", "succeeded"} {
		s.eventually(func() bool { return s.metric(`corridor_events_total{kind="transaction.`+e+`"}`) > 0 }, "no event "+e)
	}
	_, metrics := s.send(http.MethodGet, "/metrics", "", "")
	require.Zero(t, s.stop())
	require.Contains(t, s.log.String(), "kind=transaction.failed", "the log is as talkative as it can be")
	requireUntold(t, s.log.String()+metrics, "tx_sandbox", "canary", "cancelled by user", "balance is insufficient for", "processed successfully", s.token)
	requireUntold(t, metrics, "acme")
}
