package httpcall_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/connector/httpcall"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports/portstest"
)

// door issues the tokens t1, t2, … and accepts those that are not bad.
type door struct {
	*httpcall.Tokens

	clock *portstest.Clock

	mu     sync.Mutex
	logins int
	asked  []string        // the tokens of all requests
	bad    map[string]bool // the rejected tokens; "" means all
	life   int             // of a token, in seconds
	hold   chan struct{}   // logins wait for it; nil: no wait
	came   chan struct{}   // receives a value when a login begins
}

func newDoor(tb require.TestingT, cfg httpcall.TokensConfig) *door {
	d := &door{clock: portstest.NewClock(now), bad: map[string]bool{}, life: 3600, came: make(chan struct{}, 64)}
	cfg.Clock = d.clock
	tokens, err := httpcall.NewTokens(d.login, &cfg)
	require.NoError(tb, err)
	d.Tokens = tokens
	return d
}

func (d *door) login(ctx context.Context) (httpcall.Reply, error) {
	d.mu.Lock()
	d.logins++
	hold, token := d.hold, fmt.Sprint("t", d.logins)
	reply := httpcall.Reply{Status: http.StatusOK, Body: fmt.Appendf(nil, `{"access_token":%q,"expires_in":%d}`, token, d.life)}
	d.mu.Unlock()
	select {
	case d.came <- struct{}{}:
	default:
	}
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return httpcall.Reply{}, ctx.Err()
		}
	}
	return reply, nil
}

func (d *door) ask(token string) (httpcall.Reply, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, token)
	if d.bad[""] || d.bad[token] {
		return httpcall.Reply{Status: http.StatusUnauthorized}, nil
	}
	return httpcall.Reply{Status: http.StatusOK, Body: []byte(token)}, nil
}

func (d *door) reject(token string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.bad[token] = true
}

// takes calls Do once, and returns the tokens of the requests, the number of logins so
// far, and the code of the error.
func (d *door) takes(ctx context.Context, tb require.TestingT) (asked []string, logins int, code errcodes.Code) {
	d.mu.Lock()
	d.asked = nil
	d.mu.Unlock()
	reply, err := d.Do(ctx, d.ask)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil {
		require.Equal(tb, d.asked[len(d.asked)-1], string(reply.Body))
	} else {
		require.Zero(tb, reply)
	}
	return d.asked, d.logins, errcodes.Of(err)
}

func TestNewTokensRejectsBadValues(t *testing.T) {
	login := func(context.Context) (httpcall.Reply, error) { return httpcall.Reply{}, nil }
	for text, c := range map[string]struct {
		login httpcall.Login
		cfg   httpcall.TokensConfig
	}{
		"login is required":                             {nil, httpcall.TokensConfig{}},
		"Margin is 1h0m0.000000001s, want 0s to 1h0m0s": {login, httpcall.TokensConfig{Margin: time.Hour + 1}},
		"Margin is -1ns, want 0s to 1h0m0s":             {login, httpcall.TokensConfig{Margin: -1}},
		"Timeout is 1m0.000000001s, want 0s to 1m0s":    {login, httpcall.TokensConfig{Timeout: time.Minute + 1}},
		"Timeout is -1ns, want 0s to 1m0s":              {login, httpcall.TokensConfig{Timeout: -1}},
	} {
		_, err := httpcall.NewTokens(c.login, &c.cfg)
		assert.Equal(t, errcodes.Configuration, errcodes.Of(err))
		assert.ErrorContains(t, err, text)
	}
	_, err := httpcall.NewTokens(login, nil)
	require.NoError(t, err)
}

func TestATokenIsUsedUntilShortlyBeforeItExpires(t *testing.T) {
	d := newDoor(t, httpcall.TokensConfig{})
	for _, c := range []struct {
		wait time.Duration
		want int
	}{
		{0, 1}, {time.Second, 1}, {59*time.Minute - time.Second - 1, 1}, {1, 2}, {time.Minute, 2}, {2 * time.Hour, 3}, {-3 * time.Hour, 4},
	} {
		d.clock.Advance(c.wait)
		asked, logins, code := d.takes(t.Context(), t)
		require.Empty(t, code)
		require.Equal(t, []string{fmt.Sprint("t", c.want)}, asked)
		require.Equal(t, c.want, logins, c.wait)
	}
}

// The check is for any life and margin, to the nanosecond.
func TestATokenIsUsedForItsLifeLessTheMargin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		margin := time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "margin"))
		said := time.Duration(rapid.OneOf(rapid.Int64(), rapid.Int64Range(0, int64(2*time.Hour))).Draw(t, "life"))
		d := newDoor(t, httpcall.TokensConfig{Margin: margin, Read: func(r httpcall.Reply) (httpcall.Grant, error) {
			g, err := httpcall.ReadGrant(r)
			g.Life = said
			return g, err
		}})
		life := min(max(said, 0), httpcall.MaxTokenLife)
		use := max(life-margin, life/2)
		_, first, _ := d.takes(t.Context(), t)
		require.Equal(t, 1, first)
		if use > 0 {
			d.clock.Advance(use - 1)
			_, still, _ := d.takes(t.Context(), t)
			require.Equal(t, 1, still)
			d.clock.Advance(1)
		}
		_, again, _ := d.takes(t.Context(), t)
		require.Equal(t, 2, again)
	})
}

// The rejected token was replaced meanwhile.
func TestALateRejectionKeepsTheNewToken(t *testing.T) {
	d := newDoor(t, httpcall.TokensConfig{})
	_, _, code := d.takes(t.Context(), t)
	require.Empty(t, code)
	d.reject("t1")
	slow := true
	reply, err := d.Do(t.Context(), func(token string) (httpcall.Reply, error) {
		if slow {
			slow = false
			_, logins, code := d.takes(t.Context(), t)
			require.Empty(t, code)
			require.Equal(t, 2, logins)
		}
		return d.ask(token)
	})
	require.NoError(t, err)
	require.Equal(t, "t2", string(reply.Body))
	require.Equal(t, 2, d.logins)
}

func TestConcurrentCallersShareOneLogin(t *testing.T) {
	const callers = 16
	d := newDoor(t, httpcall.TokensConfig{})
	d.hold = make(chan struct{})
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			reply, err := d.Do(t.Context(), d.ask)
			assert.NoError(t, err)
			assert.Equal(t, "t1", string(reply.Body))
		})
	}
	<-d.came
	close(d.hold)
	wg.Wait()
	require.Equal(t, 1, d.logins)
	require.Len(t, d.asked, callers)
}

func TestTheLoginOutlivesTheCallerThatStartedIt(t *testing.T) {
	d := newDoor(t, httpcall.TokensConfig{})
	d.hold = make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() { _, err := d.Do(ctx, d.ask); first <- err }()
	<-d.came
	cancel()
	require.Equal(t, context.Canceled, <-first)
	close(d.hold)
	asked, logins, code := d.takes(t.Context(), t)
	require.Empty(t, code)
	require.Equal(t, []string{"t1"}, asked)
	require.Equal(t, 1, logins)
}

func TestWaitingForAnotherCallersLoginEndsWithTheContext(t *testing.T) {
	d := newDoor(t, httpcall.TokensConfig{})
	d.hold = make(chan struct{})
	first := make(chan error, 1)
	go func() { _, err := d.Do(t.Context(), d.ask); first <- err }()
	<-d.came
	ctx, cancel := context.WithCancel(t.Context())
	second := make(chan error, 1)
	go func() { _, err := d.Do(ctx, d.ask); second <- err }()
	cancel()
	require.Equal(t, context.Canceled, <-second)
	close(d.hold)
	require.NoError(t, <-first)

	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := d.Do(over, d.ask)
	require.Equal(t, context.Canceled, err, "also if there is a token")
}

func TestALoginEndsAtItsTimeout(t *testing.T) {
	d := newDoor(t, httpcall.TokensConfig{Timeout: time.Millisecond})
	d.hold = make(chan struct{}) // never closed
	_, err := d.Do(t.Context(), d.ask)
	require.Equal(t, errcodes.DeadlineExceeded, errcodes.Of(err))
	require.ErrorContains(t, err, "the provider did not answer the login in time", "the caller's context is not done")
}

// An older token is replaced once, a new one is not.
func TestARejectedTokenIsReplacedOnce(t *testing.T) {
	d := newDoor(t, httpcall.TokensConfig{})
	expect := func(wantLogins int, wantCode errcodes.Code, wantAsked ...string) {
		t.Helper()
		asked, logins, code := d.takes(t.Context(), t)
		require.Equal(t, wantCode, code)
		require.Equal(t, wantAsked, asked)
		require.Equal(t, wantLogins, logins)
	}
	expect(1, "", "t1")
	d.reject("t1")
	expect(2, "", "t1", "t2")
	expect(2, "", "t2")
	d.reject("")
	expect(3, errcodes.Configuration, "t2", "t3")
	expect(4, errcodes.Configuration, "t4")
	expect(5, errcodes.Configuration, "t5")
	d.bad = map[string]bool{}
	expect(6, "", "t6")
}

func TestConcurrentCallersSurviveARevocation(t *testing.T) {
	d := newDoor(t, httpcall.TokensConfig{})
	_, _, code := d.takes(t.Context(), t)
	require.Empty(t, code)
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			if i == 7 {
				d.reject("t1")
			}
			_, err := d.Do(t.Context(), d.ask)
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	require.Equal(t, 2, d.logins)
}

// A login runs in its own goroutine, where no caller can recover from its panic.
func TestALoginThatPanicsIsAnError(t *testing.T) {
	for name, tokens := range map[string]struct {
		login httpcall.Login
		read  func(httpcall.Reply) (httpcall.Grant, error)
	}{
		"the login": {func(context.Context) (httpcall.Reply, error) { panic("0690000032") }, nil},
		"its reader": {
			func(context.Context) (httpcall.Reply, error) { return httpcall.Reply{Status: http.StatusOK}, nil },
			func(httpcall.Reply) (httpcall.Grant, error) { panic("0690000032") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			door, err := httpcall.NewTokens(tokens.login, &httpcall.TokensConfig{Read: tokens.read})
			require.NoError(t, err)
			for range 2 {
				_, err = door.Do(t.Context(), func(string) (httpcall.Reply, error) { return httpcall.Reply{}, nil })
				require.Equal(t, errcodes.MalformedAnswer, errcodes.Of(err))
				require.NotContains(t, err.Error(), "0690000032")
			}
		})
	}
}

func TestLoginAnswers(t *testing.T) {
	down := errcodes.New(errcodes.Unavailable, "down")
	plainText := func(r httpcall.Reply) (httpcall.Grant, error) { return httpcall.Grant{Token: string(r.Body)}, nil }
	for name, c := range map[string]struct {
		reply httpcall.Reply
		err   error
		read  func(httpcall.Reply) (httpcall.Grant, error)
		want  errcodes.Code
	}{
		"a token":                   {httpcall.Reply{Status: 200, Body: []byte(`{"access_token":"t"}`)}, nil, nil, ""},
		"a token of another shape":  {httpcall.Reply{Status: 200, Body: []byte(`t`)}, nil, plainText, ""},
		"no token":                  {httpcall.Reply{Status: 200, Body: []byte(`{}`)}, nil, nil, errcodes.MalformedAnswer},
		"null":                      {httpcall.Reply{Status: 200, Body: []byte(`null`)}, nil, nil, errcodes.MalformedAnswer},
		"an HTML page":              {httpcall.Reply{Status: 200, Body: []byte(`<html>`)}, nil, nil, errcodes.MalformedAnswer},
		"a token with a line break": {httpcall.Reply{Status: 200, Body: []byte("t\r\nX: y")}, nil, plainText, errcodes.MalformedAnswer},
		"a 401":                     {httpcall.Reply{Status: 401, Body: []byte(`{"access_token":"t"}`)}, nil, nil, errcodes.Configuration},
		"a 403":                     {httpcall.Reply{Status: 403}, nil, nil, errcodes.Configuration},
		"a 400 (RFC 6749, 5.2)":     {httpcall.Reply{Status: 400, Body: []byte(`{"error":"invalid_client"}`)}, nil, nil, errcodes.Configuration},
		"a 500 with a token":        {httpcall.Reply{Status: 500, Body: []byte(`{"access_token":"t"}`)}, nil, nil, errcodes.Unavailable},
		"an error":                  {httpcall.Reply{}, down, nil, errcodes.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			tokens, err := httpcall.NewTokens(func(context.Context) (httpcall.Reply, error) { return c.reply, c.err }, &httpcall.TokensConfig{Read: c.read})
			require.NoError(t, err)
			asked := 0
			reply, err := tokens.Do(t.Context(), func(token string) (httpcall.Reply, error) {
				asked++
				require.Equal(t, "t", token)
				return httpcall.Reply{Status: http.StatusNotFound}, nil
			})
			require.Equal(t, c.want, errcodes.Of(err))
			if c.want == "" {
				require.Equal(t, httpcall.Reply{Status: http.StatusNotFound}, reply)
				require.Equal(t, 1, asked)
			} else {
				require.Zero(t, asked)
			}
		})
	}
}

func TestTheReplyOfAThrottledLoginIsReturned(t *testing.T) {
	want := httpcall.Reply{Status: http.StatusTooManyRequests, After: 7 * time.Second, Body: []byte("slow down")}
	tokens, err := httpcall.NewTokens(func(context.Context) (httpcall.Reply, error) { return want, nil }, nil)
	require.NoError(t, err)
	reply, err := tokens.Do(t.Context(), nil) // ask is not called
	require.NoError(t, err)
	require.Equal(t, want, reply)
}

func TestAnErrorOfAskKeepsTheToken(t *testing.T) {
	d := newDoor(t, httpcall.TokensConfig{})
	own := errors.New("own")
	_, err := d.Do(t.Context(), func(string) (httpcall.Reply, error) { return httpcall.Reply{}, own })
	require.Equal(t, own, err)
	_, logins, _ := d.takes(t.Context(), t)
	require.Equal(t, 1, logins)
}

func TestPrintingShowsNoToken(t *testing.T) {
	tokens, err := httpcall.NewTokens(func(context.Context) (httpcall.Reply, error) {
		return httpcall.Reply{Status: 200, Body: []byte(`{"access_token":"` + secret + `","expires_in":60}`)}, nil
	}, nil)
	require.NoError(t, err)
	_, err = tokens.Do(t.Context(), func(string) (httpcall.Reply, error) { return httpcall.Reply{Status: 200}, nil })
	require.NoError(t, err)
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		require.Contains(t, fmt.Sprintf(format, tokens), "access tokens")
	}
	for _, format := range []string{"%v", "%+v", "%#v"} { // in a field, where fmt calls no method
		require.NotContains(t, fmt.Sprintf(format, struct{ t *httpcall.Tokens }{tokens}), secret)
	}
}

// FuzzLogin checks that whatever a login answers, every token used can be sent in a
// header, is from a 2xx, and is used for at most a day.
func FuzzLogin(f *testing.F) {
	for _, seed := range []string{
		`{"access_token":"t","expires_in":3600}`, `{"access_token":"t","expires_in":9223372036854775807}`, `{"access_token":"t","expires_in":-1}`,
		`{"access_token":1}`, "null", "", `{"access_token":"t","expires_in":1.5}`, "{\"access_token\":\"\xff\"}", `{"access_token":"a\nb"}`,
	} {
		f.Add(http.StatusOK, []byte(seed))
	}
	f.Add(http.StatusTooManyRequests, []byte("<html>"))
	f.Add(http.StatusBadRequest, []byte(`{"error":"invalid_client"}`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		login := httpcall.Reply{Status: status, Body: body}
		grant, _ := httpcall.ReadGrant(login)
		require.GreaterOrEqual(t, grant.Life, time.Duration(0))
		require.LessOrEqual(t, grant.Life, httpcall.MaxTokenLife)
		tokens, err := httpcall.NewTokens(func(context.Context) (httpcall.Reply, error) { return login, nil }, nil)
		require.NoError(t, err)
		asked := false
		reply, err := tokens.Do(t.Context(), func(token string) (httpcall.Reply, error) {
			asked = true
			require.NoError(t, httpcall.Secret("", token))
			require.Less(t, status, 400)
			return httpcall.Reply{Status: http.StatusOK}, nil
		})
		switch errcodes.Of(err) {
		case "":
			require.True(t, asked || reply.Throttled())
		case errcodes.Configuration, errcodes.Unavailable, errcodes.MalformedAnswer:
			require.False(t, asked)
		default:
			t.Fatal(err)
		}
	})
}

func TestSeconds(t *testing.T) {
	for n, want := range map[int64]time.Duration{
		3600: time.Hour, 0: 0, -1: 0, 86_400: 24 * time.Hour, 86_401: 24 * time.Hour, math.MaxInt64: 24 * time.Hour, math.MinInt64: 0,
	} {
		assert.Equal(t, want, httpcall.Seconds(n), n)
	}
}

func ExampleNewTokens() {
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/oauth/token" {
			_, _ = fmt.Fprint(w, `{"access_token":"t1","expires_in":3600}`)
			return
		}
		_, _ = fmt.Fprintf(w, `{"authorization":%q}`, r.Header.Get("Authorization"))
	}))
	defer provider.Close()

	caller, err := httpcall.New(provider.URL, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	tokens, err := httpcall.NewTokens(func(ctx context.Context) (httpcall.Reply, error) {
		return caller.Do(ctx, httpcall.Request{
			Path: []string{"oauth", "token"},
			Body: map[string]string{"grant_type": "client_credentials", "client_id": "id", "client_secret": "secret"},
		})
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	reply, err := tokens.Do(ctx, func(token string) (httpcall.Reply, error) {
		return caller.Do(ctx, httpcall.Request{
			Path:   []string{"accounts", "0123456785"},
			Header: http.Header{"Authorization": {"Bearer " + token}},
		})
	})
	fmt.Println(string(reply.Body), err)
	// Output: {"authorization":"Bearer t1"} <nil>
}
