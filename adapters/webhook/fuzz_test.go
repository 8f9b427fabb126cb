package webhook_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/webhook"
	"github.com/corridor-go/corridor/errcodes"
)

// FuzzVerify checks that accepted headers are unambiguous and that the library accepts
// them too, and that correctly signed messages within the bounds are accepted.
func FuzzVerify(f *testing.F) {
	unix := strconv.FormatInt(noon.Unix(), 10)
	f.Add("event-1.2", unix, "", `{"id":"event-1.2"}`, int64(0))
	f.Add("event-1", unix, "v1,AAAA", `{}`, int64(299))
	f.Add("event-1", "+"+unix, "", `{}`, int64(0))
	f.Add("a."+unix, "1", "", "{", int64(-301))
	f.Add("event-1", unix, "", `[1]`, int64(0))
	f.Add("event-1", unix, "", "5.{}", int64(0))
	secrets := secretsOf(1)
	library, err := standardwebhooks.NewWebhook(secrets[0].Reveal())
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, id, stamp, signature, body string, off int64) {
		seconds, bad := strconv.ParseInt(stamp, 10, 64)
		plain := bad == nil && seconds >= 0 && strconv.FormatInt(seconds, 10) == stamp
		right := signature == ""
		if right {
			signature, err = library.Sign(id, time.Unix(seconds, 0), []byte(body))
			require.NoError(t, err)
		}
		header := http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {stamp}, "Webhook-Signature": {signature}}
		now := noon.Add(time.Duration(off%1000) * time.Second)
		m, err := webhook.Verify(secrets, header, []byte(body), now)

		near := plain && time.Unix(seconds, 0).Sub(now).Abs() <= webhook.DefaultTolerance
		odd := func(r rune) bool { return r < '!' || r > '~' || r == '{' }
		name := id != "" && len(id) <= 256 && !strings.ContainsFunc(id, odd)
		plainBody := strings.HasPrefix(body, "{") || !strings.Contains(id, ".") && !strings.Contains(body, "{")
		if right && (plainBody || !near || !name) {
			require.Equal(t, near && name, err == nil, err)
		}
		if err != nil {
			require.Equal(t, errcodes.Unauthorized, errcodes.Of(err))
			return
		}
		require.True(t, near && name)
		require.Equal(t, webhook.Message{ID: id, SentAt: time.Unix(seconds, 0).UTC(), Body: []byte(body)}, m)
		require.NoError(t, library.VerifyIgnoringTimestamp([]byte(body), header))
	})
}

// FuzzEvent checks that an event is received as sent, or rejected for a reason.
func FuzzEvent(f *testing.F) {
	f.Add("event-1.2", "rate_lock.minted", "acme", `{"a":"<\u2028>"}`)
	f.Add("event-1", "a", "b", `1},"data":{"a":2`)
	f.Add("event-1", "\xff", "b", "null")
	f.Add("event-1", "", "", " [1 , 2] ")
	s := &shop{}
	sink := serve(f, s, private(nil))
	f.Fuzz(func(t *testing.T, id, kind, owner, data string) {
		e := event(id, "lock-1")
		e.Kind, e.Owner, e.Data = kind, owner, []byte(data)
		err := sink.Deliver(t.Context(), e)
		if err != nil {
			require.Equal(t, errcodes.InvalidRequest, errcodes.Of(err))
			odd := func(r rune) bool { return r < '!' || r > '~' || r == '{' }
			require.True(t, id == "" || len(id) > 256 || strings.ContainsFunc(id, odd) ||
				!json.Valid(e.Data) || !utf8.ValidString(kind+" "+owner+" "+data))
			return
		}
		g := s.take()
		m, err := webhook.Verify(secretsOf(1), g.header, g.body, time.Now())
		require.NoError(t, err)
		got, err := m.Event()
		if kind == "" {
			require.Equal(t, errcodes.InvalidRequest, errcodes.Of(err))
			return
		}
		require.NoError(t, err)
		e.Key, e.Data = "", []byte(strings.Trim(data, " \t\r\n"))
		require.Equal(t, e.At, got.At)
		require.Equal(t, string(e.Data), string(got.Data))
		e.Data, got.Data = nil, nil
		require.Equal(t, e, got)
	})
}

func FuzzParseSecrets(f *testing.F) {
	f.Add(written(32))
	f.Add(" " + written(24) + ",\n" + strings.TrimRight(written(64), "="))
	f.Add("whsec_,whsec_AAAA")
	f.Fuzz(func(t *testing.T, text string) {
		secrets, err := webhook.ParseSecrets(text)
		if err != nil {
			require.Equal(t, errcodes.Configuration, errcodes.Of(err))
			require.Nil(t, secrets)
			return
		}
		var again []string
		for i, entry := range strings.Split(text, ",") {
			revealed := secrets[i].Reveal()
			require.Equal(t, strings.TrimRight(revealed, "="), strings.TrimRight(strings.TrimSpace(entry), "="))
			again = append(again, revealed)
		}
		require.Len(t, secrets, len(again))
		reread, err := webhook.ParseSecrets(strings.Join(again, ","))
		require.NoError(t, err)
		for i, s := range reread {
			require.Equal(t, again[i], s.Reveal())
		}
	})
}

func FuzzRetryAfter(f *testing.F) {
	f.Add("120")
	f.Add("Fri, 20 Nov 2026 12:01:00 GMT")
	f.Add("\tFriday, 20-Nov-26 12:01:00 GMT ")
	f.Add("-1")
	f.Add("99999999999999999999")
	f.Fuzz(func(t *testing.T, header string) {
		wait := webhook.RetryAfter(header, noon)
		require.GreaterOrEqual(t, wait, time.Duration(0))
		require.LessOrEqual(t, wait, webhook.MaxRetryAfter)
		text := strings.Trim(header, " \t")
		if at, err := http.ParseTime(text); err == nil {
			require.Equal(t, min(max(at.Sub(noon), 0), webhook.MaxRetryAfter), wait)
			return
		}
		if wait > 0 {
			require.Empty(t, strings.Trim(text, "0123456789"))
			n, err := strconv.ParseUint(text, 10, 32)
			if err == nil && n < 86400 {
				require.Equal(t, time.Duration(n)*time.Second, wait)
			}
		}
	})
}
