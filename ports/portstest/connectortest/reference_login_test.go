package connectortest_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// login fetches the reference connector's access token. Broken connectors replace
// one of its steps.
type login struct {
	r *reference

	send   func(r *http.Request) (*http.Response, error)
	read   func(body io.Reader) ([]byte, error)
	judge  func(r *http.Response, body []byte) (grant, error)
	queue  func(ctx context.Context) error // waits for the caller's turn to fetch
	good   func(until time.Time) bool
	keep   func(g grant, asked time.Time)
	renews func(served bool, round int) bool // whether to retry with a new token

	turn  chan struct{}
	mu    sync.Mutex
	token string
	until time.Time
}

// grant is a token, or the answer of a login that returned no token.
type grant struct {
	token  string
	served bool // an earlier lookup used it
	life   time.Duration
	answer ports.Answer
}

func newLogin(r *reference) *login {
	n := &login{r: r, turn: make(chan struct{}, 1)}
	n.send, n.read, n.judge = r.send, readCapped, n.granted
	n.queue = func(ctx context.Context) error {
		select {
		case n.turn <- struct{}{}:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	n.good = func(until time.Time) bool { return r.up.Clock.Now().Before(until) }
	n.keep = func(g grant, asked time.Time) { n.token, n.until = g.token, asked.Add(g.life) }
	n.renews = func(served bool, round int) bool { return served && round == 0 }
	return n
}

// get returns the current token or a new one.
func (n *login) get(ctx context.Context) (grant, error) {
	if g, ok := n.kept(); ok {
		return g, nil
	}
	if err := n.queue(ctx); err != nil {
		return grant{}, err
	}
	defer func() { <-n.turn }()
	if g, ok := n.kept(); ok {
		return g, nil
	}
	asked := n.r.up.Clock.Now()
	g, err := n.fetch(ctx)
	if err == nil {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.keep(g, asked)
	}
	return g, err
}

func (n *login) kept() (grant, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return grant{token: n.token, served: true}, n.token != "" && n.good(n.until)
}

func (n *login) drop(token string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.token == token {
		n.token = ""
	}
}

func (n *login) fetch(ctx context.Context) (grant, error) {
	form := strings.NewReader("grant_type=client_credentials")
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, n.r.up.BaseURL+"/token", form)
	if err != nil {
		return grant{}, errcodes.New(errcodes.Internal, "")
	}
	request.SetBasicAuth(n.r.up.UserID, n.r.up.Secret)
	request.Header.Set("X-Key", n.r.up.Secret2)
	response, body, err := exchangeBy(n.send, n.read, request)
	if err != nil {
		return grant{}, err
	}
	return n.judge(response, body)
}

func (n *login) granted(response *http.Response, body []byte) (grant, error) {
	var b struct {
		Data struct {
			Token   string `json:"token"`
			Expires int64  `json:"expires"`
		} `json:"data"`
	}
	err := json.Unmarshal(body, &b)
	switch status := response.StatusCode; {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return grant{}, errcodes.New(errcodes.Configuration, "")
	case status == http.StatusTooManyRequests:
		return grant{answer: ports.Answer{Kind: ports.OutcomeTryLater, After: n.r.wait(response.Header.Get("Retry-After"))}}, nil
	case status >= http.StatusInternalServerError:
		return grant{}, errcodes.New(errcodes.Unavailable, "")
	case err != nil, status != http.StatusOK, b.Data.Token == "":
		return grant{}, errcodes.New(errcodes.MalformedAnswer, "")
	default:
		return grant{token: b.Data.Token, life: time.Duration(b.Data.Expires) * time.Second}, nil
	}
}
