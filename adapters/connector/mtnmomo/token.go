package mtnmomo

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/corridor-go/corridor/adapters/connector/httpcall"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// longest bounds the life that is believed of a token.
const longest = 24 * time.Hour

// tokens keeps the token in use.
type tokens struct {
	clock  ports.Clock
	fetch  func(context.Context) (httpcall.Reply, error)
	flight singleflight.Group

	mu      sync.Mutex
	current token
}

// token is good from since until until. It is a func, so that no print of the
// connector shows it; the zero token is good never.
type token struct {
	value        func() string
	since, until time.Time
}

// grant is a token for one lookup, or the answer to give without one.
type grant struct {
	value   string
	used    bool // earlier lookups had it, too
	refusal ports.Answer
}

func newTokens(clock ports.Clock, fetch func(context.Context) (httpcall.Reply, error)) *tokens {
	return &tokens{clock: clock, fetch: fetch}
}

// get gives the token in use, or a new one, which is asked for once for all who
// wait. That request serves them all, so it does not end with the one who came
// first.
func (t *tokens) get(ctx context.Context) (grant, error) {
	if value, ok := t.cached(); ok {
		return grant{value: value, used: true}, nil
	}
	granted := t.flight.DoChan("", func() (any, error) {
		own, cancel := context.WithTimeout(context.WithoutCancel(ctx), TokenTimeout)
		defer cancel()
		return t.renew(own)
	})
	select {
	case <-ctx.Done():
		return grant{}, ctx.Err()
	case result := <-granted:
		if errors.Is(result.Err, context.DeadlineExceeded) {
			return grant{}, errcodes.New(errcodes.DeadlineExceeded, "MTN gave no token in time")
		}
		got, _ := result.Val.(grant)
		return got, result.Err
	}
}

// cached gives the token in use. A clock that went back makes it bad.
func (t *tokens) cached() (string, bool) {
	now := t.clock.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	if now.Before(t.current.since) || !now.Before(t.current.until) {
		return "", false
	}
	return t.current.value(), true
}

// drop forgets a token that MTN refused, unless it was replaced meanwhile.
func (t *tokens) drop(value string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current.value != nil && t.current.value() == value {
		t.current = token{}
	}
}

// renew asks for a token and keeps it. Whoever was late for the flight before
// finds what that one kept.
func (t *tokens) renew(ctx context.Context) (grant, error) {
	if value, ok := t.cached(); ok {
		return grant{value: value, used: true}, nil
	}
	since := t.clock.Now()
	reply, err := t.fetch(ctx)
	if err != nil {
		return grant{}, err
	}
	got, life, err := granted(reply)
	if err != nil || got.value == "" {
		return got, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.current = token{value: func() string { return got.value }, since: since, until: since.Add(usable(life))}
	return got, nil
}

// usable is how long of its life a token is used.
func usable(life time.Duration) time.Duration {
	life = min(max(life, 0), longest)
	return max(life-TokenMargin, life/2)
}

// granted reads the answer of the token route
// (momodeveloper.mtn.com, CreateAccessToken). The request holds nothing but
// credentials, so a 4xx is about them.
func granted(reply httpcall.Reply) (grant, time.Duration, error) {
	var body struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int64  `json:"expires_in"` // seconds
		Code        string `json:"code"`
		Message     string `json:"message"`
	}
	err := reply.Open(&body)
	switch {
	case reply.Throttled():
		return grant{refusal: reply.Later(body.Code, body.Message)}, 0, nil
	case reply.Status >= http.StatusBadRequest && reply.Status < http.StatusInternalServerError:
		return grant{}, 0, httpcall.Refused()
	case err != nil:
		return grant{}, 0, err
	case reply.Status >= http.StatusInternalServerError || httpcall.Secret("", body.AccessToken) != nil:
		return grant{}, 0, reply.Unread()
	default:
		seconds := min(body.ExpiresIn, int64(longest/time.Second))
		return grant{value: body.AccessToken}, time.Duration(seconds) * time.Second, nil
	}
}
