package httpserver_test

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/errcodes"
)

// TestTheBudgetOfBodies compares the budget with a list of requests (I40): never more than
// the bound is held, only strangers lose what they hold, and the oldest first.
func TestTheBudgetOfBodies(t *testing.T) {
	type request struct {
		charge         *httpserver.Charge
		stranger, gone bool // gone: released or ended
		ended, cut     bool
		held           int64
	}
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.Int64Range(10, 100).Draw(t, "most")
		budget := httpserver.NewBudget(most)
		var all []*request // in the order of their first bytes
		sum := func() (n int64) {
			for _, r := range all {
				n += r.held
			}
			return n
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if len(all) == 0 || rapid.IntRange(0, 3).Draw(t, "new") == 0 {
				r := &request{stranger: rapid.Bool().Draw(t, "stranger")}
				r.charge = budget.Charge(r.stranger, func() { r.cut = true })
				all = append(all, r)
			}
			i := rapid.IntRange(0, len(all)-1).Draw(t, "which")
			r := all[i]
			if rapid.IntRange(0, 4).Draw(t, "release") == 0 {
				r.charge.Release()
				r.gone, r.held = true, 0
				continue
			}
			n := rapid.Int64Range(1, 40).Draw(t, "bytes")
			if r.held == 0 && !r.gone { // it is the newest to hold bytes
				all = append(append(all[:i:i], all[i+1:]...), r)
			}
			for _, o := range all {
				if !r.gone && o.stranger && o.held > 0 && sum()+n > most {
					o.gone, o.ended, o.held = true, true, 0
				}
			}
			want := errcodes.Code("")
			if r.gone || sum()+n > most {
				want = errcodes.Unavailable
			} else {
				r.held += n
			}
			err := r.charge.Take(n)
			require.Equal(t, want, errcodes.Of(err), "%d of %d are held, %d wanted", sum(), most, n)
			require.Equal(t, sum(), budget.Held())
			require.LessOrEqual(t, sum(), most)
		}
		for _, r := range all {
			require.Equal(t, r.ended, r.cut)
		}
	})
}

// Two bodies and a stranger's do not fit: the stranger's request ends. A third does not
// fit either: it gets the 503 itself.
func TestAFullBudgetEndsStrangers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial := serve(t, everything(), httpserver.Config{MaxBodyMemory: 2 * httpserver.MaxBody}, httpserver.ServerConfig{})
		begin := func(p *peer, path string, length, sent int) {
			token := "tok-acme"
			if path != "/v1/rate-locks" {
				token = "tok-x"
			}
			p.send(fmt.Sprintf("POST %s HTTP/1.1\r\nHost: corridor\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s",
				path, token, length, strings.Repeat(" ", sent)))
		}
		const lock = `{"base":"USD","quote":"ZAR"}`
		const sent = httpserver.MaxBody - len(lock)
		first, second, third, stranger, waiting := dial("a"), dial("b"), dial("c"), dial("d"), dial("e")
		begin(first, "/v1/rate-locks", httpserver.MaxBody, sent)
		begin(stranger, "/v1/auth/oauth2/token", 4096, 1000)
		require.Nil(t, stranger.answer())
		stuck := `{"client_id":"stuck","client_secret":"` + strings.Repeat("x", 100) + `"}`
		begin(waiting, "/v1/auth/oauth2/token", len(stuck), 0)
		waiting.send(stuck)
		require.Nil(t, waiting.answer())
		begin(second, "/v1/rate-locks", httpserver.MaxBody, sent)

		require.Nil(t, second.answer())
		for _, p := range []*peer{stranger, waiting} {
			got := p.answer()
			require.NotNil(t, got, "the stranger's request has ended")
			assert.Equal(t, 503, got.status)
			assert.Equal(t, `{"error":"Authentication service unavailable"}`, got.body)
			assert.Equal(t, "1", got.header.Get("Retry-After"))
		}
		time.Sleep(time.Second) // net/http gives the answer half a second
		assert.True(t, stranger.closed())
		assert.True(t, waiting.closed())

		const slow = `{"client_id":"slow","client_secret":"x"}`
		done := dial("f")
		begin(done, "/v1/auth/oauth2/token", len(slow), 0)
		done.send(slow)
		begin(third, "/v1/rate-locks", 10_000, 9_000)
		got := third.answer()
		require.NotNil(t, got, "there is no stranger left")
		assert.Equal(t, 503, got.status)
		assert.Equal(t, `{"message":"The service is busy; try again","error":"Service Unavailable","statusCode":503}`, got.body)

		time.Sleep(time.Second)
		require.Equal(t, 200, done.answer().status, "it has ended all the same")
		assert.True(t, done.closed(), "a later request on it would be cancelled")
		first.send(lock)
		require.Equal(t, 200, first.answer().status)
		second.send(lock)
		require.Equal(t, 200, second.answer().status)
		for range 2 { // what ended requests held can be used again
			begin(dial("e"), "/v1/rate-locks", httpserver.MaxBody, sent)
		}
		fifth := dial("f")
		begin(fifth, "/v1/rate-locks", len(lock), 0)
		fifth.send(lock)
		require.Equal(t, 200, fifth.answer().status)
	})
}

// Who reads an answer slowly keeps it in memory, and has 5 s for it if others need that.
func TestAnAnswerThatIsReadSlowlyIsCharged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		metrics := prometheus.NewRegistry()
		many := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "many"}, []string{"label"}) // more than net/http's buffers hold
		metrics.MustRegister(many)
		for i := range 1000 {
			many.WithLabelValues(strconv.Itoa(i))
		}
		dial := serve(t, everything(), httpserver.Config{MaxBodyMemory: 2 * httpserver.MaxBody, Metrics: metrics}, httpserver.ServerConfig{})
		reader := dial("slow")
		reader.send("GET /metrics HTTP/1.1\r\nHost: corridor\r\n\r\n")
		for range 2 {
			dial("a").send(fmt.Sprintf("POST /v1/rate-locks HTTP/1.1\r\nHost: corridor\r\nAuthorization: Bearer tok-acme\r\nContent-Length: %d\r\n\r\n%s",
				httpserver.MaxBody, strings.Repeat(" ", httpserver.MaxBody-1)))
		}
		begun := time.Now()
		_, err := reader.Write([]byte("GG")) // waits until the server reads all of it, or closes
		assert.ErrorIs(t, err, io.ErrClosedPipe)
		assert.Equal(t, 5*time.Second, time.Since(begun))
	})
}

func TestHeaderFieldsAreBounded(t *testing.T) {
	a := newAPI(t, httpserver.Config{})
	for fields, want := range map[int]int{100: 200, 101: 400} {
		q := request{method: "GET", path: "/v1/rate-locks/rl_1", token: "tok-acme", header: map[string]string{}}
		for i := range fields - 1 { // and Authorization
			q.header[fmt.Sprint("X-", i)] = ""
		}
		assert.Equal(t, want, a.do(q).Code, "%d fields", fields)
	}
}
