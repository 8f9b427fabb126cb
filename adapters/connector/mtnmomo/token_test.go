package mtnmomo_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/connector/mtnmomo"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

const tokenPath = "/disbursement/token/"

var begin = time.Date(2026, time.March, 2, 9, 30, 0, 0, time.UTC)

// mtn issues the tokens t1, t2, … and accepts those in good.
type mtn struct {
	*mtnmomo.Connector

	clock *portstest.Clock

	mu      sync.Mutex
	asked   int // requests for tokens
	issued  int
	lookups int
	good    map[string]bool
	life    int // of a token, in seconds

	rejecting bool
	hold      chan struct{} // token answers wait for it; nil: no wait
	arrived   chan struct{} // receives a value per request for a token
}

func open(tb testing.TB) *mtn {
	tb.Helper()
	m := &mtn{clock: portstest.NewClock(begin), good: map[string]bool{}, life: 3600, arrived: make(chan struct{}, 64)}
	server := httptest.NewServer(http.HandlerFunc(m.serve))
	tb.Cleanup(server.Close)
	c, err := mtnmomo.New(credentials(), &mtnmomo.Config{BaseURL: server.URL, Clock: m.clock})
	require.NoError(tb, err)
	m.Connector = c
	return m
}

func (m *mtn) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == tokenPath {
		m.arrived <- struct{}{}
		m.mu.Lock()
		m.asked++
		hold := m.hold
		m.mu.Unlock()
		if hold != nil {
			<-hold
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		m.issued++
		token := fmt.Sprint("t", m.issued)
		m.good[token] = !m.rejecting
		_, _ = fmt.Fprintf(w, `{"access_token":%q,"token_type":"access_token","expires_in":%d}`, token, m.life)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lookups++
	if !m.good[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")] {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	_, _ = fmt.Fprint(w, `{"given_name":"Ama","family_name":"Mensah","status":"ACTIVE"}`)
}

// revoke invalidates the tokens issued so far.
func (m *mtn) revoke() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.good = map[string]bool{}
}

// rejectAll invalidates all tokens, also future ones.
func (m *mtn) rejectAll() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rejecting, m.good = true, map[string]bool{}
}

func (m *mtn) counts() (issued, lookups int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.issued, m.lookups
}

func lookup() ports.AccountLookup {
	return ports.AccountLookup{Account: ports.Account{
		Market: ports.Market{Country: "GHA", Type: ports.MobileMoney}, Identifier: "233241234567",
	}}
}

func credentials() mtnmomo.Credentials {
	return mtnmomo.Credentials{SubscriptionKey: "subscription-secret", APIUser: "user-secret", APIKey: "key-secret", TargetEnvironment: "mtnghana"}
}

func (m *mtn) finds(tb testing.TB) {
	tb.Helper()
	answer, err := m.Lookup(tb.Context(), lookup())
	require.NoError(tb, err)
	require.Equal(tb, ports.Answer{Kind: ports.OutcomeFound, HolderName: "Ama Mensah"}, answer)
}

func TestATokenIsUsedUntilShortlyBeforeItExpires(t *testing.T) {
	m := open(t)
	for _, c := range []struct {
		wait time.Duration
		want int
	}{
		{0, 1}, {time.Second, 1}, {59*time.Minute - time.Second - 1, 1}, {1, 2}, {time.Minute, 2}, {2 * time.Hour, 3}, {-3 * time.Hour, 4},
	} {
		m.clock.Advance(c.wait)
		m.finds(t)
		issued, _ := m.counts()
		require.Equal(t, c.want, issued, c.wait)
	}
}

func TestATokenWithoutALifeIsUsedOnce(t *testing.T) {
	m := open(t)
	m.life = 0
	m.finds(t)
	m.finds(t)
	issued, lookups := m.counts()
	require.Equal(t, []int{2, 2}, []int{issued, lookups})
}

func TestConcurrentLookupsShareOneTokenRequest(t *testing.T) {
	const callers = 16
	m := open(t)
	m.hold = make(chan struct{})
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			answer, err := m.Lookup(t.Context(), lookup())
			assert.NoError(t, err)
			assert.Equal(t, ports.OutcomeFound, answer.Kind)
		})
	}
	<-m.arrived
	close(m.hold)
	wg.Wait()
	issued, lookups := m.counts()
	require.Equal(t, []int{1, callers}, []int{issued, lookups})
}

func TestACanceledCallerDoesNotCancelTheTokenRequest(t *testing.T) {
	m := open(t)
	m.hold = make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() { _, err := m.Lookup(ctx, lookup()); first <- err }()
	<-m.arrived
	cancel()
	require.Equal(t, context.Canceled, <-first)
	close(m.hold)
	m.finds(t)
	m.mu.Lock()
	defer m.mu.Unlock()
	require.Equal(t, 1, m.asked)
}

func TestARejectedTokenIsRenewedOnce(t *testing.T) {
	m := open(t)
	m.finds(t)
	m.revoke()
	m.finds(t)
	issued, lookups := m.counts()
	require.Equal(t, []int{2, 3}, []int{issued, lookups})
	m.finds(t)
	issued, lookups = m.counts()
	require.Equal(t, []int{2, 4}, []int{issued, lookups})
}

func TestIfEveryTokenIsRejectedTheLookupIsSentTwiceAtMost(t *testing.T) {
	m := open(t)
	m.finds(t)
	m.rejectAll()
	_, err := m.Lookup(t.Context(), lookup())
	require.Equal(t, errcodes.Configuration, errcodes.Of(err))
	_, lookups := m.counts()
	require.Equal(t, 3, lookups)
}

func TestARejectedNewTokenIsNotRenewed(t *testing.T) {
	m := open(t)
	m.rejectAll()
	_, err := m.Lookup(t.Context(), lookup())
	require.Equal(t, errcodes.Configuration, errcodes.Of(err))
	issued, lookups := m.counts()
	require.Equal(t, []int{1, 1}, []int{issued, lookups})
}

func TestConcurrentLookupsSurviveARevocation(t *testing.T) {
	m := open(t)
	m.finds(t)
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			if i == 7 {
				m.revoke()
			}
			answer, err := m.Lookup(t.Context(), lookup())
			assert.NoError(t, err)
			assert.Equal(t, ports.OutcomeFound, answer.Kind)
		})
	}
	wg.Wait()
	issued, _ := m.counts()
	require.LessOrEqual(t, issued, 2)
}
