//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// client is a user of the service with a token.
type client struct {
	place place
	url   string
	token string
	fresh *http.Client // opens a connection for each request
	kept  *http.Client

	mu     sync.Mutex
	lock   string // the last one created
	times  []time.Duration
	others map[string]int // requests that did not succeed, by status or error
}

// place is an address from which the client comes.
type place struct {
	addr    string
	allowed string // why its requests may fail; empty: they must succeed
}

// patience is how long the client waits for an answer.
const patience = 10 * time.Second

func newClient(addr string, p place) *client {
	from := func(keep bool) *http.Client {
		return &http.Client{Timeout: patience, Transport: &http.Transport{
			DialContext:       (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(p.addr)}}).DialContext,
			DisableKeepAlives: !keep,
		}}
	}
	return &client{place: p, url: "http://" + addr, fresh: from(false), kept: from(true), others: map[string]int{}}
}

// login gets a token, on the connection that is kept.
func (c *client) login(ctx context.Context, id, secret string) error {
	credentials := map[string]string{"client_id": id, "client_secret": secret}
	status, answer, err := c.do(ctx, c.kept, http.MethodPost, "/v1/auth/oauth2/token", credentials)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("status %d", status)
	}
	if err != nil {
		return fmt.Errorf("no token for the client: %w", err)
	}
	c.token = answer["access_token"]
	return nil
}

// work sends a request every 100 ms until ctx ends, whether or not those before it were
// answered, and waits for the answers.
func (c *client) work(ctx context.Context) {
	const pause = 100 * time.Millisecond
	var requests sync.WaitGroup
	defer requests.Wait()
	every := time.NewTicker(pause)
	defer every.Stop()
	for i := 0; ; i++ {
		requests.Go(func() { c.request(context.WithoutCancel(ctx), i) })
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}

// request creates, reads or cancels a lock. Cancelling frees its slot, so that the next
// create writes to the store.
func (c *client) request(ctx context.Context, i int) {
	over := c.fresh
	if i/3%2 == 1 {
		over = c.kept
	}
	c.mu.Lock()
	lock := c.lock
	c.mu.Unlock()
	method, path, body := http.MethodPost, "/v1/rate-locks", any(nil)
	switch {
	case i%3 == 0 || lock == "":
		body = map[string]string{"base": "USD", "quote": "ZAR"}
	case i%3 == 1:
		method, path = http.MethodGet, path+"/"+lock
	default:
		path += "/" + lock + "/cancel"
	}
	start := time.Now()
	status, answer, err := c.do(ctx, over, method, path, body)
	took := time.Since(start)

	c.mu.Lock()
	defer c.mu.Unlock()
	switch id := answer["rateLockId"]; {
	case err != nil:
		c.others[reason(err)]++
	case (status != http.StatusOK && status != http.StatusCreated) || id == "":
		c.others[fmt.Sprint(status)]++
	default:
		c.lock = id
		c.times = append(c.times, took)
	}
}

// do sends a request and returns the fields of the answer that are text.
func (c *client) do(ctx context.Context, over *http.Client, method, path string, body any) (status int, fields map[string]string, err error) {
	var sent []byte
	if body != nil {
		if sent, err = json.Marshal(body); err != nil {
			return 0, nil, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(sent))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	answer, err := over.Do(request)
	if err != nil {
		return 0, nil, err
	}
	raw, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		return 0, nil, err
	}
	var all map[string]any
	if err := json.Unmarshal(raw, &all); err != nil {
		return 0, nil, err
	}
	fields = map[string]string{}
	for name, value := range all {
		if text, ok := value.(string); ok {
			fields[name] = text
		}
	}
	return answer.StatusCode, fields, nil
}

// reason returns what an error is about, without addresses.
func reason(err error) string {
	switch {
	case isTimeout(err):
		return fmt.Sprintf("no answer in %s", patience)
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "reset"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "closed"
	default:
		text := err.Error()
		return text[strings.LastIndex(text, ": ")+1:]
	}
}

// String returns what the client got.
func (c *client) String() string {
	text := fmt.Sprintf("client at %s: %d succeeded, %s failed", c.place.addr, len(c.times), counts(c.others))
	if len(c.times) > 0 {
		slices.Sort(c.times)
		text += fmt.Sprintf(", median %s, worst %s", round(c.times[len(c.times)/2]), round(c.times[len(c.times)-1]))
	}
	if len(c.others) > 0 && c.place.allowed != "" {
		text += " (allowed: " + c.place.allowed + ")"
	}
	return text
}

func round(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }

// counts returns a list such as "3 × 429, 1 × closed", or "none".
func counts(of map[string]int) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		list = append(list, fmt.Sprintf("%d × %s", of[name], name))
	}
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

func (c *client) close() {
	c.fresh.CloseIdleConnections()
	c.kept.CloseIdleConnections()
}
