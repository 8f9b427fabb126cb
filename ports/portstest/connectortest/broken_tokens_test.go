package connectortest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/connectortest"
	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
)

const (
	serveCheck   = "an access token is used for many lookups"
	replaceCheck = "a token that is rejected after use is replaced once"
	awaitCheck   = "a lookup that waits for another lookup's login returns at its deadline"
	expireCheck  = "an expired token is replaced"
)

// loginJudging changes how the connector reads the answer of its login.
func loginJudging(change func(status int, body []byte, g grant, err error) (grant, error)) func(h *connectortest.Harness) {
	return bends(func(r *reference) {
		judge := r.login.judge
		r.login.judge = func(response *http.Response, body []byte) (grant, error) {
			g, err := judge(response, body)
			return change(response.StatusCode, body, g, err)
		}
	})
}

// loginFails replaces the code of a login error with another.
func loginFails(code, instead errcodes.Code, when func(status int, body []byte) bool) func(h *connectortest.Harness) {
	return loginJudging(func(status int, body []byte, g grant, err error) (grant, error) {
		if errcodes.Of(err) == code && when(status, body) {
			err = errcodes.New(instead, "")
		}
		return g, err
	})
}

// loginSending changes the request of the login.
func loginSending(change func(r *reference, send func(*http.Request) (*http.Response, error)) func(*http.Request) (*http.Response, error)) func(h *connectortest.Harness) {
	return bends(func(r *reference) { r.login.send = change(r, r.login.send) })
}

// loginDetached logs in without the caller's context.
var loginDetached = loginSending(func(_ *reference, send func(*http.Request) (*http.Response, error)) func(*http.Request) (*http.Response, error) {
	return func(request *http.Request) (*http.Response, error) {
		return send(request.WithContext(context.WithoutCancel(request.Context())))
	}
})

func anyBody(int, []byte) bool { return true }

// tokenless removes the tokens from the scenarios' requests.
func tokenless(files fstest.MapFS) {
	for _, f := range files {
		f.Data = []byte(strings.ReplaceAll(string(f.Data), "Bearer access-77f1c0", "{{any}}"))
	}
}

var badLogins = []badConnector{
	{"logs in for each lookup", serveCheck, bends(func(r *reference) { r.login.keep = func(grant, time.Time) {} })},
	{"ignores a token's lifetime", serveCheck, loginJudging(func(_ int, _ []byte, g grant, err error) (grant, error) {
		g.life = 0
		return g, err
	})},
	{"never replaces a token", replaceCheck, bends(func(r *reference) { r.login.renews = func(bool, int) bool { return false } })},
	{"replaces a token three times", replaceCheck, bends(func(r *reference) { r.login.renews = func(_ bool, round int) bool { return round < 3 } })},
	{"retries with the rejected token", replaceCheck, bends(func(r *reference) {
		var first grant
		keep := r.login.keep
		r.login.keep = func(g grant, asked time.Time) {
			if first.token == "" {
				first = g
			}
			keep(first, asked)
		}
		judge := r.login.judge
		r.login.judge = func(response *http.Response, body []byte) (grant, error) {
			g, err := judge(response, body)
			if first.token != "" {
				g.token = first.token
			}
			return g, err
		}
	})},
	{"replaces a token that was never used", playCheck, bends(func(r *reference) { r.login.renews = func(_ bool, round int) bool { return round == 0 } })},
	{"calls a provider that rejects all tokens unavailable", replaceCheck, bends(func(r *reference) {
		look := r.lookup
		served := false
		r.lookup = func(ctx context.Context, l ports.AccountLookup) (ports.Answer, error) {
			a, err := look(ctx, l)
			if served && errcodes.Of(err) == errcodes.Configuration {
				err = errcodes.New(errcodes.Unavailable, "")
			}
			served = true
			return a, err
		}
	})},
	{"never lets a token expire", expireCheck, bends(func(r *reference) { r.login.good = func(time.Time) bool { return true } })},
	{"lets tokens expire by the machine's clock", expireCheck, bends(func(r *reference) {
		var end time.Time
		keep := r.login.keep
		r.login.keep = func(g grant, asked time.Time) {
			end = time.Now().Add(g.life)
			keep(g, asked)
		}
		r.login.good = func(time.Time) bool { return time.Now().Before(end) }
	})},
	{"waits for another lookup's login without a deadline", awaitCheck, bends(func(r *reference) {
		r.login.queue = func(context.Context) error { r.login.turn <- struct{}{}; return nil }
	})},
	{"returns its own error while it waits for another lookup's login", awaitCheck, bends(func(r *reference) {
		queue := r.login.queue
		r.login.queue = func(ctx context.Context) error {
			if queue(ctx) != nil {
				return errcodes.New(errcodes.Unavailable, "")
			}
			return nil
		}
	})},
	{"ignores the deadline in a login", hangCheck, loginDetached},
	{"reads a login for longer than the deadline", dripCheck, loginDetached},
	{"ignores cancellation in a login", leftCheck, loginDetached},
	{"asks without a token if the login returns none", unreadCheck, loginJudging(func(status int, _ []byte, g grant, err error) (grant, error) {
		if status == http.StatusOK && err != nil {
			return grant{token: "none"}, nil
		}
		return g, err
	})},
	{"calls a login's empty body not found", unreadCheck, loginJudging(func(_ int, body []byte, g grant, err error) (grant, error) {
		if len(body) == 0 {
			return grant{answer: notFound}, nil
		}
		return g, err
	})},
	{"calls an unreadable login a configuration error", unreadCheck, loginFails(errcodes.MalformedAnswer, errcodes.Configuration, statusIs(http.StatusOK))},
	{"calls a login's 404 not found", pageCheck, loginJudging(func(status int, _ []byte, g grant, err error) (grant, error) {
		if status == http.StatusNotFound {
			return grant{answer: notFound}, nil
		}
		return g, err
	})},
	{"calls a login's 502 malformed", fiveCheck, loginFails(errcodes.Unavailable, errcodes.MalformedAnswer, statusIs(http.StatusBadGateway))},
	{"calls a broken connection in a login malformed", brokenCheck, loginSending(func(_ *reference, send func(*http.Request) (*http.Response, error)) func(*http.Request) (*http.Response, error) {
		return func(request *http.Request) (*http.Response, error) {
			response, err := send(request)
			if err != nil {
				body := io.NopCloser(strings.NewReader("{}"))
				return &http.Response{StatusCode: http.StatusOK, Body: body}, nil
			}
			return response, err
		}
	})},
	{"calls credentials rejected by the login unavailable", refuseCheck, loginFails(errcodes.Configuration, errcodes.Unavailable, anyBody)},
	{"uses the token of a 401", refuseCheck, bends(func(r *reference) {
		judge := r.login.judge
		r.login.judge = func(response *http.Response, body []byte) (grant, error) {
			if response.StatusCode == http.StatusUnauthorized && strings.Contains(string(body), "token") {
				response.StatusCode = http.StatusOK
			}
			return judge(response, body)
		}
	})},
	{"calls a login's 429 unavailable", slowCheck, loginJudging(func(status int, _ []byte, g grant, err error) (grant, error) {
		if status == http.StatusTooManyRequests {
			return grant{}, errcodes.New(errcodes.Unavailable, "")
		}
		return g, err
	})},
	{"reads the whole answer of a login", hugeCheck, bends(func(r *reference) { r.login.read = io.ReadAll })},
	{"follows the redirects of a login", hostCheck, loginSending(func(r *reference, _ func(*http.Request) (*http.Response, error)) func(*http.Request) (*http.Response, error) {
		return r.up.Client.Do
	})},
	{"tries a login again", oneCheck, loginSending(func(_ *reference, send func(*http.Request) (*http.Response, error)) func(*http.Request) (*http.Response, error) {
		return func(request *http.Request) (*http.Response, error) {
			response, err := send(request)
			if err == nil && response.StatusCode == http.StatusServiceUnavailable {
				response.Body.Close()
				request.Body, _ = request.GetBody()
				return send(request)
			}
			return response, err
		}
	})},
	{"has the access token in its errors", refuseCheck, failing(func(r *reference, _ ports.AccountLookup, err error) error {
		return fmt.Errorf("asked with %s: %w", r.login.token, err)
	})},
	{"has the login's answer in its errors", fiveCheck, loginJudging(func(_ int, body []byte, g grant, err error) (grant, error) {
		if err != nil {
			err = fmt.Errorf("%s: %w", body, err)
		}
		return g, err
	})},
	{"has no token in its scenarios", showCheck, files(tokenless)},
}

// harnessed runs a check on a changed harness and returns its record.
func harnessed(t *testing.T, check string, change func(h *connectortest.Harness)) *broken.Recorder {
	t.Helper()
	return broken.Record(t, func(tb testing.TB) {
		h := soundHarness()
		change(&h)
		connectortest.RunConnectorCheck(tb, check, h)
	})
}

// TestAContradictoryHarnessIsRejected before any check, with a helpful message.
func TestAContradictoryHarnessIsRejected(t *testing.T) {
	for says, change := range map[string]func(h *connectortest.Harness){
		"found.json asks for the account without an exchange at /token": edited("found", `"path": "/token"`, `"path": "/token2"`),
		"failed.json asks for the account without an exchange at /a or /b": func(h *connectortest.Harness) {
			h.Tokens = []string{"/a", "/b"}
			without("bank_down")(h)
		},
		"TokenLife is below 0":                  func(h *connectortest.Harness) { h.TokenLife = -1 },
		"TokenLife is set, but Tokens is empty": func(h *connectortest.Harness) { h.Tokens = nil },
		"both Tokens and NoUpstream are set":    func(h *connectortest.Harness) { h.NoUpstream = true },
	} {
		r := harnessed(t, nameCheck, change)
		if !r.Failed() || !strings.Contains(r.Text(), says) {
			t.Errorf("want %q: %s", says, r.Text())
		}
	}
}

// TestALookupThatReturnsBeforeItAsksIsReported: a suite that waited for the request
// would never end.
func TestALookupThatReturnsBeforeItAsksIsReported(t *testing.T) {
	for _, check := range []string{leftCheck, hangCheck, dripCheck} {
		r := harnessed(t, check, files(func(files fstest.MapFS) {
			for _, f := range files { // a different login from the connector's
				f.Data = []byte(strings.ReplaceAll(string(f.Data), "client_credentials", "password"))
			}
		}))
		if !r.Failed() || !strings.Contains(r.Text(), "before it asked for the account: is the token's exchange missing?") {
			t.Errorf("%s: %s", check, r.Text())
		}
	}
	noLogin := bends(func(r *reference) {
		r.lookup = func(context.Context, ports.AccountLookup) (ports.Answer, error) {
			return ports.Answer{}, errors.New("no")
		}
	})
	r := harnessed(t, awaitCheck, noLogin)
	if !r.Failed() || !strings.Contains(r.Text(), "before it asked for a token at /token") {
		t.Error(r.Text())
	}
}

func TestMissingTokensAreHinted(t *testing.T) {
	for _, check := range []string{textCheck, oneCheck} {
		r := harnessed(t, check, func(h *connectortest.Harness) { h.Tokens, h.TokenLife = nil, 0 })
		if !r.Failed() || !strings.Contains(r.Text(), "add the path to Tokens") {
			t.Errorf("%s: %s", check, r.Text())
		}
	}
}

// TestATokenInAnotherHeaderIsFound: the suite looks for it in what is printed.
func TestATokenInAnotherHeaderIsFound(t *testing.T) {
	other := files(func(files fstest.MapFS) {
		for _, f := range files {
			f.Data = []byte(strings.ReplaceAll(string(f.Data), `"Authorization": "Bearer access-77f1c0"`, `"X-Token": "access-77f1c0"`))
		}
	})
	if r := harnessed(t, showCheck, other); r.Failed() {
		t.Error(r.Text())
	}
}
