package clientauth_test

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// TestARevocationIsRecorded is I39; the audit row has the token's hash, not the token
// (I16).
func TestARevocationIsRecorded(t *testing.T) {
	f := newFixture(t, clientauth.Config{})
	token, actor := f.issue(t), ports.Actor{Client: "acme", Address: "192.0.2.1", Trace: "trace"}
	require.NoError(t, f.Revoke(ports.WithActor(t.Context(), actor), "acme", token))
	hash := sha256.Sum256([]byte(token))
	assert.Equal(t, []ports.AuditRow{{At: start, Actor: actor, Act: ports.ActTokenRevoked, Object: hex.EncodeToString(hash[:])}}, f.store.audit)
}

// The token is read before it is revoked, and the store returns it after.
func TestALateReadDoesNotUndoARevocation(t *testing.T) {
	f := newFixture(t, clientauth.Config{})
	token := f.issue(t)
	f.store.onToken = func() {
		f.store.onToken = nil
		require.NoError(t, f.Revoke(t.Context(), "acme", token))
	}
	_, err := f.Authenticate(t.Context(), token)
	require.NoError(t, err, "this call began before the revocation")
	_, err = f.Authenticate(t.Context(), token)
	assert.Equal(t, errcodes.Unauthorized, errcodes.Of(err))
}

func TestTheCache(t *testing.T) {
	t.Run("spares the store reads for up to 1 s", func(t *testing.T) {
		f := newFixture(t, clientauth.Config{})
		token := f.issue(t)
		for range 10 {
			_, err := f.Authenticate(t.Context(), token)
			require.NoError(t, err)
			f.clock.Advance(99 * time.Millisecond)
		}
		assert.Equal(t, 1, f.store.looks())
	})
	t.Run("evicts entries when it is full, and rejects no token", func(t *testing.T) {
		f := newFixture(t, clientauth.Config{CacheEntries: 1})
		var tokens []string
		for range 500 {
			tokens = append(tokens, f.issue(t))
		}
		for range 2 {
			for _, token := range tokens {
				_, err := f.Authenticate(t.Context(), token)
				require.NoError(t, err)
			}
		}
		assert.Greater(t, f.store.looks(), 800, "the cache has room for 64 of 500 tokens")
	})
}

func TestConcurrentUse(t *testing.T) {
	f := newFixture(t, clientauth.Config{CacheEntries: 64})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				token := f.issue(t)
				_, err := f.Authenticate(t.Context(), token)
				assert.NoError(t, err)
				f.clock.Advance(time.Millisecond)
				assert.NoError(t, f.Revoke(t.Context(), "acme", token))
				_, err = f.Authenticate(t.Context(), token)
				assert.Equal(t, errcodes.Unauthorized, errcodes.Of(err))
			}
		})
	}
	wg.Wait()
}
