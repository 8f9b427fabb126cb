package wire_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

// on returns one server, without taking turns.
func (a *api) on(i int) *api {
	own := *a
	own.h = a.servers[i]
	return &own
}

// refusedOn returns the servers that reject a token.
func (s *story) refusedOn(token string) (refused []int) {
	s.t.Helper()
	for i := range s.servers {
		w := s.on(i).do(request{method: "GET", path: "/v1/rate-locks/rl_none", token: token})
		if w.Code == 401 {
			assert.Equal(s.t, unauthorized, w.Body.String())
			refused = append(refused, i)
		}
	}
	return refused
}

// allRefuse requires that all servers reject a token.
func (s *story) allRefuse(token string) {
	s.t.Helper()
	assert.Len(s.t, s.refusedOn(token), len(s.servers))
}

// I14: the server that revokes a token rejects it at once; others may accept it until
// their cached entry expires.
func TestARevokedTokenIsRejected(t *testing.T) { at(t, aRevokedTokenIsRejected, shared) }

func aRevokedTokenIsRejected(t *testing.T, p place) {
	s := newStory(t, p)
	kept := s.logIn("acme")
	for i, one := range s.processes {
		token := s.logIn("acme")
		require.Empty(t, s.refusedOn(token), "good wherever it was issued")
		require.NoError(t, one.auth.Revoke(t.Context(), "acme", token))
		assert.Contains(t, s.refusedOn(token), i)
		s.clock.Advance(clientauth.MaxCacheFor)
		s.allRefuse(token)
		unseen := s.logIn("acme")
		require.NoError(t, one.auth.Revoke(t.Context(), "acme", unseen))
		s.allRefuse(unseen)
	}
	assert.Empty(t, s.refusedOn(kept), "another token of the client")
}

// I14, I31: a client ends its own tokens over the wire, and nobody else's.
func TestAClientRevokesItsTokens(t *testing.T) { at(t, aClientRevokesItsTokens, shared) }

func aClientRevokesItsTokens(t *testing.T, p place) {
	s := newStory(t, p)
	betas, another := s.logIn("beta"), s.logIn("acme")
	revoke := func(bearer, token, more string) {
		w := s.do(post("/v1/auth/oauth2/revoke", bearer, `{"token":"`+token+`"`+more+`}`))
		require.Equal(t, 200, w.Code, w.Body)
		require.Equal(t, "{}", w.Body.String())
		s.clock.Advance(clientauth.MaxCacheFor)
	}
	const acme = `,"client_id":"acme","client_secret":"s3cret"`
	revoke(s.token, betas, "")
	revoke("", betas, acme)
	revoke(betas, betas, acme) // the credentials decide
	assert.Empty(t, s.refusedOn(betas), "another client's")
	revoke("", another, acme)
	s.allRefuse(another)
	assert.Empty(t, s.refusedOn(s.token))
	revoke(s.token, s.token, "")
	s.allRefuse(s.token)
	assert.Empty(t, s.refusedOn(betas))
}

// I14: tokens of a disabled client are invalid on all servers.
func TestADisabledClientIsRejected(t *testing.T) { at(t, aDisabledClientIsRejected, shared) }

func aDisabledClientIsRejected(t *testing.T, p place) {
	s := newStory(t, p)
	require.Empty(t, s.refusedOn(s.token))
	acme := ports.Client{ID: "acme", Secrets: []ports.ClientSecret{{SHA256: clientauth.HashSecret("s3cret")}}, Disabled: true}
	require.NoError(t, s.next().clients.PutClient(t.Context(), acme, storemodel.AuditRow))
	for i := range s.servers {
		assert.Equal(t, 401, s.on(i).do(post("/v1/auth/oauth2/token", "", credentials)).Code, "no new token from now on")
	}
	s.clock.Advance(clientauth.MaxCacheFor)
	s.allRefuse(s.token)
	acme.Disabled = false
	require.NoError(t, s.next().clients.PutClient(t.Context(), acme, storemodel.AuditRow))
	assert.Empty(t, s.refusedOn(s.token), "a refusal is not kept")
	s.clock.Advance(24*time.Hour - clientauth.MaxCacheFor)
	s.allRefuse(s.token)
}
