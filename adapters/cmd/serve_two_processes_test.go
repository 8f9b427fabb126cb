package cmd

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func lockOf(body string) (id, status string) {
	var lock struct{ RateLockID, Status string }
	_ = json.Unmarshal([]byte(body), &lock) // a malformed one has no id, which the tests check
	return lock.RateLockID, lock.Status
}

// pair starts two processes on a store. The second is paused until goOn is called, so
// that the first gets all the work.
func pair(t *testing.T, store string, env ...string) (first, second *process, goOn func()) {
	t.Helper()
	clients := clientsFile(t)
	first, second = launch(t, clients, store, env...), launch(t, clients, store, env...)
	require.NoError(t, second.cmd.Process.Signal(syscall.SIGSTOP))
	goOn = func() { _ = second.cmd.Process.Signal(syscall.SIGCONT) } // it may have ended
	t.Cleanup(goOn)
	return first, second, goOn
}

// No restart is needed (I17).
func TestAnotherProcessEndsTheValidationOfADeadOne(t *testing.T) {
	t.Parallel()
	first, second, goOn := pair(t, shared.empty(t))
	_, pending := first.pending(nigeria, "Kofi Boateng")
	require.Error(t, first.end(syscall.SIGKILL), "killed")
	goOn()
	var body map[string]any
	second.eventually(func() bool {
		_, body = second.validation(pending["id"])
		return body["status"] != "pending"
	}, "the validation is pending still")
	require.Equal(t, "name_mismatch", body["status"], "it was looked up again instead of timing out")
	require.NoError(t, second.end(syscall.SIGTERM), second.log)
}

// These are reports, and events that hang at their receiver (I32); no restart is needed.
func TestAnotherProcessCompletesTheWorkOfADeadOne(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	unhang := sync.OnceFunc(func() { close(release) })
	r := receiving(t, func(_ http.ResponseWriter, p *posted) {
		if p.nth == 1 {
			<-release
		}
	})
	t.Cleanup(unhang)
	store, files := shared.empty(t), filepath.Join(t.TempDir(), "files")
	first, second, goOn := pair(t, store,
		"CORRIDOR_REPORT_FILES=dir:"+files, "CORRIDOR_WEBHOOK_URL="+r.URL, webhookSecretsEnv+"="+secretA)
	first.payment("pending")
	first.received(r, webhookRelays)
	var ids []string
	for range quarterReports {
		status, job := first.do(http.MethodPost, "/v1/reports/transactions?format=xlsx", quarterReport)
		require.Equal(t, http.StatusCreated, status)
		ids = append(ids, job["id"].(string))
	}
	first.poll(time.Millisecond, func() bool { return hasHalfAndWhole(t, files) }, "no report is being made")
	require.Error(t, first.end(syscall.SIGKILL), "killed")
	require.Positive(t, lapse(t, store, ids), "a report was under way")
	free(t, store)
	goOn()
	unhang()

	sums := map[string]int{}
	for _, id := range ids {
		second.eventually(func() bool {
			_, body := second.do(http.MethodGet, "/v1/reports/transactions/"+id, "")
			return body["status"] != "RUNNING"
		}, "a report runs still")
		job, file := second.requireWhole(id, store)
		if sums[job.FileSHA256]++; sums[job.FileSHA256] == 1 {
			require.Equal(t, job.Rows, distinct(t, file))
		}
	}
	require.Len(t, sums, 1, "each has the rows of an uninterrupted report")
	second.eventually(func() bool { return rows(t, store, `SELECT count(*) FROM events`) == 0 }, "not all events are delivered")
	require.Equal(t, []string{"transaction.opened", "transaction.failed"}, kinds(r.of("acme", "failed")))
	require.Equal(t, []string{"transaction.opened", "transaction.errored"}, kinds(r.of("acme", "errored")))
	requireSigned(t, secretA, r.requests())
	require.Positive(t, second.metric("corridor_jobs_rescued_total"))
	require.NoError(t, second.end(syscall.SIGTERM), second.log)
}

// What a secret bought ends with it, and an operator ends all tokens of a client, in every
// process (I14).
func TestTokensEndInBothProcesses(t *testing.T) {
	t.Parallel()
	clients, store := clientsFile(t), shared.empty(t)
	first, second := launch(t, clients, store, "CORRIDOR_TOKEN_LIFETIME=1h"), launch(t, clients, store)
	requireLifetime := func(p *process, seconds float64) {
		_, body := p.do(http.MethodPost, "/v1/auth/oauth2/token", fmt.Sprintf(`{"client_id":"beta","client_secret":%q}`, betaSecret))
		require.InDelta(t, seconds, body["expires_in"], 0)
	}
	requireLifetime(first, 3600)
	requireLifetime(second, 86400)
	works := func(token string) (n int) {
		for _, p := range []*process{first, second} {
			p.token = token
			status, _ := p.do(http.MethodGet, "/v1/rate-locks/rl_none", "")
			require.Contains(t, []int{http.StatusUnauthorized, http.StatusNotFound}, status)
			if status == http.StatusNotFound {
				n++
			}
		}
		return n
	}
	acmes := first.token
	require.Equal(t, http.StatusOK, second.login("beta", betaSecret))
	betas := second.token
	require.Equal(t, 2, works(acmes))

	text, err := os.ReadFile(clients)
	require.NoError(t, err)
	hash := func(secret string) string { sum := sha256.Sum256([]byte(secret)); return hex.EncodeToString(sum[:]) }
	write(t, clients, strings.Replace(string(text), hash(acmeSecret), hash("another secret"), 1))
	first.eventually(func() bool { return works(acmes) == 0 }, "a token outlives its secret")
	require.Equal(t, 2, works(betas))

	code, out, errs := command(t, "", nil, "client", "revoke", "beta", "--store", store)
	require.Zero(t, code, errs)
	require.Equal(t, "tokens revoked: 3\n", out)
	first.eventually(func() bool { return works(betas) == 0 }, "a token works after client revoke")
	require.Equal(t, http.StatusOK, first.login("beta", betaSecret))
	require.Equal(t, 2, works(first.token), "a new token")
	require.Equal(t, 1, rows(t, store, `SELECT count(*) FROM audit WHERE act = 'client.revoked' AND client = 'operator' AND owner = 'beta' AND object = 'beta'`))
	for _, p := range []*process{first, second} {
		require.NoError(t, p.end(syscall.SIGTERM), p.log)
	}
}

// The stopping process completes its requests, the other process takes over its work at
// once, and nothing acknowledged is lost (I10).
func TestOneOfTwoStopsUnderLoad(t *testing.T) {
	t.Parallel()
	clients, store := clientsFile(t), shared.empty(t)
	first, second := launch(t, clients, store), launch(t, clients, store)
	l := first.load([]string{first.url, second.url}, 6)
	first.eventually(func() bool { return l.done.Load() > 40 }, "no load")
	_, pending := first.pending(nigeria, "")
	require.NoError(t, first.end(syscall.SIGTERM), first.log)
	since := l.done.Load()
	second.eventually(func() bool { return l.done.Load() > since+40 }, "no load")
	l.stop()
	for _, a := range l.other { // 503: a busy database
		require.True(t, a.status == http.StatusServiceUnavailable || errors.Is(a.err, syscall.ECONNREFUSED) || errors.Is(a.err, syscall.ECONNRESET),
			"a request that was taken is answered: %d %s %v after %s", a.status, a.body, a.err, a.took)
	}
	l.kept(second.running)
	ended := second.ended(pending["id"]) // sooner than after a kill, because it was released
	require.Equal(t, "verified", ended["status"])
	for _, log := range []*screen{first.log, second.log} {
		require.NotContains(t, log.String(), "level=ERROR")
	}
	require.Zero(t, second.metric("corridor_jobs_rescued_total"), "no process is considered dead")
	require.NoError(t, second.end(syscall.SIGTERM), second.log)
}
