package webhook_test

import (
	"io"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/webhook"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

// silent checks that an error reveals nothing.
func silent(tb testing.TB, err error) {
	tb.Helper()
	for _, hidden := range []string{"hidden", "127.0.0.1", "shop.example", "http://", "https://", "whsec", "raw answer"} {
		require.NotContains(tb, err.Error(), hidden)
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	const buried = false
	for _, c := range []struct {
		name   string
		status int
		code   errcodes.Code
		reason string
		retry  bool
	}{
		{"ok", 200, "", "", false},
		{"accepted", 202, "", "", false},
		{"no content", 204, "", "", false},
		{"an unknown success", 299, "", "", false},
		{"moved permanently", 301, errcodes.MalformedAnswer, "301 Moved Permanently", true},
		{"found", 302, errcodes.MalformedAnswer, "302 Found", true},
		{"see other", 303, errcodes.MalformedAnswer, "303 See Other", true},
		{"a temporary redirect", 307, errcodes.MalformedAnswer, "307 Temporary Redirect", true},
		{"a permanent redirect", 308, errcodes.MalformedAnswer, "308 Permanent Redirect", true},
		{"not modified", 304, errcodes.MalformedAnswer, "304 Not Modified", true},
		{"bad request", 400, errcodes.MalformedAnswer, "400 Bad Request", true},
		{"unauthorized", 401, errcodes.Configuration, "401 Unauthorized", true},
		{"forbidden", 403, errcodes.Configuration, "403 Forbidden", true},
		{"not found", 404, errcodes.MalformedAnswer, "404 Not Found", true},
		{"request timeout", 408, errcodes.Unavailable, "408 Request Timeout", true},
		{"conflict", 409, errcodes.MalformedAnswer, "409 Conflict", true},
		{"gone", 410, errcodes.NotFound, "410 Gone", buried},
		{"the event is too large", 413, errcodes.MalformedAnswer, "413 Request Entity Too Large", true},
		{"another media type is wanted", 415, errcodes.MalformedAnswer, "415 Unsupported Media Type", true},
		{"the event is not processed", 422, errcodes.MalformedAnswer, "422 Unprocessable Entity", true},
		{"too many requests", 429, errcodes.TooManyRequests, "429 Too Many Requests", true},
		{"a legal reason", 451, errcodes.MalformedAnswer, "451 Unavailable For Legal Reasons", true},
		{"broken", 500, errcodes.Unavailable, "500 Internal Server Error", true},
		{"not implemented", 501, errcodes.Unavailable, "501 Not Implemented", true},
		{"bad gateway", 502, errcodes.Unavailable, "502 Bad Gateway", true},
		{"service unavailable", 503, errcodes.Unavailable, "503 Service Unavailable", true},
		{"an unknown failure", 599, errcodes.Unavailable, "599", true},
		{"an unknown class", 999, errcodes.MalformedAnswer, "999", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := &shop{}
			s.answers(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, "raw answer")
			})
			sink := serve(t, s, private(nil))
			err := sink.Deliver(t.Context(), event("event-1", "lock-1"))
			require.Equal(t, c.code, errcodes.Of(err))
			require.Len(t, s.received(), 1, "redirects are not followed")
			if err != nil {
				silent(t, err)
				require.Equal(t, c.retry, errcodes.CategoryOf(errcodes.StatusOf(err)).Retry)
				require.Zero(t, errcodes.RetryAfterOf(err))
				var reason ports.DeliveryReason
				require.ErrorAs(t, err, &reason)
				require.Equal(t, c.reason, string(reason))
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	date := func(d time.Duration) string { return noon.Add(d).Format(http.TimeFormat) }
	for _, c := range []struct {
		name   string
		header string
		want   time.Duration
	}{
		{"nothing", "", 0},
		{"seconds", "120", 2 * time.Minute},
		{"seconds with spaces", " 120\t", 2 * time.Minute},
		{"no wait", "0", 0},
		{"a day", "86400", 24 * time.Hour},
		{"more than a day", "86401", 24 * time.Hour},
		{"more than an int64", "99999999999999999999999", 24 * time.Hour},
		{"more than an int64 of nanoseconds", "9223372036854775807", 24 * time.Hour},
		{"negative", "-5", 0},
		{"with a sign", "+5", 0},
		{"a fraction", "1.5", 0},
		{"words", "soon", 0},
		{"a date", date(90 * time.Second), 90 * time.Second},
		{"a date that has passed", date(-time.Hour), 0},
		{"a date in years", date(9000 * time.Hour), 24 * time.Hour},
		{"an obsolete form of date", "Friday, 20-Nov-26 12:01:00 GMT", time.Minute},
		{"a date of another form", "2026-11-20T12:01:00Z", 0},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, webhook.RetryAfter(c.header, noon)) })
	}
}

func TestRetryAfterIsReadWithCertainStatuses(t *testing.T) {
	for code, want := range map[int]time.Duration{429: time.Minute, 503: time.Minute, 500: 0, 301: 0, 410: 0} {
		s := &shop{}
		s.answers(status(code, "Retry-After", "60"))
		sink := serve(t, s, private(portstest.NewClock(noon)))
		err := sink.Deliver(t.Context(), event("event-1", "lock-1"))
		require.Equal(t, want, errcodes.RetryAfterOf(err), code)
	}
}

func TestRetryAfterUsesTheConfiguredClock(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		wait := rapid.Int64Range(-1<<40, 1<<40).Draw(rt, "seconds")
		var want time.Duration
		if wait > 0 {
			want = time.Duration(min(wait, 24*3600)) * time.Second
		}
		if at := noon.Add(time.Duration(wait%1_000_000) * time.Second); wait == wait%1_000_000 {
			require.Equal(rt, want, webhook.RetryAfter(at.Format(http.TimeFormat), noon))
		}
		require.Equal(rt, want, webhook.RetryAfter(strconv.FormatInt(wait, 10), noon))
	})
}
