package clientauth_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

// TestATokenWorksWhileAllOfI14Holds runs two processes on one store, under any sequence
// of issues, revocations, changes of clients and moves of the clock. A process may
// overlook a change in the store for CacheFor.
func TestATokenWorksWhileAllOfI14Holds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newTokenWorld(rt)
		rt.Repeat(map[string]func(*rapid.T){
			"":       w.check,
			"issue":  w.issue,
			"revoke": w.revoke,
			"end all": func(rt *rapid.T) {
				id := w.id(rt)
				n, err := w.store.Tokens().RevokeAll(rt.Context(), id, anyRow)
				require.NoError(rt, err)
				require.Equal(rt, n, w.forget(func(m *modelToken) bool { return m.ClientID == id }))
			},
			"purge": func(rt *rapid.T) {
				require.NoError(rt, w.process(rt).Tick(rt.Context(), w.clock.Now()))
				w.forget(func(m *modelToken) bool { return !w.clock.Now().Before(m.ExpiresAt) })
			},
			"change a client": w.change,
			"end a secret soon": func(rt *rapid.T) {
				if len(w.tokens) > 0 {
					m := rapid.SampledFrom(w.tokens).Draw(rt, "token")
					w.put(rt, ports.Client{ID: m.ClientID, Secrets: []ports.ClientSecret{{
						SHA256: m.SecretSHA256, NotAfter: w.clock.Now().Add(time.Duration(rapid.IntRange(1, 3).Draw(rt, "ms")) * time.Millisecond),
					}}})
				}
			},
			"remove a client": func(rt *rapid.T) { w.removed[w.id(rt)] = rapid.Bool().Draw(rt, "removed") },
			"move the clock": func(rt *rapid.T) {
				w.clock.Set(w.instant(rt))
			},
			"let time pass": func(rt *rapid.T) {
				w.clock.Advance(rapid.SampledFrom([]time.Duration{time.Millisecond, time.Second - time.Millisecond, time.Second}).Draw(rt, "by"))
			},
		})
	})
}

// skew is how far in the future RevokedBefore may be without locking its client.
const skew = 5 * time.Second

var anyRow = ports.AuditRow{At: start, Act: "test.write"}

// tokenWorld is two processes, and a model of what they should answer.
type tokenWorld struct {
	clock     *portstest.Clock
	store     *memory.Store
	processes [2]*clientauth.Authenticator
	clients   map[string]ports.Client
	removed   map[string]bool
	tokens    []*modelToken
}

type modelToken struct {
	ports.Token
	text  string
	gone  bool // from the store
	reads [2][]answered
}

// answered is a moment at which a process accepted a token, and the end that the token
// then had.
type answered struct{ at, until time.Time }

func newTokenWorld(rt *rapid.T) *tokenWorld {
	store, err := memory.New(nil)
	require.NoError(rt, err)
	w := &tokenWorld{clock: portstest.NewClock(start), store: store, clients: map[string]ports.Client{}, removed: map[string]bool{}}
	for _, id := range []string{"acme", "zenith"} {
		w.put(rt, ports.Client{ID: id, Secrets: []ports.ClientSecret{w.secret(0)}})
	}
	for i := range w.processes {
		w.processes[i], err = clientauth.New(clientauth.Ports{Clients: w, Tokens: store.Tokens()}, &clientauth.Config{Clock: w.clock, TokenLifetime: time.Hour})
		require.NoError(rt, err)
	}
	return w
}

// Client returns a client from the store unless it was removed.
func (w *tokenWorld) Client(ctx context.Context, id string) (ports.Client, error) {
	if w.removed[id] {
		return ports.Client{}, errcodes.New(errcodes.NotFound, "")
	}
	return w.store.Clients().Client(ctx, id)
}

func (w *tokenWorld) put(rt *rapid.T, c ports.Client) {
	require.NoError(rt, w.store.Clients().PutClient(rt.Context(), c, anyRow))
	w.clients[c.ID] = c
}

func (*tokenWorld) id(rt *rapid.T) string {
	return rapid.SampledFrom([]string{"acme", "zenith"}).Draw(rt, "client")
}

func (w *tokenWorld) process(rt *rapid.T) *clientauth.Authenticator {
	return w.processes[rapid.IntRange(0, 1).Draw(rt, "process")]
}

// secret returns the hash of a secret, which both clients have.
func (*tokenWorld) secret(n int) ports.ClientSecret { return secretOf("secret " + strconv.Itoa(n)) }

// instant returns a time near now or near the end of a token.
func (w *tokenWorld) instant(rt *rapid.T) time.Time {
	near := []time.Time{w.clock.Now(), w.clock.Now().Add(skew), w.clock.Now().Add(time.Hour), start}
	for _, m := range w.tokens {
		near = append(near, m.IssuedAt, m.ExpiresAt)
	}
	return rapid.SampledFrom(near).Draw(rt, "near").Add(time.Duration(rapid.IntRange(-2, 2).Draw(rt, "ms")) * time.Millisecond)
}

func (w *tokenWorld) change(rt *rapid.T) {
	c := w.clients[w.id(rt)]
	c.Disabled = rapid.IntRange(0, 3).Draw(rt, "disabled") == 0
	if rapid.IntRange(0, 3).Draw(rt, "revoke") == 0 {
		c.RevokedBefore = w.instant(rt)
	}
	c.Secrets = nil
	for n := range 3 {
		s := w.secret(n)
		switch rapid.IntRange(0, 4).Draw(rt, "window") {
		case 0:
			continue
		case 1:
			s.NotAfter = w.instant(rt)
		case 2:
			s.NotBefore = w.instant(rt)
		case 3: // two windows of one secret
			s.NotAfter = w.instant(rt)
			c.Secrets = append(c.Secrets, s)
			s.NotBefore, s.NotAfter = w.instant(rt), time.Time{}
		}
		c.Secrets = append(c.Secrets, s)
	}
	w.put(rt, c)
}

func (w *tokenWorld) issue(rt *rapid.T) {
	id, n, p, now := w.id(rt), rapid.IntRange(0, 2).Draw(rt, "secret"), w.process(rt), w.clock.Now()
	m := &modelToken{Token: ports.Token{ClientID: id, SecretSHA256: w.secret(n).SHA256, IssuedAt: now, ExpiresAt: now.Add(time.Hour)}}
	if c := w.clients[id]; c.RevokedBefore.After(now) {
		m.IssuedAt = c.RevokedBefore
	}
	window, good := w.window(m)
	good = good && !w.clients[id].RevokedBefore.After(now.Add(skew)) // otherwise it is locked
	client, err := p.Verify(rt.Context(), id, "secret "+strconv.Itoa(n))
	require.Equal(rt, good, err == nil, "Verify: %v", err)
	text, expiresIn, err := p.Issue(rt.Context(), id, "secret "+strconv.Itoa(n))
	require.Equal(rt, good, err == nil, "Issue: %v", err)
	if !good {
		require.Equal(rt, errcodes.TokenInvalidCredentials, errcodes.Of(err))
		return
	}
	require.Equal(rt, ports.Client{ID: id, RevokedBefore: w.clients[id].RevokedBefore}, client)
	require.Equal(rt, window.until.Sub(now), expiresIn)
	m.text, m.ExpiresAt = text, now.Add(expiresIn)
	w.tokens = append(w.tokens, m)
}

func (w *tokenWorld) revoke(rt *rapid.T) {
	if len(w.tokens) == 0 {
		return
	}
	m, id, p := rapid.SampledFrom(w.tokens).Draw(rt, "token"), w.id(rt), rapid.IntRange(0, 1).Draw(rt, "process")
	require.NoError(rt, w.processes[p].Revoke(rt.Context(), id, m.text))
	if id == m.ClientID && !m.gone {
		m.gone, m.reads[p] = true, nil // the process that revoked it rejects it at once
	}
}

// forget returns the number of tokens that the store then no longer has.
func (w *tokenWorld) forget(which func(*modelToken) bool) (n int) {
	for _, m := range w.tokens {
		if !m.gone && which(m) {
			m.gone = true
			n++
		}
	}
	return n
}

// window returns until when the token is valid by what is stored now, and whether it is
// valid now.
func (w *tokenWorld) window(m *modelToken) (answered, bool) {
	now, c := w.clock.Now(), w.clients[m.ClientID]
	if m.gone || w.removed[c.ID] || c.Disabled || m.IssuedAt.Before(c.RevokedBefore) {
		return answered{}, false
	}
	var widest answered
	for _, s := range c.Secrets {
		if s.SHA256 != m.SecretSHA256 || now.Before(s.NotBefore) || !s.NotAfter.IsZero() && !now.Before(s.NotAfter) {
			continue
		}
		a := answered{now, m.ExpiresAt}
		if !s.NotAfter.IsZero() && s.NotAfter.Before(a.until) {
			a.until = s.NotAfter
		}
		if a.until.After(widest.until) {
			widest = a
		}
	}
	return widest, now.Before(widest.until)
}

func (w *tokenWorld) check(rt *rapid.T) {
	now := w.clock.Now()
	for i, m := range w.tokens {
		window, works := w.window(m)
		for p, process := range w.processes {
			client, err := process.Authenticate(rt.Context(), m.text)
			overlooked := slices.ContainsFunc(m.reads[p], func(a answered) bool {
				age := now.Sub(a.at)
				return age >= 0 && age < clientauth.MaxCacheFor && now.Before(a.until)
			})
			if works != (err == nil) && (works || !overlooked) {
				rt.Fatalf("process %d, token %d: %v, want it to work: %t\n%+v\n%+v", p, i, err, works, m.Token, w.clients[m.ClientID])
			}
			if err != nil {
				require.Equal(rt, errcodes.Unauthorized, errcodes.Of(err))
				continue
			}
			require.Equal(rt, m.ClientID, client.ID)
			require.Nil(rt, client.Secrets)
			if works {
				m.reads[p] = append(m.reads[p], window)
			}
		}
	}
	for id, c := range w.clients {
		for _, since := range []time.Time{now, c.RevokedBefore, c.RevokedBefore.Add(-time.Millisecond)} {
			active := !w.removed[id] && !c.Disabled && (!since.Before(c.RevokedBefore) || c.RevokedBefore.After(now))
			err := w.processes[0].Active(rt.Context(), id, since)
			require.Equal(rt, active, err == nil, fmt.Sprintf("Active of %s since %v: %v, %+v", id, since, err, c))
		}
	}
}
