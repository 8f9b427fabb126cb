package httpcall_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/connector/httpcall"
	"github.com/corridor-go/corridor/errcodes"
)

const (
	number = "0123456785"
	secret = "sk_canary"
)

// confidential returns a request whose content must not be in an error.
func confidential() httpcall.Request {
	return httpcall.Request{
		Path:   []string{"accounts", number},
		Query:  map[string][]string{"account_number": {number}},
		Header: http.Header{"Authorization": {"Bearer " + secret}},
	}
}

func serve(tb testing.TB, h http.HandlerFunc) *httptest.Server {
	tb.Helper()
	server := httptest.NewServer(h)
	tb.Cleanup(server.Close)
	return server
}

func caller(tb testing.TB, base string, cfg *httpcall.Config) *httpcall.Caller {
	tb.Helper()
	c, err := httpcall.New(base, cfg)
	require.NoError(tb, err)
	return c
}

func TestNewRejectsBadAddresses(t *testing.T) {
	for name, base := range map[string]string{
		"nothing":                 "",
		"no scheme":               "api.example.com",
		"http to a host":          "http://api.example.com",
		"http to a local network": "http://192.168.0.7",
		"http to a lookalike":     "http://localhost.example.com",
		"another scheme":          "ftp://api.example.com",
		"a user":                  "https://" + secret + "@api.example.com",
		"a query":                 "https://api.example.com?key=" + secret,
		"a fragment":              "https://api.example.com#" + secret,
		"no host":                 "https:///v1",
		"an invalid URL":          "https://api.example.com/%zz" + secret,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := httpcall.New(base, nil)
			require.Equal(t, errcodes.Configuration, errcodes.Of(err))
			require.NotContains(t, err.Error(), secret)
		})
	}
	for _, size := range []int{-1, httpcall.MaxMaxBody + 1} {
		_, err := httpcall.New("https://api.example.com", &httpcall.Config{MaxBody: size})
		require.Equal(t, errcodes.Configuration, errcodes.Of(err))
		require.ErrorContains(t, err, "want 1 to 16777216")
	}
}

func TestNewAcceptsAddresses(t *testing.T) {
	for _, base := range []string{
		"https://api.example.com", "https://api.example.com/v3/", "http://localhost:8080", "http://127.0.0.1:1/x", "http://[::1]:80",
	} {
		_, err := httpcall.New(base, nil)
		require.NoError(t, err, base)
	}
}

func TestSecretRejectsWhatAHeaderCannotContain(t *testing.T) {
	for name, bad := range map[string]string{
		"empty": "", "a space": "a b", "a line break": secret + "\n", "another script": secret + "é", "a control character": "\x00", "too long": strings.Repeat("x", httpcall.MaxSecret+1),
	} {
		err := httpcall.Secret("the key", bad)
		require.Equal(t, errcodes.Configuration, errcodes.Of(err), name)
		require.ErrorContains(t, err, "the key must be 1 to 8192")
		require.NotContains(t, err.Error(), secret)
	}
	require.NoError(t, httpcall.Secret("the key", "sk_live-~!09AZ"+strings.Repeat("x", 8000)))
}

func TestARequestArrivesUnchanged(t *testing.T) {
	type got struct {
		method, uri, agent, accept, kind, key, body string
	}
	var seen got
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen = got{
			r.Method, r.RequestURI, r.UserAgent(), r.Header.Get("Accept"), r.Header.Get("Content-Type"), r.Header.Get("Authorization"), string(body),
		}
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTeapot)
		_, _ = w.Write([]byte("short and stout"))
	})
	header := http.Header{"Authorization": {"Bearer x"}}
	for name, c := range map[string]struct {
		base    string
		request httpcall.Request
		want    got
	}{
		"a GET": {"", httpcall.Request{Path: []string{"bank", "resolve"}, Query: map[string][]string{"n": {"001&x=1"}}, Header: header},
			got{"GET", "/bank/resolve?n=001%26x%3D1", "corridor", "application/json", "", "Bearer x", ""}},
		"a POST": {"/v3/", httpcall.Request{Path: []string{"a"}, Body: map[string]string{"n": "001"}, Header: header},
			got{"POST", "/v3/a", "corridor", "application/json", "application/json", "Bearer x", `{"n":"001"}`}},
		"a POST without a body": {"/v3", httpcall.Request{Method: "POST", Path: []string{"token", ""}},
			got{"POST", "/v3/token/", "corridor", "application/json", "", "", ""}},
		"unusual segments": {"", httpcall.Request{Path: []string{"a/b", "..", ".", "?", "%2F", "é"}},
			got{"GET", "/a%2Fb/%2E%2E/%2E/%3F/%252F/%C3%A9", "corridor", "application/json", "", "", ""}},
		"only the base": {"", httpcall.Request{}, got{"GET", "/", "corridor", "application/json", "", "", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			reply, err := caller(t, server.URL+c.base, nil).Do(t.Context(), c.request)
			require.NoError(t, err)
			assert.Equal(t, c.want, seen)
			assert.Equal(t, httpcall.Reply{Status: http.StatusTeapot, Body: []byte("short and stout"), After: 7 * time.Second}, reply)
		})
	}
	require.Equal(t, http.Header{"Authorization": {"Bearer x"}}, header, "the caller's header is not changed")
}

// A path segment with any text arrives unchanged as one segment.
func TestASegmentStaysOneSegment(t *testing.T) {
	var path string
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) { path = r.URL.EscapedPath() })
	c := caller(t, server.URL+"/v1", nil)
	rapid.Check(t, func(t *rapid.T) {
		segment := rapid.String().Draw(t, "segment")
		_, err := c.Do(context.Background(), httpcall.Request{Path: []string{"a", segment, "z"}})
		require.NoError(t, err)
		parts := strings.Split(path, "/")
		require.Len(t, parts, 5)
		require.NotContains(t, []string{".", ".."}, parts[3])
	})
}

func TestAnInvalidRequestIsInternal(t *testing.T) {
	c := caller(t, "https://api.example.com", nil)
	for name, request := range map[string]httpcall.Request{
		"a body that JSON cannot encode": {Body: func() {}},
		"an invalid method":              {Method: "G E T"},
	} {
		_, err := c.Do(t.Context(), request)
		require.Equal(t, errcodes.Internal, errcodes.Of(err), name)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	asked := 0
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked++
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	})
	lax := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return nil }}
	_, err := caller(t, server.URL, &httpcall.Config{Client: lax}).Do(t.Context(), confidential())
	require.Equal(t, errcodes.MalformedAnswer, errcodes.Of(err))
	require.Equal(t, 1, asked)
	require.NoError(t, lax.CheckRedirect(nil, nil), "the caller's client is not changed")
}

func TestTheLengthOfTheBodyIsLimited(t *testing.T) {
	for size, want := range map[int]errcodes.Code{0: "", 100: "", 101: errcodes.MalformedAnswer, 1 << 20: errcodes.MalformedAnswer} {
		server := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, size)) })
		reply, err := caller(t, server.URL, &httpcall.Config{MaxBody: 100}).Do(t.Context(), confidential())
		require.Equal(t, want, errcodes.Of(err), size)
		if err == nil {
			require.Len(t, reply.Body, size)
		}
	}
}

func TestTheLimitIsForTheDecompressedBody(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(make([]byte, 1<<20+1))
	require.NoError(t, z.Close())
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(packed.Bytes())
	})
	_, err := caller(t, server.URL, nil).Do(t.Context(), confidential())
	require.Equal(t, errcodes.MalformedAnswer, errcodes.Of(err))
}

func TestTheContextsErrorIsReturnedUnchanged(t *testing.T) {
	arrived := make(chan struct{}, 1)
	arrive := func() {
		select {
		case arrived <- struct{}{}:
		default:
		}
	}
	silent := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		arrive()
		<-r.Context().Done()
	})
	slow := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("{"))
		_ = http.NewResponseController(w).Flush()
		arrive()
		<-r.Context().Done()
	})
	for name, server := range map[string]*httptest.Server{"no answer": silent, "an endless answer": slow} {
		t.Run(name, func(t *testing.T) {
			c := caller(t, server.URL, nil)
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-arrived; cancel() }()
			_, err := c.Do(ctx, confidential())
			require.Equal(t, context.Canceled, err)

			timed, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer stop()
			_, err = c.Do(timed, confidential())
			require.Equal(t, context.DeadlineExceeded, err)
		})
	}
}

func TestConcurrentUse(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	c := caller(t, server.URL, nil)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			reply, err := c.Do(t.Context(), httpcall.Request{Body: i})
			assert.NoError(t, err)
			assert.Equal(t, strconv.Itoa(i), string(reply.Body))
		})
	}
	wg.Wait()
}

func TestABearerTokenIsSentUnlessTheRequestHasAnAuthorization(t *testing.T) {
	var got string
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) { got = r.Header.Get("Authorization") })
	c, err := httpcall.NewBearer("https://unused.example", "the key", secret, &httpcall.Config{BaseURL: server.URL})
	require.NoError(t, err)
	for want, header := range map[string]http.Header{
		"Bearer " + secret: nil,
		"Basic abc":        {"Authorization": {"Basic abc"}},
	} {
		_, err := c.Do(t.Context(), httpcall.Request{Header: header})
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	assert.NotContains(t, fmt.Sprintf("%v %+v %#v", c, c, c), secret)
	_, err = httpcall.NewBearer("https://api.example.com", "the key", "", nil)
	require.ErrorIs(t, err, errcodes.Configuration)
	require.ErrorContains(t, err, "the key must be")
	_, err = httpcall.FromEnv[*httpcall.Caller](nil, nil, nil, "BASE_URL")
	require.ErrorIs(t, err, errcodes.Configuration)
}
