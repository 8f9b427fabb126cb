package cmd

import (
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// A start with another key under a known id is rejected. A start that fails, for this or
// another reason, does not make a new key known.
func TestAnotherDataKeyUnderAKnownIDIsRejected(t *testing.T) {
	oneSecret, anotherSecret := oneKey[len("k1:"):], anotherKey[len("k2:"):]
	wrong := func(id string) string {
		return "corridor: CORRIDOR_DATA_KEYS: data key " + id + " is not the key that this store knows as " + id +
			"; use the old key, or a new id for a new key\n"
	}
	for name, empty := range map[string]func(*testing.T) string{"sqlite": onFile.empty, "postgres": emptyDatabase} {
		t.Run(name, func(t *testing.T) {
			args := []string{"--sandbox", "--webhook-url", "https://receiver.example/", "--store", empty(t)}
			accepted := func(keys string) {
				t.Helper()
				s := serveTimes(t, 1, map[string]string{dataKeysEnv: keys}, args...)
				require.Zero(t, s.stop(), s.log)
			}
			rejected := func(keys, signing string) (says string) {
				t.Helper()
				env := map[string]string{dataKeysEnv: keys, webhookSecretsEnv: signing}
				code, out, errs := command(t, "", env, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
				require.Equal(t, exitRejected, code, errs)
				require.Empty(t, out)
				return errs
			}
			require.Contains(t, rejected("k1:"+anotherSecret, "hush"), webhookSecretsEnv)
			t.Setenv(webhookSecretsEnv, "")
			accepted("k1:" + oneSecret)
			require.Equal(t, wrong("k1"), rejected("k1:"+anotherSecret, ""))
			require.Equal(t, wrong("k1"), rejected("k2:"+oneSecret+",k1:"+anotherSecret, ""))
			accepted("k2:" + anotherSecret + ",k1:" + oneSecret)
			accepted("") // the store has a key of its own
			require.Equal(t, wrong("store"), rejected("store:"+anotherSecret, ""))
			accepted("k2:" + anotherSecret)
		})
	}
}

// I17: without its key a validation stays pending, /readyz and the log say so, and it has
// the full time limit when the key has returned.
func TestAPendingValidationWaitsForItsDataKey(t *testing.T) {
	t.Parallel()
	clients, store := clientsFile(t), onFile.empty(t)
	first := launch(t, clients, store, keysEnv+oneKey)
	account := nigeria.asking("0003").named("Kofi Boateng") // never answered
	status, pending := first.ask(account)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "pending", pending["status"])
	require.Error(t, first.end(os.Kill))

	second := launch(t, clients, store, keysEnv+anotherKey)
	degraded := map[string]any{"status": "degraded", "degraded": []any{"data keys"}}
	second.eventually(func() bool {
		status, body := second.do(http.MethodGet, "/readyz", "")
		require.Equal(t, http.StatusOK, status)
		return body["status"] == degraded["status"]
	}, "the missing key is not reported")
	_, body := second.do(http.MethodGet, "/readyz", "")
	require.Equal(t, degraded, body)
	require.Contains(t, second.log.String(), `level=WARN msg="a data key is missing: validations sealed with it stay pending until it is configured" key=k1`)
	status, body = second.validation(pending["id"])
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, pending, body)
	require.NoError(t, second.end(os.Interrupt), second.log)

	// The limit is that of the process that has the key, not the ten minutes of the first one.
	third := launch(t, clients, store, keysEnv+oneKey+","+anotherKey, "CORRIDOR_VALIDATION_TIMEOUT=1s")
	ended := third.ended(pending["id"])
	require.Equal(t, "error", ended["status"])
	require.Contains(t, ended["failureReason"], "in time") // of the lookup, or of the deadline if the machine is busy
	_, body = third.do(http.MethodGet, "/readyz", "")
	require.Equal(t, map[string]any{"status": "ok"}, body)
	require.NoError(t, third.end(os.Interrupt), third.log)
	requireUntold(t, first.log.String()+second.log.String()+third.log.String(), account.AccountIdentifier, "Kofi", "Boateng", oneKey[3:], anotherKey[3:])
}
