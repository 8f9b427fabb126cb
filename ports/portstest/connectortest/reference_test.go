package connectortest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/connectortest"
)

var (
	ngaBank  = ports.Market{Country: "NGA", Type: ports.BankAccount}
	zafBank  = ports.Market{Country: "ZAF", Type: ports.BankAccount}
	kenMoney = ports.Market{Country: "KEN", Type: ports.MobileMoney}
)

// reference is a sound connector for three markets, each with its own kind of
// request: a query, a JSON body with an identity, and a path. All need an access
// token. Broken connectors replace one of its steps.
type reference struct {
	up connectortest.Upstream

	name   func() string
	caps   func() []ports.Capability
	lookup func(ctx context.Context, l ports.AccountLookup) (ports.Answer, error)
	banks  map[string]string
	build  func(ctx context.Context, l ports.AccountLookup) (*http.Request, error)
	send   func(r *http.Request) (*http.Response, error)
	read   func(body io.Reader) ([]byte, error)
	judge  func(r *http.Response, body []byte, l ports.AccountLookup) (ports.Answer, error)
	wait   func(header string) time.Duration
	shown  func() string
	login  *login
}

func newReference(up connectortest.Upstream) *reference {
	r := &reference{up: up, banks: map[string]string{"058": "058", "051001": "051001"}}
	client := *up.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	r.name = func() string { return "reference" }
	r.caps = func() []ports.Capability {
		return []ports.Capability{
			{Market: ngaBank, ReturnsName: true},
			{Market: zafBank, ComparesName: true, NeedsIdentity: true},
			{Market: kenMoney, ReturnsName: true},
		}
	}
	r.lookup, r.build, r.send = r.look, r.request, client.Do
	r.read, r.judge, r.wait = readCapped, r.answer, r.retryAfter
	r.shown = func() string { return "reference" }
	r.login = newLogin(r)
	return r
}

func (r *reference) Name() string                     { return r.name() }
func (r *reference) Capabilities() []ports.Capability { return r.caps() }
func (r *reference) String() string                   { return r.shown() }

func (r *reference) Lookup(ctx context.Context, l ports.AccountLookup) (ports.Answer, error) {
	return r.lookup(ctx, l)
}

func (r *reference) look(ctx context.Context, l ports.AccountLookup) (ports.Answer, error) {
	if err := ctx.Err(); err != nil {
		return ports.Answer{}, err
	}
	if _, ok := r.banks[l.BankCode]; !ok && l.Type == ports.BankAccount || l.Market == zafBank && l.Identity.IsZero() {
		return ports.Answer{Kind: ports.OutcomeUnsupported}, nil
	}
	for round := 0; ; round++ {
		g, err := r.login.get(ctx)
		if err != nil || g.token == "" {
			return g.answer, err
		}
		response, body, err := r.ask(ctx, l, g.token)
		if err != nil {
			return ports.Answer{}, err
		}
		if response.StatusCode == http.StatusUnauthorized {
			r.login.drop(g.token)
			if r.login.renews(g.served, round) {
				continue
			}
		}
		return r.judge(response, body, l)
	}
}

func (r *reference) ask(ctx context.Context, l ports.AccountLookup, token string) (*http.Response, []byte, error) {
	request, err := r.build(ctx, l)
	if err != nil {
		return nil, nil, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	return exchangeBy(r.send, r.read, request)
}

// exchangeBy sends a request and reads the answer.
func exchangeBy(send func(*http.Request) (*http.Response, error), read func(io.Reader) ([]byte, error), request *http.Request) (*http.Response, []byte, error) {
	response, err := send(request)
	if err != nil {
		return nil, nil, unreachable(request.Context(), err)
	}
	defer response.Body.Close()
	body, err := read(response.Body)
	if errcodes.Of(err) == errcodes.Internal { // the connection broke
		err = unreachable(request.Context(), err)
	}
	return response, body, err
}

// unreachable returns the context's error, and hides the text of other net errors.
func unreachable(ctx context.Context, err error) error {
	for _, own := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, own) {
			return own
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errcodes.New(errcodes.Unavailable, "")
}

func readCapped(body io.Reader) ([]byte, error) {
	const most = 1 << 20
	data, err := io.ReadAll(io.LimitReader(body, most+1))
	if err == nil && len(data) > most {
		return nil, errcodes.New(errcodes.MalformedAnswer, "")
	}
	return data, err
}

func (r *reference) request(ctx context.Context, l ports.AccountLookup) (*http.Request, error) {
	method, address, body := http.MethodGet, r.up.BaseURL, []byte(nil)
	switch l.Market {
	case zafBank:
		method, address = http.MethodPost, address+"/verify"
		body, _ = json.Marshal(map[string]string{
			"account_number": l.Identifier, "bank_code": r.banks[l.BankCode],
			"account_name": l.HolderName, "document": l.Identity.Number,
		})
	case kenMoney:
		address += "/holder/" + url.PathEscape(l.Identifier)
	default:
		address += "/resolve?" + url.Values{"account_number": {l.Identifier}, "bank_code": {r.banks[l.BankCode]}}.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, errcodes.New(errcodes.Internal, "")
	}
	request.Header.Set("X-Key", r.up.Secret2)
	request.Header.Set("Content-Type", "application/json")
	return request, nil
}

type referenceBody struct {
	Status   *bool  `json:"status"`
	Code     string `json:"code"`
	Message  string `json:"message"`
	Verified *bool  `json:"verified"`
	Data     struct {
		Name string `json:"account_name"` //nolint:tagliatelle // as the scenarios have it
	} `json:"data"`
}

func (r *reference) answer(response *http.Response, body []byte, l ports.AccountLookup) (ports.Answer, error) {
	status := response.StatusCode
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		return ports.Answer{}, errcodes.New(errcodes.Configuration, "")
	}
	var b referenceBody
	read := utf8.Valid(body) && json.Unmarshal(body, &b) == nil && b.Status != nil
	a := ports.Answer{Code: b.Code, Message: b.Message}
	switch {
	case status == http.StatusTooManyRequests:
		a = ports.Answer{Kind: ports.OutcomeTryLater, After: r.wait(response.Header.Get("Retry-After"))}
		if read {
			a.Code, a.Message = b.Code, b.Message
		}
		return a, nil
	case !read && status >= 500:
		return ports.Answer{}, errcodes.New(errcodes.Unavailable, "")
	case !read:
		return ports.Answer{}, errcodes.New(errcodes.MalformedAnswer, "")
	case *b.Status && status == http.StatusOK:
		return positive(b, l)
	}
	kinds := map[string]ports.Outcome{"invalid_account": ports.OutcomeNotFound, "closed": ports.OutcomeUnusable, "bank_down": ports.OutcomeTryLater, "x9": ports.OutcomeFailed}
	a.Kind = kinds[b.Code]
	if a.Kind == "" {
		return ports.Answer{}, errcodes.New(errcodes.MalformedAnswer, "")
	}
	return a, nil
}

func positive(b referenceBody, l ports.AccountLookup) (ports.Answer, error) {
	switch {
	case l.Market == zafBank && b.Verified != nil:
		if *b.Verified {
			return ports.Answer{Kind: ports.OutcomeNameMatched}, nil
		}
		return ports.Answer{Kind: ports.OutcomeNameMismatched}, nil
	case l.Market != zafBank && b.Data.Name != "":
		return ports.Answer{Kind: ports.OutcomeFound, HolderName: b.Data.Name}, nil
	default:
		return ports.Answer{}, errcodes.New(errcodes.MalformedAnswer, "")
	}
}

func (r *reference) retryAfter(header string) time.Duration {
	const most = time.Hour
	if n, err := strconv.Atoi(header); err == nil && n >= 0 {
		return time.Duration(min(n, int(most/time.Second))) * time.Second
	}
	at, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(r.up.Clock.Now()), 0), most)
}

func connectorFiles() fs.FS { return os.DirFS("testdata/connector") }

// harnessOf returns a harness whose connectors are changed by spoil.
func harnessOf(spoil func(r *reference)) connectortest.Harness {
	return connectortest.Harness{
		Scenarios: connectorFiles(), Tokens: []string{"/token"}, TokenLife: time.Hour,
		New: func(_ testing.TB, up connectortest.Upstream) ports.AccountConnector {
			r := newReference(up)
			spoil(r)
			return r
		},
	}
}

func TestACorrectConnectorPassesEveryCheck(t *testing.T) {
	connectortest.AccountConnector(t, harnessOf(func(*reference) {}))
}
