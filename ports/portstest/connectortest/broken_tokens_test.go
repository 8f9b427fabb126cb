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
	serveCheck   = "an access token serves many lookups"
	replaceCheck = "a token that served and is refused is replaced once"
	awaitCheck   = "a lookup that waits for another's login ends at its deadline"
	expireCheck  = "an expired token is replaced"
)

// loginJudging changes how the connector reads what its login answers.
func loginJudging(change func(status int, body []byte, g grant, err error) (grant, error)) func(h *connectortest.Harness) {
	return bends(func(r *reference) {
		judge := r.login.judge
		r.login.judge = func(response *http.Response, body []byte) (grant, error) {
			g, err := judge(response, body)
			return change(response.StatusCode, body, g, err)
		}
	})
}

// loginFails gives another error where the login has one of the code.
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

// tokenless leaves no token in the scenarios' requests.
func tokenless(files fstest.MapFS) {
	for _, f := range files {
		f.Data = []byte(strings.ReplaceAll(string(f.Data), "Bearer access-77f1c0", "{{any}}"))
	}
}

var badLogins = []badConnector{
	{"logs in for each lookup", serveCheck, bends(func(r *reference) { r.login.keep = func(grant, time.Time) {} })},
	{"uses a token without its life", serveCheck, loginJudging(func(_ int, _ []byte, g grant, err error) (grant, error) {
		g.life = 0
		return g, err
	})},
	{"never replaces a token", replaceCheck, bends(func(r *reference) { r.login.renews = func(bool, int) bool { return false } })},
	{"replaces a token three times", replaceCheck, bends(func(r *reference) { r.login.renews = func(_ bool, round int) bool { return round < 3 } })},
	{"asks again with the token that was refused", replaceCheck, bends(func(r *reference) {
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
	{"replaces a token that never served", playCheck, bends(func(r *reference) { r.login.renews = func(_ bool, round int) bool { return round == 0 } })},
	{"calls a provider that refuses all tokens unavailable", replaceCheck, bends(func(r *reference) {
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
	{"lets no token expire", expireCheck, bends(func(r *reference) { r.login.good = func(time.Time) bool { return true } })},
	{"lets tokens expire by the machine's clock", expireCheck, bends(func(r *reference) {
		var end time.Time
		keep := r.login.keep
		r.login.keep = func(g grant, asked time.Time) {
			end = time.Now().Add(g.life)
			keep(g, asked)
		}
		r.login.good = func(time.Time) bool { return time.Now().Before(end) }
	})},
	{"waits for another's login as long as that takes", awaitCheck, bends(func(r *reference) {
		r.login.queue = func(context.Context) error { r.login.turn <- struct{}{}; return nil }
	})},
	{"gives its own error where it waits for another's login", awaitCheck, bends(func(r *reference) {
		queue := r.login.queue
		r.login.queue = func(ctx context.Context) error {
			if queue(ctx) != nil {
				return errcodes.New(errcodes.Unavailable, "")
			}
			return nil
		}
	})},
	{"does not heed the deadline of a login", hangCheck, loginDetached},
	{"reads a login for longer than the deadline", dripCheck, loginDetached},
	{"goes on with the login for a caller that has left", leftCheck, loginDetached},
	{"asks with no token where the login gives none", unreadCheck, loginJudging(func(status int, _ []byte, g grant, err error) (grant, error) {
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
	{"calls a login that it cannot read a configuration error", unreadCheck, loginFails(errcodes.MalformedAnswer, errcodes.Configuration, statusIs(http.StatusOK))},
	{"calls a login's 404 not found", pageCheck, loginJudging(func(status int, _ []byte, g grant, err error) (grant, error) {
		if status == http.StatusNotFound {
			return grant{answer: notFound}, nil
		}
		return g, err
	})},
	{"calls a login's 502 malformed", fiveCheck, loginFails(errcodes.Unavailable, errcodes.MalformedAnswer, statusIs(http.StatusBadGateway))},
	{"calls a login that breaks off malformed", brokenCheck, loginSending(func(_ *reference, send func(*http.Request) (*http.Response, error)) func(*http.Request) (*http.Response, error) {
		return func(request *http.Request) (*http.Response, error) {
			response, err := send(request)
			if err != nil {
				body := io.NopCloser(strings.NewReader("{}"))
				return &http.Response{StatusCode: http.StatusOK, Body: body}, nil
			}
			return response, err
		}
	})},
	{"calls credentials that the login refuses unavailable", refuseCheck, loginFails(errcodes.Configuration, errcodes.Unavailable, anyBody)},
	{"takes the token of a 401", refuseCheck, bends(func(r *reference) {
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
	{"reads all that a login says", hugeCheck, bends(func(r *reference) { r.login.read = io.ReadAll })},
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
	{"shows no token in its scenarios", showCheck, files(tokenless)},
}

// harnessed runs a check on a harness that was changed, and gives what it says.
func harnessed(t *testing.T, check string, change func(h *connectortest.Harness)) *broken.Recorder {
	t.Helper()
	return broken.Record(t, func(tb testing.TB) {
		h := soundHarness()
		change(&h)
		connectortest.RunConnectorCheck(tb, check, h)
	})
}

// TestAHarnessThatContradictsItsScenariosIsRefused before any check, and in words
// that help.
func TestAHarnessThatContradictsItsScenariosIsRefused(t *testing.T) {
	for says, change := range map[string]func(h *connectortest.Harness){
		"found.json asks for the account without an exchange at /token": edited("found", `"path": "/token"`, `"path": "/token2"`),
		"failed.json asks for the account without an exchange at /a or /b": func(h *connectortest.Harness) {
			h.Tokens = []string{"/a", "/b"}
			without("bank_down")(h)
		},
		"TokenLife is negative":          func(h *connectortest.Harness) { h.TokenLife = -1 },
		"no path in Tokens":              func(h *connectortest.Harness) { h.Tokens = nil },
		"NoUpstream says that nobody is": func(h *connectortest.Harness) { h.NoUpstream = true },
	} {
		r := harnessed(t, nameCheck, change)
		if !r.Failed() || !strings.Contains(r.Text(), says) {
			t.Errorf("want %q: %s", says, r.Text())
		}
	}
}

// TestALookupThatEndsBeforeItAsksIsTold: a suite that waits for the request would
// wait for ever.
func TestALookupThatEndsBeforeItAsksIsTold(t *testing.T) {
	for _, check := range []string{leftCheck, hangCheck, dripCheck} {
		r := harnessed(t, check, files(func(files fstest.MapFS) {
			for _, f := range files { // another login than the connector's
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

func TestTokensThatWereForgottenAreHinted(t *testing.T) {
	for _, check := range []string{textCheck, oneCheck} {
		r := harnessed(t, check, func(h *connectortest.Harness) { h.Tokens, h.TokenLife = nil, 0 })
		if !r.Failed() || !strings.Contains(r.Text(), "name that path in Tokens") {
			t.Errorf("%s: %s", check, r.Text())
		}
	}
}

// TestATokenInAnotherHeaderIsOne that the suite looks for.
func TestATokenInAnotherHeaderIsOne(t *testing.T) {
	other := files(func(files fstest.MapFS) {
		for _, f := range files {
			f.Data = []byte(strings.ReplaceAll(string(f.Data), `"Authorization": "Bearer access-77f1c0"`, `"X-Token": "access-77f1c0"`))
		}
	})
	if r := harnessed(t, showCheck, other); r.Failed() {
		t.Error(r.Text())
	}
}
