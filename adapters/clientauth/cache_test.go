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

// I14: a token works exactly while it is valid, not revoked, and its client enabled.
func TestRevoke(t *testing.T) {
	f := newFixture(t, clientauth.Config{})
	token := f.issue(t)
	_, err := f.Authenticate(t.Context(), token)
	require.NoError(t, err)
	require.NoError(t, f.Revoke(t.Context(), token))
	_, err = f.Authenticate(t.Context(), token)
	assert.Equal(t, errcodes.Unauthorized, errcodes.Of(err), "at once, cached or not")
	assert.NoError(t, f.Revoke(t.Context(), token), "again")
}

// TestARevocationIsRecorded is I39; the audit row has the token's hash, not the token
// (I16).
func TestARevocationIsRecorded(t *testing.T) {
	f := newFixture(t, clientauth.Config{})
	token, actor := f.issue(t), ports.Actor{Client: "acme", Address: "192.0.2.1", Trace: "trace"}
	require.NoError(t, f.Revoke(ports.WithActor(t.Context(), actor), token))
	hash := sha256.Sum256([]byte(token))
	assert.Equal(t, []ports.AuditRow{{At: start, Actor: actor, Act: ports.ActTokenRevoked, Object: hex.EncodeToString(hash[:])}}, f.store.audit)
}

// The token is read before it is revoked, and the store returns it after.
func TestALateReadDoesNotUndoARevocation(t *testing.T) {
	f := newFixture(t, clientauth.Config{})
	token := f.issue(t)
	f.store.onToken = func() {
		f.store.onToken = nil
		require.NoError(t, f.Revoke(t.Context(), token))
	}
	_, err := f.Authenticate(t.Context(), token)
	require.NoError(t, err, "this call began before the revocation")
	_, err = f.Authenticate(t.Context(), token)
	assert.Equal(t, errcodes.Unauthorized, errcodes.Of(err))
}

func TestTheCache(t *testing.T) {
	t.Run("spares the store reads for up to 5 s", func(t *testing.T) {
		f := newFixture(t, clientauth.Config{})
		token := f.issue(t)
		for range 10 {
			_, err := f.Authenticate(t.Context(), token)
			require.NoError(t, err)
			f.clock.Advance(400 * time.Millisecond)
		}
		assert.Equal(t, 1, f.store.looks())
	})
	for name, end := range map[string]func(*store, string){
		"a revocation elsewhere": func(s *store, _ string) { clear(s.tokens) },
		"a disabled client":      func(s *store, _ string) { s.clients["acme"] = ports.Client{ID: "acme", Disabled: true} },
		"a removed client":       func(s *store, _ string) { clear(s.clients) },
	} {
		t.Run(name+" is seen within 5 s", func(t *testing.T) {
			f := newFixture(t, clientauth.Config{})
			token := f.issue(t)
			_, err := f.Authenticate(t.Context(), token)
			require.NoError(t, err)
			end(f.store, token)
			f.clock.Advance(5 * time.Second)
			_, err = f.Authenticate(t.Context(), token)
			assert.Equal(t, errcodes.Unauthorized, errcodes.Of(err))
		})
	}
	t.Run("is not used after the clock was set back", func(t *testing.T) {
		f := newFixture(t, clientauth.Config{})
		token := f.issue(t)
		_, err := f.Authenticate(t.Context(), token)
		require.NoError(t, err)
		clear(f.store.tokens)
		f.clock.Advance(-time.Hour)
		_, err = f.Authenticate(t.Context(), token)
		assert.Equal(t, errcodes.Unauthorized, errcodes.Of(err))
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
				assert.NoError(t, f.Revoke(t.Context(), token))
				_, err = f.Authenticate(t.Context(), token)
				assert.Equal(t, errcodes.Unauthorized, errcodes.Of(err))
			}
		})
	}
	wg.Wait()
}
