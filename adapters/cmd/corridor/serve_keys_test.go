package main

import (
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
