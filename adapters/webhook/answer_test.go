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
		retry  bool
	}{
		{"ok", 200, "", false},
		{"accepted", 202, "", false},
		{"no content", 204, "", false},
		{"an unknown success", 299, "", false},
		{"moved permanently", 301, errcodes.MalformedAnswer, true},
		{"found", 302, errcodes.MalformedAnswer, true},
		{"see other", 303, errcodes.MalformedAnswer, true},
		{"a temporary redirect", 307, errcodes.MalformedAnswer, true},
		{"a permanent redirect", 308, errcodes.MalformedAnswer, true},
		{"not modified", 304, errcodes.MalformedAnswer, true},
		{"bad request", 400, errcodes.MalformedAnswer, true},
		{"unauthorized", 401, errcodes.Configuration, true},
		{"forbidden", 403, errcodes.Configuration, true},
		{"not found", 404, errcodes.MalformedAnswer, true},
		{"request timeout", 408, errcodes.Unavailable, true},
		{"conflict", 409, errcodes.MalformedAnswer, true},
		{"gone", 410, errcodes.NotFound, buried},
		{"too many requests", 429, errcodes.TooManyRequests, true},
		{"broken", 500, errcodes.Unavailable, true},
		{"bad gateway", 502, errcodes.Unavailable, true},
		{"service unavailable", 503, errcodes.Unavailable, true},
		{"an unknown failure", 599, errcodes.Unavailable, true},
		{"an unknown class", 999, errcodes.MalformedAnswer, true},
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
			}
		})
	}
}

func TestAfterA410NothingIsSentForGoneFor(t *testing.T) {
	s, clock := &shop{}, portstest.NewClock(noon)
	s.answers(status(http.StatusGone))
	cfg := private(clock)
	cfg.GoneFor = time.Minute
	sink := serve(t, s, cfg)
	deliver := func(want errcodes.Code, requests int) {
		t.Helper()
		require.Equal(t, want, errcodes.Of(sink.Deliver(t.Context(), event("event-1", "lock-1"))))
		require.Len(t, s.received(), requests)
	}
	deliver(errcodes.NotFound, 1)
	s.answers(status(http.StatusOK))
	deliver(errcodes.NotFound, 1)
	clock.Advance(time.Minute - 1)
	deliver(errcodes.NotFound, 1)
	clock.Advance(1)
	deliver("", 2)

	s.answers(status(http.StatusGone))
	deliver(errcodes.NotFound, 3)
	s.answers(status(http.StatusOK))
	clock.Advance(-24 * time.Hour)
	deliver("", 4) // a clock that was set back does not silence the sink for a day
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
