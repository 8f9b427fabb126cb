package clientauth_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

var start = time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)

// store keeps clients and tokens, counts reads, and fails on demand.
type store struct {
	mu      sync.Mutex
	clients map[string]ports.Client
	tokens  map[[32]byte]ports.Token
	audit   []ports.AuditRow
	reads   int
	err     error
	onToken func() // runs after a token was read, before Token returns
}

func (s *store) Client(_ context.Context, id string) (ports.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return ports.Client{}, s.err
	}
	c, ok := s.clients[id]
	if !ok {
		return ports.Client{}, errcodes.New(errcodes.NotFound, "")
	}
	return c, nil
}

func (s *store) PutToken(_ context.Context, t ports.Token, _ int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	if _, there := s.tokens[t.SHA256]; there {
		return errcodes.New(errcodes.Conflict, "")
	}
	s.tokens[t.SHA256] = t
	return nil
}

func (s *store) Token(_ context.Context, hash [32]byte) (ports.Token, error) {
	s.mu.Lock()
	s.reads++
	t, ok := s.tokens[hash]
	err, onToken := s.err, s.onToken
	s.mu.Unlock()
	if onToken != nil {
		onToken()
	}
	if err == nil && !ok {
		err = errcodes.New(errcodes.NotFound, "")
	}
	return t, err
}

func (s *store) Revoke(_ context.Context, hash [32]byte, audit ports.AuditRow) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	if _, there := s.tokens[hash]; there {
		s.audit = append(s.audit, audit)
	}
	delete(s.tokens, hash)
	return nil
}

func (s *store) RevokeAll(context.Context, string, ports.AuditRow) (int, error) {
	return 0, errors.New("no test calls this")
}

func (s *store) PurgeTokens(_ context.Context, before time.Time, n int) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	purged := 0
	for hash, t := range s.tokens {
		if purged < n && !t.ExpiresAt.After(before) {
			delete(s.tokens, hash)
			purged++
		}
	}
	return purged, s.err
}

func (s *store) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

func (s *store) put(c ports.Client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clients[c.ID] = c
}

func (s *store) looks() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reads
}

func secretOf(text string) ports.ClientSecret {
	return ports.ClientSecret{SHA256: sha256.Sum256([]byte(text))}
}

type fixture struct {
	*clientauth.Authenticator
	clock *portstest.Clock
	store *store
}

// newFixture has the client acme, with the secret "right" and one merchant.
func newFixture(t testing.TB, cfg clientauth.Config) fixture {
	t.Helper()
	f := fixture{clock: portstest.NewClock(start), store: &store{
		clients: map[string]ports.Client{"acme": {
			ID: "acme", Merchants: []string{"m1"}, Secrets: []ports.ClientSecret{secretOf("right")},
		}},
		tokens: map[[32]byte]ports.Token{},
	}}
	cfg.Clock = f.clock
	auth, err := clientauth.New(clientauth.Ports{Clients: f.store, Tokens: f.store}, &cfg)
	require.NoError(t, err)
	f.Authenticator = auth
	return f
}

func (f fixture) issue(t testing.TB) string {
	t.Helper()
	token, _, err := f.Issue(t.Context(), "acme", "right")
	require.NoError(t, err)
	return token
}
