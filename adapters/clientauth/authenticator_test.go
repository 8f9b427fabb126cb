package clientauth_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

func TestNewRejectsBadConfig(t *testing.T) {
	s := &store{}
	for name, cfg := range map[string]clientauth.Config{
		"a negative lifetime":    {TokenLifetime: -1},
		"a lifetime below 1 s":   {TokenLifetime: time.Second - 1},
		"a lifetime too long":    {TokenLifetime: clientauth.MaxTokenLifetime + 1},
		"a cache above 1 s":      {CacheFor: time.Second + 1},
		"a negative cache":       {CacheFor: -1},
		"a tick below 1 ms":      {Every: time.Millisecond - 1},
		"negative cache entries": {CacheEntries: -1},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := clientauth.New(clientauth.Ports{Clients: s, Tokens: s}, &cfg)
			assert.Equal(t, errcodes.Configuration, errcodes.Of(err))
			assert.Contains(t, err.Error(), ", want ")
		})
	}
	_, err := clientauth.New(clientauth.Ports{Tokens: s}, nil)
	assert.Equal(t, errcodes.Configuration, errcodes.Of(err))
	_, err = clientauth.New(clientauth.Ports{Clients: s, Tokens: (*store)(nil)}, nil)
	require.ErrorIs(t, err, errcodes.Configuration, "a nil pointer")
	_, err = clientauth.New(clientauth.Ports{Clients: s, Tokens: s}, nil)
	assert.NoError(t, err)
}

func TestAnIssuedTokenWorks(t *testing.T) {
	f := newFixture(t, clientauth.Config{})
	token, expiresIn, err := f.Issue(t.Context(), "acme", "right")
	require.NoError(t, err)
	assert.Equal(t, 86400*time.Second, expiresIn)
	assert.Regexp(t, `^cor_at_[A-Za-z0-9_-]{43}$`, token)
	client, err := f.Authenticate(t.Context(), token)
	require.NoError(t, err)
	assert.Equal(t, ports.Client{ID: "acme", Merchants: []string{"m1"}}, client, "without the hashes of its secrets")

	again := f.issue(t)
	assert.NotEqual(t, token, again)
}

// The reported lifetime is the one that stores keep.
func TestALifetimeIsCutToTheMillisecond(t *testing.T) {
	f := newFixture(t, clientauth.Config{TokenLifetime: time.Second + 999*time.Microsecond})
	token, expiresIn, err := f.Issue(t.Context(), "acme", "right")
	require.NoError(t, err)
	assert.Equal(t, time.Second, expiresIn)
	for _, stored := range f.store.tokens {
		assert.Equal(t, start.Add(time.Second), stored.ExpiresAt)
	}
	f.clock.Advance(time.Second)
	_, err = f.Authenticate(t.Context(), token)
	assert.Equal(t, errcodes.Unauthorized, errcodes.Of(err))
}

// TestAllRejectedCredentialsGetTheSameError is I15.
func TestAllRejectedCredentialsGetTheSameError(t *testing.T) {
	f := newFixture(t, clientauth.Config{})
	withWindow := func(id string, from, to time.Time) {
		s := secretOf("right")
		s.NotBefore, s.NotAfter = from, to
		f.store.put(ports.Client{ID: id, Secrets: []ports.ClientSecret{s}})
	}
	withWindow("early", start.Add(time.Millisecond), time.Time{})
	withWindow("late", time.Time{}, start)
	f.store.put(ports.Client{ID: "off", Disabled: true, Secrets: []ports.ClientSecret{secretOf("right")}})
	f.store.put(ports.Client{ID: "locked", RevokedBefore: start.Add(time.Hour), Secrets: []ports.ClientSecret{secretOf("right")}})
	f.store.put(ports.Client{ID: "bare"})

	texts := map[string]bool{}
	for name, c := range map[string][2]string{
		"unknown client":       {"nobody", "right"},
		"wrong secret":         {"acme", "wrong"},
		"secret not yet valid": {"early", "right"},
		"secret expired":       {"late", "right"},
		"client disabled":      {"off", "right"},
		"client locked":        {"locked", "right"},
		"client has no secret": {"bare", "right"},
		"empty secret":         {"bare", ""},
	} {
		t.Run(name, func(t *testing.T) {
			token, _, err := f.Issue(t.Context(), c[0], c[1])
			assert.Empty(t, token)
			assert.Equal(t, errcodes.TokenInvalidCredentials, errcodes.Of(err))
			assert.Equal(t, errcodes.Token{Error: "Invalid client credentials"}, errcodes.TokenOf(err))
			assert.NoError(t, errors.Unwrap(err), "no wrapped error reveals the cause")
			texts[fmt.Sprintf("%#v %v", err, err)] = true
			_, err = f.Verify(t.Context(), c[0], c[1])
			texts[fmt.Sprintf("%#v %v", err, err)] = true
		})
	}
	assert.Len(t, texts, 1)
}

func TestAuthenticateRejectsTextThatIsNotAToken(t *testing.T) {
	f := newFixture(t, clientauth.Config{})
	token := f.issue(t)
	for name, text := range map[string]string{
		"empty":             "",
		"truncated":         token[:len(token)-1],
		"extended":          token + "A",
		"without prefix":    strings.TrimPrefix(token, "cor_at_"),
		"another prefix":    "cor_sk_" + strings.TrimPrefix(token, "cor_at_"),
		"prefix in capital": "COR_AT_" + strings.TrimPrefix(token, "cor_at_"),
		"leading space":     " " + token,
		"1 MiB":             strings.Repeat("a", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			before := f.store.looks()
			_, err := f.Authenticate(t.Context(), text)
			assert.Equal(t, errcodes.Unauthorized, errcodes.Of(err))
			assert.Equal(t, before, f.store.looks(), "the store is not asked")
			assert.NoError(t, f.Revoke(t.Context(), "acme", text))
		})
	}
	t.Run("of the right form but unknown", func(t *testing.T) {
		_, err := f.Authenticate(t.Context(), token[:len(token)-2]+"00")
		assert.Equal(t, errcodes.Unauthorized, errcodes.Of(err))
	})
	_, err := f.Authenticate(t.Context(), token)
	assert.NoError(t, err)
}

func TestAStoreThatFailsIsUnavailableNotUnauthorized(t *testing.T) {
	f := newFixture(t, clientauth.Config{})
	token := f.issue(t)
	for _, cause := range []error{
		errors.New("disk"),
		errcodes.New(errcodes.StorageUnavailable, ""),
		errcodes.New(errcodes.OutcomeUnknown, ""),
		errcodes.Wrap(errcodes.StorageUnavailable, "", errcodes.NotFound),
	} {
		f.store.fail(cause)
		_, _, err := f.Issue(t.Context(), "acme", "right")
		assert.Equal(t, errcodes.Unavailable, errcodes.Of(err))
		assert.Equal(t, "Authentication service unavailable", errcodes.TokenOf(err).Error)
		_, err = f.Authenticate(t.Context(), token)
		assert.Equal(t, errcodes.Unavailable, errcodes.Of(err))
		assert.Equal(t, errcodes.Unavailable, errcodes.Of(f.Revoke(t.Context(), "acme", token)))
		_, err = f.Verify(t.Context(), "acme", "right")
		assert.Equal(t, errcodes.Unavailable, errcodes.Of(err))
		assert.Equal(t, errcodes.Unavailable, errcodes.Of(f.Active(t.Context(), "acme", start)))
		assert.Equal(t, errcodes.Unavailable, errcodes.Of(f.Tick(t.Context(), start)))
	}
	f.store.fail(nil)
	f.store.onToken = func() { f.store.fail(errors.New("disk")) }
	_, err := f.Authenticate(t.Context(), token)
	assert.Equal(t, errcodes.Unavailable, errcodes.Of(err), "the token was read, its client was not")
	f.store.onToken = nil
	f.store.fail(nil)
	_, err = f.Authenticate(t.Context(), token)
	assert.NoError(t, err)
}

// Callers that go away are not failures of the store.
func TestADoneContextIsNotAnUnavailableStore(t *testing.T) {
	f := newFixture(t, clientauth.Config{})
	token := f.issue(t)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithDeadline(t.Context(), start.AddDate(-10, 0, 0))
	defer cancel()
	for name, c := range map[string]struct {
		ctx   context.Context
		cause error
		want  errcodes.Code
	}{
		"canceled":                        {canceled, context.Canceled, errcodes.Canceled},
		"canceled, with a code":           {canceled, errcodes.New(errcodes.Canceled, ""), errcodes.Canceled},
		"canceled, with an unknown fate":  {canceled, errcodes.Wrap(errcodes.OutcomeUnknown, "", context.Canceled), errcodes.Canceled},
		"too late":                        {late, context.DeadlineExceeded, errcodes.DeadlineExceeded},
		"a disk fails meanwhile":          {canceled, errors.New("disk"), errcodes.Unavailable},
		"the store canceled its own work": {t.Context(), context.Canceled, errcodes.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			f.store.fail(c.cause)
			_, _, err := f.Issue(c.ctx, "acme", "right")
			assert.Equal(t, c.want, errcodes.Of(err))
			_, err = f.Verify(c.ctx, "acme", "right")
			assert.Equal(t, c.want, errcodes.Of(err))
			_, err = f.Authenticate(c.ctx, token)
			assert.Equal(t, c.want, errcodes.Of(err))
			assert.Equal(t, c.want, errcodes.Of(f.Revoke(c.ctx, "acme", token)))
			assert.Equal(t, c.want, errcodes.Of(f.Active(c.ctx, "acme", start)))
			assert.Equal(t, c.want, errcodes.Of(f.Tick(c.ctx, start)))
		})
	}
}

func TestIssueReportsABadRandomSource(t *testing.T) {
	f := newFixture(t, clientauth.Config{Random: bytes.NewReader(bytes.Repeat([]byte{7}, 40))})
	_, _, err := f.Issue(t.Context(), "acme", "right")
	require.NoError(t, err)
	_, _, err = f.Issue(t.Context(), "acme", "right")
	assert.Equal(t, errcodes.Internal, errcodes.Of(err), "only 8 bytes are left")

	f = newFixture(t, clientauth.Config{Random: sevens{}})
	_, _, err = f.Issue(t.Context(), "acme", "right")
	require.NoError(t, err)
	_, _, err = f.Issue(t.Context(), "acme", "right")
	assert.Equal(t, errcodes.Internal, errcodes.Of(err), "the same token twice")
	assert.Equal(t, "An unknown error occurred", errcodes.TokenOf(err).Error)
}

type sevens struct{}

func (sevens) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 7
	}
	return len(p), nil
}

func TestTickPurgesExpiredTokens(t *testing.T) {
	f := newFixture(t, clientauth.Config{TokenLifetime: time.Minute})
	f.issue(t)
	f.clock.Advance(time.Second)
	live := f.issue(t)
	require.NoError(t, f.Tick(t.Context(), start.Add(time.Minute)))
	assert.Len(t, f.store.tokens, 1)
	_, err := f.Authenticate(t.Context(), live)
	assert.NoError(t, err)
}

// One page of the store is not enough.
func TestTickPurgesUntilNoExpiredTokenIsLeft(t *testing.T) {
	f := newFixture(t, clientauth.Config{})
	for i := range 2*ports.MaxPage + 1 {
		hash := sha256.Sum256([]byte{byte(i), byte(i >> 8), byte(i >> 16)})
		f.store.tokens[hash] = ports.Token{SHA256: hash, ExpiresAt: start}
	}
	require.NoError(t, f.Tick(t.Context(), start))
	assert.Empty(t, f.store.tokens)
}

func TestAClientHasAtMost1000Tokens(t *testing.T) {
	store, err := memory.New(nil)
	require.NoError(t, err)
	f := newFixture(t, clientauth.Config{})
	auth, err := clientauth.New(clientauth.Ports{Clients: f.store, Tokens: store.Tokens()}, &clientauth.Config{Clock: f.clock})
	require.NoError(t, err)
	var tokens []string
	for range clientauth.MaxTokens + 1 {
		token, _, err := auth.Issue(t.Context(), "acme", "right")
		require.NoError(t, err)
		tokens = append(tokens, token)
		f.clock.Advance(time.Millisecond)
	}
	for i, token := range tokens {
		_, err := auth.Authenticate(t.Context(), token)
		assert.Equal(t, i > 0, err == nil, "token %d: %v", i, err)
	}
}

func TestRunPurgesUntilStop(t *testing.T) {
	failed := make(chan error, 10)
	f := newFixture(t, clientauth.Config{
		TokenLifetime: time.Minute, Hooks: clientauth.Hooks{Background: func(_ context.Context, err error) { failed <- err }},
	})
	f.issue(t)
	f.clock.Advance(time.Minute)
	done := make(chan error, 1)
	go func() { done <- f.Run(t.Context()) }()
	f.clock.BlockUntil(1)
	assert.Empty(t, f.store.tokens, "at once")
	f.store.fail(errors.New("disk"))
	f.clock.Advance(clientauth.DefaultEvery)
	assert.Equal(t, errcodes.Unavailable, errcodes.Of(<-failed))
	require.NoError(t, f.Stop(t.Context()))
	require.NoError(t, <-done)
}

// TestNothingSecretIsStored is I16: no byte that reaches the store contains a token or
// a secret.
func TestNothingSecretIsStored(t *testing.T) {
	f := newFixture(t, clientauth.Config{})
	token := f.issue(t)
	dump := fmt.Sprintf("%v %+v %q", f.store.tokens, f.store.clients, fmt.Sprintf("%s", f.store.tokens))
	for _, canary := range []string{token, token[7:], "right"} {
		assert.NotContains(t, dump, canary)
	}
	assert.Contains(t, dump, "acme", "the dump shows what is there")
}

func FuzzAuthenticate(f *testing.F) {
	x := newFixture(f, clientauth.Config{})
	token := x.issue(f)
	f.Add(token)
	f.Add("")
	f.Add(token[1:])
	f.Add("cor_at_")
	f.Fuzz(func(t *testing.T, text string) {
		_, err := x.Authenticate(t.Context(), text)
		if (err == nil) != (text == token) {
			t.Fatalf("%q: %v, want an error unless it is %q", text, err, token)
		}
	})
}

func BenchmarkAuthenticate(b *testing.B) {
	f := newFixture(b, clientauth.Config{})
	token, ctx := f.issue(b), b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.Authenticate(ctx, token); err != nil {
			b.Fatal(err)
		}
	}
}
