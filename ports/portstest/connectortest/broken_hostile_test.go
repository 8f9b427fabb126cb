package connectortest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/connectortest"
)

// again repeats a request that got the status.
func again(r *reference, status int) {
	send := r.send
	r.send = func(request *http.Request) (*http.Response, error) {
		response, err := send(request)
		if err == nil && response.StatusCode == status {
			response.Body.Close()
			return send(request)
		}
		return response, err
	}
}

// twice doubles the exchange of a scenario.
func twice(data []byte) []byte {
	var s map[string]any
	_ = json.Unmarshal(data, &s)
	list, _ := s["exchanges"].([]any)
	s["exchanges"] = slices.Concat(list, list)
	out, _ := json.Marshal(s)
	return out
}

// mixesUp stores the account of each lookup in one shared field and reads it from
// there.
func mixesUp(r *reference) {
	look := r.lookup
	var mu sync.Mutex
	var last ports.AccountLookup
	r.lookup = func(ctx context.Context, l ports.AccountLookup) (ports.Answer, error) {
		mu.Lock()
		if last.Identifier == "" {
			last = l
		}
		l = last
		mu.Unlock()
		return look(ctx, l)
	}
}

// judging changes how the connector reads responses.
func judging(change func(status int, body []byte, a ports.Answer, err error) (ports.Answer, error)) func(h *connectortest.Harness) {
	return bends(func(r *reference) {
		judge := r.judge
		r.judge = func(response *http.Response, body []byte, l ports.AccountLookup) (ports.Answer, error) {
			a, err := judge(response, body, l)
			return change(response.StatusCode, body, a, err)
		}
	})
}

// instead returns an answer where the sound connector returns an error.
func insteadOf(code errcodes.Code, answer ports.Answer, when func(status int, body []byte) bool) func(h *connectortest.Harness) {
	return judging(func(status int, body []byte, a ports.Answer, err error) (ports.Answer, error) {
		if errcodes.Of(err) == code && when(status, body) {
			return answer, nil
		}
		return a, err
	})
}

func statusIs(want ...int) func(int, []byte) bool {
	return func(status int, _ []byte) bool { return slices.Contains(want, status) }
}

func bodyIs(want string) func(int, []byte) bool {
	return func(status int, body []byte) bool { return status == http.StatusOK && string(body) == want }
}

var (
	notFound = ports.Answer{Kind: ports.OutcomeNotFound}
	someone  = ports.Answer{Kind: ports.OutcomeFound, HolderName: "A"}
)

const (
	unreadCheck = "an unreadable answer is malformed or unavailable"
	pageCheck   = "an error page is never an answer about the account"
	fiveCheck   = "a 5xx without an answer about the account is unavailable"
	brokenCheck = "a broken connection or an unreachable provider is unavailable"
	refuseCheck = "rejected credentials are a configuration error, whatever the body"
	slowCheck   = "a 429 is try_later, whatever its body and Retry-After"
	latinCheck  = "a name in another encoding is decoded or rejected, never garbled"
	hugeCheck   = "an endless body is not read completely"
	typeCheck   = "another Content-Type is ignored or malformed"
)

var badAnswers = []badConnector{
	{"calls an empty body not found", unreadCheck, insteadOf(errcodes.MalformedAnswer, notFound, bodyIs(""))},
	{"calls null not found", unreadCheck, insteadOf(errcodes.MalformedAnswer, notFound, bodyIs("null"))},
	{"calls an empty object a failure", unreadCheck, insteadOf(errcodes.MalformedAnswer, ports.Answer{Kind: ports.OutcomeFailed}, bodyIs("{}"))},
	{"calls an empty list not found", unreadCheck, insteadOf(errcodes.MalformedAnswer, notFound, bodyIs("[]"))},
	{"finds an account on a 204", unreadCheck, insteadOf(errcodes.MalformedAnswer, someone, statusIs(http.StatusNoContent))},
	{"reads the first of two answers", unreadCheck, insteadOf(errcodes.MalformedAnswer, someone, func(_ int, body []byte) bool {
		return json.NewDecoder(bytes.NewReader(body)).Decode(&referenceBody{}) == nil && bytes.Count(body, []byte("}{")) > 0
	})},
	{"accepts a body without its end", unreadCheck, insteadOf(errcodes.MalformedAnswer, someone, func(_ int, body []byte) bool {
		return len(body) > 0 && json.Valid(append(slices.Clone(body), '}'))
	})},
	{"accepts a number as a name", unreadCheck, insteadOf(errcodes.MalformedAnswer, someone, func(_ int, body []byte) bool {
		return bytes.Contains(body, []byte(`"account_name":1`))
	})},
	{"finds a name that is null", unreadCheck, insteadOf(errcodes.MalformedAnswer, someone, func(_ int, body []byte) bool {
		return bytes.Contains(body, []byte(`:null`))
	})},
	{"finds an account whose data is null", unreadCheck, insteadOf(errcodes.MalformedAnswer, someone, func(_ int, body []byte) bool {
		return bytes.Contains(body, []byte(`"status":true`)) && bytes.Contains(body, []byte(`"data":null`))
	})},
	{"returns no code for an unreadable answer", unreadCheck, judging(func(_ int, _ []byte, a ports.Answer, err error) (ports.Answer, error) {
		if errcodes.Of(err) == errcodes.MalformedAnswer {
			err = errors.New("cannot read it")
		}
		return a, err
	})},
	{"calls each 404 not found", pageCheck, insteadOf(errcodes.MalformedAnswer, notFound, statusIs(http.StatusNotFound))},
	{"calls each 400 not found", pageCheck, insteadOf(errcodes.MalformedAnswer, notFound, statusIs(http.StatusBadRequest))},
	{"calls each 422 a failure", pageCheck, insteadOf(errcodes.MalformedAnswer, ports.Answer{Kind: ports.OutcomeFailed}, statusIs(http.StatusUnprocessableEntity))},
	{"calls a 502 malformed", fiveCheck, judging(func(status int, _ []byte, a ports.Answer, err error) (ports.Answer, error) {
		if status == http.StatusBadGateway {
			return ports.Answer{}, errcodes.New(errcodes.MalformedAnswer, "")
		}
		return a, err
	})},
	{"calls a 500 not found", fiveCheck, insteadOf(errcodes.Unavailable, notFound, statusIs(http.StatusInternalServerError))},
	{"calls a network failure malformed", brokenCheck, bends(func(r *reference) {
		look := r.lookup
		r.lookup = func(ctx context.Context, l ports.AccountLookup) (ports.Answer, error) {
			a, err := look(ctx, l)
			if errcodes.Of(err) == errcodes.Unavailable {
				err = errcodes.New(errcodes.MalformedAnswer, "")
			}
			return a, err
		}
	})},
	{"uses what came before the break", brokenCheck, bends(func(r *reference) {
		r.read = func(body io.Reader) ([]byte, error) {
			data, _ := io.ReadAll(io.LimitReader(body, 1<<20))
			return data, nil
		}
	})},
	{"calls a 401 not found", refuseCheck, insteadOf(errcodes.Configuration, notFound, statusIs(http.StatusUnauthorized))},
	{"calls a 403 unavailable", refuseCheck, judging(func(status int, _ []byte, a ports.Answer, err error) (ports.Answer, error) {
		if status == http.StatusForbidden {
			err = errcodes.New(errcodes.Unavailable, "")
		}
		return a, err
	})},
	{"believes the body of a 401", refuseCheck, bends(func(r *reference) {
		judge := r.judge
		r.judge = func(response *http.Response, body []byte, l ports.AccountLookup) (ports.Answer, error) {
			if response.StatusCode == http.StatusUnauthorized && json.Valid(body) && len(body) > len("{}") {
				response.StatusCode = http.StatusOK
			}
			return judge(response, body, l)
		}
	})},
	{"calls a 429 unavailable", slowCheck, judging(func(status int, _ []byte, a ports.Answer, err error) (ports.Answer, error) {
		if status == http.StatusTooManyRequests {
			return ports.Answer{}, errcodes.New(errcodes.Unavailable, "")
		}
		return a, err
	})},
	{"believes the body of a 429", slowCheck, judging(func(status int, body []byte, a ports.Answer, err error) (ports.Answer, error) {
		if status == http.StatusTooManyRequests && bytes.Contains(body, []byte("account_name")) {
			return someone, nil
		}
		return a, err
	})},
	{"waits for 292 years", slowCheck, bends(func(r *reference) {
		r.wait = func(header string) time.Duration {
			n, _ := strconv.Atoi(header)
			return max(0, time.Duration(n)*time.Second)
		}
	})},
	{"returns a negative wait", slowCheck, bends(func(r *reference) {
		r.wait = func(header string) time.Duration {
			at, err := http.ParseTime(header)
			if err != nil {
				return 0
			}
			return min(at.Sub(r.up.Clock.Now()), time.Hour)
		}
	})},
	{"repairs text", latinCheck, bends(func(r *reference) {
		judge := r.judge
		r.judge = func(response *http.Response, body []byte, l ports.AccountLookup) (ports.Answer, error) {
			return judge(response, bytes.ToValidUTF8(body, []byte(string(utf8.RuneError))), l)
		}
	})},
	{"reads the whole body", hugeCheck, bends(func(r *reference) { r.read = io.ReadAll })},
	{"reads the whole body and then rejects it", hugeCheck, bends(func(r *reference) {
		read := r.read
		r.read = func(body io.Reader) ([]byte, error) {
			data, err := read(body)
			_, _ = io.Copy(io.Discard, body)
			return data, err
		}
	})},
	{"calls another type not found", typeCheck, bends(func(r *reference) {
		judge := r.judge
		r.judge = func(response *http.Response, body []byte, l ports.AccountLookup) (ports.Answer, error) {
			if strings.HasPrefix(response.Header.Get("Content-Type"), "text/html") {
				return notFound, nil
			}
			return judge(response, body, l)
		}
	})},
}

const (
	textCheck   = "account numbers and bank codes are sent as text, with leading zeros"
	escapeCheck = "an identifier is escaped in the request"
	hostCheck   = "nothing is sent to another host"
	showCheck   = "printing a connector does not reveal its credentials"
)

// building changes the requests.
func building(change func(r *http.Request, l ports.AccountLookup)) func(h *connectortest.Harness) {
	return bends(func(r *reference) {
		build := r.build
		r.build = func(ctx context.Context, l ports.AccountLookup) (*http.Request, error) {
			request, err := build(ctx, l)
			if err == nil {
				change(request, l)
			}
			return request, err
		}
	})
}

// follows redirects, as http.Client does by itself.
func follows(policy func(*http.Request, []*http.Request) error) func(h *connectortest.Harness) {
	return bends(func(r *reference) {
		client := *r.up.Client
		client.CheckRedirect = policy
		r.send = client.Do
	})
}

// failing replaces the errors of the sound connector.
func failing(with func(r *reference, l ports.AccountLookup, err error) error) func(h *connectortest.Harness) {
	return bends(func(r *reference) {
		look := r.lookup
		r.lookup = func(ctx context.Context, l ports.AccountLookup) (ports.Answer, error) {
			a, err := look(ctx, l)
			if err != nil {
				err = with(r, l, err)
			}
			return a, err
		}
	})
}

var badSecrets = []badConnector{
	{"sends account numbers as numbers", textCheck, building(func(r *http.Request, l ports.AccountLookup) {
		q := r.URL.Query()
		q.Set("account_number", strings.TrimLeft(l.Identifier, "0"))
		r.URL.RawQuery = q.Encode()
	})},
	{"sends an account number as a JSON number", textCheck, bends(func(r *reference) {
		build := r.build
		r.build = func(ctx context.Context, l ports.AccountLookup) (*http.Request, error) {
			request, err := build(ctx, l)
			if l.Market == zafBank && err == nil {
				n, _ := strconv.Atoi(l.Identifier)
				body, _ := json.Marshal(map[string]any{"account_number": n})
				request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			}
			return request, err
		}
	})},
	{"sends bank codes as numbers", textCheck, bends(func(r *reference) { r.banks["058"] = "58" })},
	{"puts the identifier into the query as it is", escapeCheck, building(func(r *http.Request, l ports.AccountLookup) {
		if l.Market == ngaBank {
			r.URL.RawQuery = "account_number=" + strings.ReplaceAll(l.Identifier, " ", "+") + "&bank_code=058"
		}
	})},
	{"puts the identifier into the path as it is", escapeCheck, bends(func(r *reference) {
		build := r.build
		r.build = func(ctx context.Context, l ports.AccountLookup) (*http.Request, error) {
			request, err := build(ctx, l)
			if l.Market != kenMoney || err != nil {
				return request, err
			}
			u, err := url.Parse(r.up.BaseURL + "/holder/" + l.Identifier)
			if err != nil {
				return nil, errcodes.New(errcodes.Internal, "")
			}
			request.URL = u
			return request, nil
		}
	})},
	{"follows redirects", hostCheck, follows(nil)},
	{"follows redirects without the header", hostCheck, follows(func(r *http.Request, _ []*http.Request) error {
		r.Header.Del("Authorization")
		return nil
	})},
	{"calls a redirect not found", hostCheck, insteadOf(errcodes.MalformedAnswer, notFound, statusIs(http.StatusFound))},
	{"prints its secret", showCheck, bends(func(r *reference) { r.shown = func() string { return fmt.Sprintf("%+v", r.up) } })},
	{"prints its basic credentials", showCheck, bends(func(r *reference) {
		r.shown = func() string {
			request, _ := http.NewRequest(http.MethodGet, "http://x", nil)
			request.SetBasicAuth(r.up.UserID, r.up.Secret)
			return request.Header.Get("Authorization")
		}
	})},
	{"prints its access token", showCheck, bends(func(r *reference) {
		r.shown = func() string {
			r.login.mu.Lock()
			defer r.login.mu.Unlock()
			return "reference " + r.login.token
		}
	})},
	{"has the number in its errors", brokenCheck, failing(func(_ *reference, l ports.AccountLookup, err error) error {
		return fmt.Errorf("%s: %w", l.Identifier, err)
	})},
	{"has the name in its errors", pageCheck, failing(func(_ *reference, l ports.AccountLookup, err error) error {
		return fmt.Errorf("%s: %w", l.HolderName, err)
	})},
	{"has the secret in a public message", refuseCheck, failing(func(r *reference, _ ports.AccountLookup, err error) error {
		return errcodes.New(errcodes.Of(err), "the key "+r.up.Secret+" is rejected")
	})},
	{"has the URL in the cause of an error", brokenCheck, failing(func(r *reference, l ports.AccountLookup, err error) error {
		return errcodes.Wrap(errcodes.Of(err), "", &url.Error{Op: "Get", URL: r.up.BaseURL + "/" + l.Identifier, Err: err})
	})},
	{"wraps the number in an error with a text of its own", brokenCheck, failing(func(_ *reference, l ports.AccountLookup, err error) error {
		return hiding{errcodes.New(errcodes.Of(err), l.Identifier)}
	})},
	{"logs what it asks", playCheck, bends(func(r *reference) {
		look := r.lookup
		r.lookup = func(ctx context.Context, l ports.AccountLookup) (ports.Answer, error) {
			r.up.Logger.LogAttrs(ctx, slog.LevelDebug, "looking up", slog.String("account", l.Identifier))
			return look(ctx, l)
		}
	})},
}

// hiding is an error whose text omits that of the error it wraps.
type hiding struct{ error }

func (h hiding) Error() string { return "failed" }
func (h hiding) Unwrap() error { return h.error }
