package wire_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/errcodes"
)

// story is a house with a client that has logged in over the wire.
type story struct {
	*house

	token string
}

func newStory(t *testing.T, p place) *story {
	t.Helper()
	s := &story{house: newHouse(t, p, httpserver.Config{})}
	s.token = s.logIn("acme")
	return s
}

func (s *story) logIn(client string) string {
	s.t.Helper()
	w := s.do(post("/v1/auth/oauth2/token", "", `{"client_id":"`+client+`","client_secret":"s3cret"}`))
	var body map[string]any
	require.NoError(s.t, json.Unmarshal(w.Body.Bytes(), &body))
	assert.InDelta(s.t, 86400, body["expires_in"], 0)
	token, ok := body["access_token"].(string)
	require.True(s.t, ok)
	return token
}

func (s *story) create(body string) *httptest.ResponseRecorder {
	s.t.Helper()
	return s.do(post("/v1/rate-locks", s.token, body))
}

func (s *story) get(path string) *httptest.ResponseRecorder {
	s.t.Helper()
	return s.do(request{method: "GET", path: path, token: s.token})
}

func idOf(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	var body struct {
		RateLockID string `json:"rateLockId"`
	}
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &body))
	require.NotEmpty(t, body.RateLockID)
	return body.RateLockID
}

func TestALockIsMintedReplacedAndCancelled(t *testing.T) {
	at(t, aLockIsMintedReplacedAndCancelled, shared)
}

func aLockIsMintedReplacedAndCancelled(t *testing.T, p place) {
	s := newStory(t, p)
	first := s.create(usdzar)
	assert.Equal(t, 201, first.Code)
	assert.Contains(t, first.Body.String(), `"midRate":"18.2500","markupBps":150,"allInRate":"18.52375"`)
	assert.Contains(t, first.Body.String(), `"createdAt":"2026-11-20T15:00:00.000Z","expiresAt":"2026-11-21T15:00:00.000Z"`)
	second := s.create(usdzar)
	assert.Equal(t, 201, second.Code)
	third := s.create(usdzar)
	assert.Equal(t, 200, third.Code)
	assert.Equal(t, second.Body.String(), third.Body.String(), "the freshest, byte for byte")

	path := "/v1/rate-locks/" + idOf(t, second)
	for range p.servers {
		assert.Equal(t, second.Body.String(), s.get(path).Body.String(), "wherever it is read")
		assert.Equal(t, first.Body.String(), s.get("/v1/rate-locks/"+idOf(t, first)).Body.String())
	}
	cancelled := s.do(post(path+"/cancel", s.token, ""))
	assert.Contains(t, cancelled.Body.String(), `"cancellationReason":"requested"`)
	for i := range s.servers { // I8
		one := story{house: &house{api: s.on(i)}, token: s.token}
		assert.Equal(t, cancelled.Body.String(), one.get(path).Body.String())
		assert.Equal(t, cancelled.Body.String(), one.do(post(path+"/cancel", s.token, "")).Body.String())
	}

	beta := s.logIn("beta") // I31
	for _, q := range []request{{method: "GET", path: path, token: beta}, post(path+"/cancel", beta, "")} {
		anothers := s.do(q)
		assert.Equal(t, 404, anothers.Code)
		q.path = strings.Replace(q.path, "/rl_", "/rl_0", 1)
		assert.Equal(t, s.do(q).Body.String(), anothers.Body.String(), "as if it did not exist")
	}

	s.clock.Advance(24*time.Hour - time.Millisecond)
	assert.Equal(t, 200, s.do(request{method: "GET", path: path, token: s.token}).Code, "a token lives to the millisecond")
	s.clock.Advance(time.Millisecond)
	assert.Equal(t, unauthorized, s.do(request{method: "GET", path: path, token: s.token}).Body.String())
	s.token = s.logIn("acme")
	for range p.servers {
		assert.Contains(t, s.get("/v1/rate-locks/"+idOf(t, first)).Body.String(), `"status":"expired"`)
	}
}

// The test covers SPEC 4.2 with the real service.
func TestBadPairsAreRejected(t *testing.T) { at(t, badPairsAreRejected, shared) }

func badPairsAreRejected(t *testing.T, p place) {
	s := newStory(t, p)
	for _, c := range []struct {
		name, body string
		status     int
	}{
		{"lower case", `{"base":"usd","quote":"ZAR"}`, 400},
		{"not a currency", `{"base":"USX","quote":"ZAR"}`, 400},
		{"empty", `{"base":"","quote":"ZAR"}`, 400},
		{"missing", `{"base":"USD"}`, 400},
		{"a NUL by escape", `{"base":"US\u0000","quote":"ZAR"}`, 400},
		{"not offered", `{"base":"ZAR","quote":"USD"}`, 422},
		{"base = quote", `{"base":"USD","quote":"USD"}`, 422},
		{"offered without a price", `{"base":"USD","quote":"XOF"}`, 503},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 2 {
				w := s.create(c.body)
				assert.Equal(t, c.status, w.Code)
				assert.True(t, strings.HasSuffix(w.Body.String(), fmt.Sprintf(`"error":%q,"statusCode":%d}`, http.StatusText(c.status), c.status)), w.Body.String())
			}
		})
	}
	t.Run("a full pair needs no price", func(t *testing.T) {
		s.create(usdzar)
		s.create(usdzar)
		s.feed.Fail(errcodes.New(errcodes.PriceUnavailable, ""))
		assert.Equal(t, 200, s.create(usdzar).Code)
	})
}
