package cmd

import (
	"database/sql"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sandboxSecrets returns the secrets that all processes printed.
func (s *running) sandboxSecrets(n int) (secrets []string) {
	s.t.Helper()
	s.eventually(func() bool {
		secrets = nil
		for line := range strings.Lines(s.out.String()) {
			if text, ok := strings.CutPrefix(strings.TrimSpace(line), "client_secret "); ok {
				secrets = append(secrets, text)
			}
		}
		return len(secrets) == n
	}, "secrets are missing")
	return secrets
}

// Of too many secrets the last ones are valid.
func TestConcurrentSandboxStartsHaveTheirOwnSecrets(t *testing.T) {
	t.Parallel()
	store := shared.empty(t)
	three := serveTimes(t, 3, nil, "--sandbox", "--store", store)
	secrets := three.sandboxSecrets(3)
	for range 2 {
		for _, secret := range secrets {
			require.Equal(t, http.StatusOK, three.login("sandbox", secret))
		}
	}
	old := three.token
	fourth := serveTimes(t, 1, nil, "--sandbox", "--store", store)
	require.Equal(t, http.StatusOK, three.login("sandbox", fourth.sandboxSecret()))
	good := 0
	for _, secret := range secrets {
		if three.login("sandbox", secret) == http.StatusOK {
			good++
		}
	}
	require.Equal(t, 2, good, "the oldest is gone")
	three.token = old
	status, _ := three.lock("USD", "ZAR")
	require.Equal(t, http.StatusCreated, status, "a token outlives the secret that it was given for")
}

// This is the same as with a file.
func TestARejectedStartKeepsTheSharedSandboxSecret(t *testing.T) {
	t.Parallel()
	store := shared.empty(t)
	s := serveTimes(t, 1, nil, "--sandbox", "--store", store)
	secret := s.sandboxSecret()
	for range 4 {
		code, _, _ := command(t, "", nil, "serve", "--sandbox", "--store", store, "--listen", "127.0.0.1:0", "--report-files", "s3://reports")
		require.Equal(t, exitRejected, code)
	}
	require.Equal(t, http.StatusOK, s.login("sandbox", secret))
}

// dump returns the content of all tables, bytes as hexadecimal digits.
func dump(t *testing.T, store string) (text string) {
	t.Helper()
	within(t, store, func(db *sql.DB) {
		require.NoError(t, db.QueryRow(`SELECT string_agg(query_to_xml(format('SELECT t::text FROM %s t', oid::regclass), true, false, '')::text, '')
			FROM pg_class WHERE relnamespace = 'corridor'::regnamespace AND relkind IN ('r', 'p')`).Scan(&text))
	})
	return text
}

// This includes the tables of River.
func TestNothingSecretIsInTheDatabase(t *testing.T) {
	t.Parallel()
	store := shared.empty(t)
	s := serve(t, nil, "--sandbox", "--store", store, "--log-level", "DEBUG")
	secrets := s.sandboxSecrets(2)
	require.Equal(t, http.StatusOK, s.login("sandbox", secrets[0]))
	account, pending := s.pending(nigeria, "Zenzile Canaryholder")
	look := func() {
		t.Helper()
		text := dump(t, store)
		require.Contains(t, text, "corridor_work", "it was read")
		require.Contains(t, text, hex.EncodeToString([]byte(pending["id"].(string))))
		for _, secret := range append(secrets, s.token, account.AccountIdentifier, "Zenzile", "Canaryholder", "Serwaa") {
			requireUntold(t, text+s.log.String(), secret, hex.EncodeToString([]byte(secret)))
		}
	}
	look()
	require.Equal(t, "name_mismatch", s.ended(pending["id"])["status"])
	look()
	require.Zero(t, s.stop(), s.log)
}
