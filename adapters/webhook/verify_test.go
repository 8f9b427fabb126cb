package webhook_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/webhook"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports/portstest"
)

// signed returns the headers of a body.
func signed(tb testing.TB, secrets []webhook.Secret, id string, at time.Time, body []byte) http.Header {
	tb.Helper()
	header := http.Header{}
	require.NoError(tb, webhook.Sign(secrets, header, id, at, body))
	return header
}

// The vector is from the tests of the Standard Webhooks libraries.
func TestThePublishedVector(t *testing.T) {
	const signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	at, body := time.Unix(1614265330, 0).UTC(), []byte(`{"test": 2432232314}`)
	secrets, err := webhook.ParseSecrets("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	require.NoError(t, err)
	header := signed(t, secrets, "msg_p5jXN8AQM9LWM0D4loKWxJek", at, body)
	require.Equal(t, signature, header.Get(webhook.HeaderSignature))
	m, err := webhook.Verify(secrets, header, body, at)
	require.NoError(t, err)
	require.Equal(t, webhook.Message{ID: "msg_p5jXN8AQM9LWM0D4loKWxJek", SentAt: at, Body: body}, m)
	_, err = m.Event()
	require.Equal(t, errcodes.InvalidRequest, errcodes.Of(err), "the message is not an event of this package")
}

func TestTheLibraryAndThisPackageVerifyEachOther(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		key := rapid.SliceOfN(rapid.Byte(), 24, 64).Draw(rt, "key")
		id := rapid.StringMatching(`[ -z|}~]{0,20}[a-z.]`).Draw(rt, "id")
		id = strings.ReplaceAll(id, " ", "_")
		body := rapid.SliceOf(rapid.Byte()).Draw(rt, "body")
		if rapid.Bool().Draw(rt, "an object") {
			body = append([]byte("{"), body...)
		} else { // TestASignatureIsForOneMessageOnly has ids with full stops and bodies with braces
			id, body = strings.ReplaceAll(id, ".", "_"), bytes.ReplaceAll(body, []byte("{"), nil)
		}
		library, err := standardwebhooks.NewWebhookRaw(key)
		require.NoError(rt, err)
		ours := parse(rt, key)
		at := time.Now().Truncate(time.Second).UTC()

		require.NoError(rt, library.Verify(body, signed(t, []webhook.Secret{ours}, id, at, body)))
		signature, err := library.Sign(id, at, body)
		require.NoError(rt, err)
		header := http.Header{}
		header.Set("webhook-id", id)
		header.Set("webhook-timestamp", strconv.FormatInt(at.Unix(), 10))
		header.Set("webhook-signature", signature)
		m, err := webhook.Verify([]webhook.Secret{secretOf(9), ours}, header, body, at)
		require.NoError(rt, err)
		require.Equal(rt, webhook.Message{ID: id, SentAt: at, Body: body}, m)
	})
}

func TestVerify(t *testing.T) {
	body := []byte(`{"id":"event-1"}`)
	const name = "webhook-"
	set := func(which, value string) func(http.Header) {
		return func(h http.Header) { h.Set(name+which, value) }
	}
	right := signed(t, secretsOf(1), "event-1", noon, body).Get(webhook.HeaderSignature)
	unix := strconv.FormatInt(noon.Unix(), 10)
	for _, c := range []struct {
		name    string
		change  func(http.Header)
		at      time.Duration
		message string // "" means accepted
	}{
		{"as it was sent", func(http.Header) {}, 0, ""},
		{"as old as allowed", func(http.Header) {}, 5 * time.Minute, ""},
		{"as far ahead as allowed", func(http.Header) {}, -5 * time.Minute, ""},
		{"too old", func(http.Header) {}, 5*time.Minute + 1, "5m0s old"},
		{"too far ahead", func(http.Header) {}, -5*time.Minute - 1, "5m0s ahead"},
		{"far too old", set("timestamp", "0"), 0, "old"},
		{"far ahead", set("timestamp", "9999999999"), 0, "ahead"},
		{"the largest timestamp", set("timestamp", "9223372036854775807"), 0, "more than 5m0s"},
		{"another valid signature first", set("signature", "v1,"+strings.Repeat("A", 43)+"= "+right), 0, ""},
		{"an asymmetric signature first", set("signature", "v1a,AAAA "+right), 0, ""},
		{"no id", func(h http.Header) { h.Del("webhook-id") }, 0, "webhook-id is missing"},
		{"no timestamp", func(h http.Header) { h.Del("webhook-timestamp") }, 0, "webhook-timestamp is missing"},
		{"no signature", func(h http.Header) { h.Del("webhook-signature") }, 0, "webhook-signature is missing"},
		{"an empty id", set("id", ""), 0, "webhook-id is missing"},
		{"an empty signature", set("signature", ""), 0, "webhook-signature is missing"},
		{"two ids", func(h http.Header) { h.Add("webhook-id", "event-2") }, 0, "webhook-id is repeated"},
		{"two timestamps", func(h http.Header) { h.Add("webhook-timestamp", unix) }, 0, "webhook-timestamp is repeated"},
		{"two signature headers", func(h http.Header) { h.Add("webhook-signature", right) }, 0, "webhook-signature is repeated"},
		{"another id", set("id", "event-2"), 0, "signature is wrong"},
		{"an invalid id", set("id", "event 1"), 0, "webhook-id is malformed"},
		{"an id with a brace", set("id", "event{1"), 0, "webhook-id is malformed"},
		{"an id too long", set("id", strings.Repeat("a", 257)), 0, "webhook-id is malformed"},
		{"another timestamp", set("timestamp", strconv.FormatInt(noon.Unix()+1, 10)), 0, "signature is wrong"},
		{"a timestamp with a sign", set("timestamp", "+"+unix), 0, "webhook-timestamp is malformed"},
		{"a timestamp with a zero", set("timestamp", "0"+unix), 0, "webhook-timestamp is malformed"},
		{"a negative timestamp", set("timestamp", "-1"), 0, "webhook-timestamp is malformed"},
		{"a timestamp in words", set("timestamp", "now"), 0, "webhook-timestamp is malformed"},
		{"a timestamp that is too large", set("timestamp", "9223372036854775808"), 0, "webhook-timestamp is malformed"},
		{"a signature of another version", set("signature", "v2"+right[2:]), 0, "signature is wrong"},
		{"a signature without a version", set("signature", right[3:]), 0, "signature is wrong"},
		{"a part of the signature", set("signature", right[:len(right)-1]), 0, "signature is wrong"},
		{"only a version", set("signature", "v1,"), 0, "signature is wrong"},
		{"spaces", set("signature", "   "), 0, "signature is wrong"},
	} {
		t.Run(c.name, func(t *testing.T) {
			header := signed(t, secretsOf(1), "event-1", noon, body)
			c.change(header)
			before := maps.Clone(header)
			m, err := webhook.Verify(secretsOf(2, 1), header, body, noon.Add(c.at))
			require.Equal(t, before, header)
			if c.message == "" {
				require.NoError(t, err)
				require.Equal(t, webhook.Message{ID: "event-1", SentAt: noon, Body: body}, m)
				return
			}
			require.Zero(t, m)
			require.Equal(t, errcodes.Unauthorized, errcodes.Of(err))
			require.Contains(t, errcodes.MessageOf(err), c.message)
			require.NotContains(t, err.Error(), right[3:20])
		})
	}
}

func TestAnotherSecretDoesNotVerify(t *testing.T) {
	body := []byte(`{}`)
	_, err := webhook.Verify(secretsOf(2, 3), signed(t, secretsOf(1), "event-1", noon, body), body, noon)
	require.Equal(t, errcodes.Unauthorized, errcodes.Of(err))
	_, err = webhook.Verify(secretsOf(2, 3), signed(t, secretsOf(1, 3), "event-1", noon, body), body, noon)
	require.NoError(t, err)
}

// The signed text id.time.body must be unambiguous.
func TestASignatureIsForOneMessageOnly(t *testing.T) {
	body := []byte(`{"note":".1795176000.{}"}`)
	header := signed(t, secretsOf(1), "lock-1", noon, body)
	content := "lock-1." + strconv.FormatInt(noon.Unix(), 10) + "." + string(body)
	parts := strings.Split(content, ".")
	taken := 0
	for i := 1; i < len(parts)-1; i++ {
		header.Set("webhook-id", strings.Join(parts[:i], "."))
		header.Set("webhook-timestamp", parts[i])
		cut := strings.Join(parts[i+1:], ".")
		at, err := strconv.ParseInt(parts[i], 10, 64)
		if err != nil {
			continue
		}
		if _, err := webhook.Verify(secretsOf(1), header, []byte(cut), time.Unix(at, 0)); err == nil {
			taken++
			require.Equal(t, string(body), cut)
		}
	}
	require.Equal(t, 1, taken)

	number := []byte("1795176000.{}")
	_, err := webhook.Verify(secretsOf(1), signed(t, secretsOf(1), "lock-1", noon, number), number, noon)
	require.Equal(t, errcodes.Unauthorized, errcodes.Of(err))
	require.Contains(t, errcodes.MessageOf(err), "more than one meaning")
	_, err = webhook.Verify(secretsOf(1), signed(t, secretsOf(1), "lock-1."+strconv.FormatInt(noon.Unix(), 10), time.Unix(1795176000, 0), []byte("{}")), []byte("{}"), time.Unix(1795176000, 0))
	require.NoError(t, err, "the same text: the body starts with its first brace")
}

// Of all messages with the same signed text, exactly one is accepted.
func TestEverySignedTextIsOneMessage(t *testing.T) {
	part := rapid.SampledFrom([]string{"a", "5", "1795176000", "05", "", "{", "{}", "[1]", "é", `"x"`, " "})
	rapid.Check(t, func(rt *rapid.T) {
		parts := append([]string{"a", "7"}, rapid.SliceOfN(part, 1, 8).Draw(rt, "parts")...)
		var accepted, possible []webhook.Message
		for i := 1; i < len(parts)-1; i++ {
			seconds, err := strconv.ParseInt(parts[i], 10, 64)
			id, body := strings.Join(parts[:i], "."), []byte(strings.Join(parts[i+1:], "."))
			if err != nil || strconv.FormatInt(seconds, 10) != parts[i] || strings.ContainsAny(id, "{é ") {
				continue
			}
			at := time.Unix(seconds, 0).UTC()
			possible = append(possible, webhook.Message{ID: id, SentAt: at, Body: body})
			if m, err := webhook.Verify(secretsOf(1), signed(t, secretsOf(1), id, at, body), body, at); err == nil {
				accepted = append(accepted, m)
			}
		}
		require.Len(rt, accepted, 1, "%q", parts)
		require.Contains(rt, possible, accepted[0])
	})
}

// Standard Webhooks prescribes no shape of the body.
func TestABodyNeedNotBeAnObject(t *testing.T) {
	for name, body := range map[string]string{
		"an array": "[1]", "a text": `"x"`, "a number": "1.5", "null": "null", "empty": "", "not JSON": "status=paid&amount=5.00",
		"not UTF-8": "ÿ", "white space in front": "\r\n {}", "a byte order mark in front": "\ufeff{}",
		"an array of addresses": `["10.0.0.1","10.0.0.2"]`, "an array of objects": `[{"a":1.5},{"a":2.5}]`,
	} {
		t.Run(name, func(t *testing.T) {
			for _, id := range []string{"event-1", "event-1.minted"} {
				header := signed(t, secretsOf(1), id, noon, []byte(body))
				m, err := webhook.Verify(secretsOf(1), header, []byte(body), noon)
				require.NoError(t, err)
				require.Equal(t, webhook.Message{ID: id, SentAt: noon, Body: []byte(body)}, m)
				_, err = m.Event()
				require.Equal(t, errcodes.InvalidRequest, errcodes.Of(err))
				_, err = webhook.Verify(secretsOf(2), header, []byte(body), noon)
				require.Equal(t, errcodes.Unauthorized, errcodes.Of(err), "another secret")
				_, err = webhook.Verify(secretsOf(1), header, []byte(body+" "), noon)
				require.Equal(t, errcodes.Unauthorized, errcodes.Of(err), "another body")
			}
		})
	}
}

func TestEventRejectsInvalidBodies(t *testing.T) {
	const good = `{"id":"event-1","type":"a","timestamp":"2026-11-20T12:00:00.000Z","clientId":"acme","data":null}`
	e, err := webhook.Message{ID: "event-1", Body: []byte(good)}.Event()
	require.NoError(t, err)
	require.Equal(t, "null", string(e.Data))
	spaced, err := webhook.Message{ID: "event-1", Body: []byte("\r\n\t " + good + "\n")}.Event()
	require.NoError(t, err, "white space around JSON means nothing")
	require.Equal(t, e, spaced)
	for name, body := range map[string]string{
		"another id":           strings.Replace(good, "event-1", "event-2", 1),
		"no type":              strings.Replace(good, `"a"`, `""`, 1),
		"no data":              strings.Replace(good, `,"data":null`, "", 1),
		"no time":              strings.Replace(good, "2026-11-20T12:00:00.000Z", "noon", 1),
		"half an object":       `{`,
		"invalid UTF-8":        strings.Replace(good, "acme", "\xff", 1),
		"another shape":        strings.Replace(good, `"acme"`, `{}`, 1),
		"text after the event": good + "{}",
	} {
		_, err := webhook.Message{ID: "event-1", Body: []byte(body)}.Event()
		require.Equal(t, errcodes.InvalidRequest, errcodes.Of(err), name)
	}
	for _, body := range []string{"[" + good + "]", `"x"`, "1", "null", "", " ", "paid", "\ufeff" + good} {
		_, err := webhook.Message{ID: "event-1", Body: []byte(body)}.Event()
		require.Equal(t, errcodes.InvalidRequest, errcodes.Of(err), "%.20q", body)
		require.Equal(t, "The message is not a JSON event", errcodes.MessageOf(err), "%.20q", body)
	}
}

func TestReceive(t *testing.T) {
	const limit = 100
	body := []byte("{" + strings.Repeat("a", limit-1))
	clock := portstest.NewClock(noon.Add(time.Minute))
	r, err := webhook.NewReceiver(secretsOf(1), &webhook.ReceiverConfig{Clock: clock, Tolerance: time.Minute, MaxBody: limit})
	require.NoError(t, err)
	receive := func(content io.Reader, sent []byte) (webhook.Message, error) {
		request := httptest.NewRequest(http.MethodPost, "/", content)
		request.Header = signed(t, secretsOf(1), "event-1", noon, sent)
		return r.Receive(request)
	}
	m, err := receive(bytes.NewReader(body), body)
	require.NoError(t, err)
	require.Equal(t, webhook.Message{ID: "event-1", SentAt: noon, Body: body}, m)

	long := append(bytes.Clone(body), 'a')
	for name, content := range map[string]io.Reader{
		"too long by its header":    bytes.NewReader(long),
		"too long without a length": iotest.OneByteReader(bytes.NewReader(long)),
	} {
		_, err = receive(content, long)
		require.Equal(t, errcodes.PayloadTooLarge, errcodes.Of(err), name)
	}
	_, err = receive(io.MultiReader(bytes.NewReader(body[:9]), iotest.ErrReader(errors.New("broken"))), body[:9])
	require.Equal(t, errcodes.InvalidRequest, errcodes.Of(err))
	_, err = receive(bytes.NewReader(body[:9]), body)
	require.Equal(t, errcodes.Unauthorized, errcodes.Of(err))
	_, err = r.Receive(&http.Request{Header: signed(t, secretsOf(1), "event-1", noon, body)})
	require.Equal(t, errcodes.Unauthorized, errcodes.Of(err), "a request with a nil body")
	m, err = r.Receive(&http.Request{Header: signed(t, secretsOf(1), "event-1", noon, nil)})
	require.NoError(t, err, "an empty body was signed")
	require.Empty(t, m.Body)
	clock.Advance(1)
	_, err = receive(bytes.NewReader(body), body)
	require.Equal(t, errcodes.Unauthorized, errcodes.Of(err), "the tolerance is configurable")
}

func parse(tb rapid.TB, key []byte) webhook.Secret {
	s, err := webhook.ParseSecrets("whsec_" + base64.StdEncoding.EncodeToString(key))
	require.NoError(tb, err)
	return s[0]
}
