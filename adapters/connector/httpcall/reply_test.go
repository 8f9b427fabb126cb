package httpcall_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/connector/httpcall"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

var now = time.Date(2026, time.March, 2, 9, 30, 0, 0, time.UTC)

func TestRetryAfter(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"":                                0,
		"0":                               0,
		"7":                               7 * time.Second,
		" 7\t":                            7 * time.Second,
		"007":                             7 * time.Second,
		"3600":                            time.Hour,
		"3601":                            time.Hour,
		"99999999999999999999":            time.Hour,
		"9223372037":                      time.Hour, // its nanoseconds overflow
		"-5":                              0,
		"+5":                              0,
		"3.5":                             0,
		"1e3":                             0,
		"soon":                            0,
		"Mon, 02 Mar 2026 09:30:30 GMT":   30 * time.Second,
		"Monday, 02-Mar-26 09:30:30 GMT":  30 * time.Second,
		"Mon Mar  2 09:30:30 2026":        30 * time.Second,
		"Mon, 02 Mar 2026 09:30:00 GMT":   0,
		"Mon, 02 Mar 2026 09:29:59 GMT":   0,
		"Thu, 01 Jan 1970 00:00:00 GMT":   0,
		"Fri, 31 Dec 9999 23:59:59 GMT":   time.Hour,
		"Mon, 02 Mar 2026 09:30:30 +0100": 0,
	} {
		assert.Equal(t, want, httpcall.RetryAfter(header, now, httpcall.MaxRetryAfter), "%q", header)
	}
}

func TestRetryAfterReadsWrittenHeaders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wait := time.Duration(rapid.Int64Range(0, 3600).Draw(t, "seconds")) * time.Second
		require.Equal(t, wait, httpcall.RetryAfter(strconv.FormatInt(int64(wait/time.Second), 10), now, httpcall.MaxRetryAfter))
		require.Equal(t, wait, httpcall.RetryAfter(now.Add(wait).Format(http.TimeFormat), now, httpcall.MaxRetryAfter))
	})
}

func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{"", "7", "-1", "99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT", "Mon, 02 Mar 2026 09:30:30 GMT", "1.5"} {
		f.Add(seed, int64(0))
	}
	f.Fuzz(func(t *testing.T, header string, at int64) {
		wait := httpcall.RetryAfter(header, time.Unix(at, 0), httpcall.MaxRetryAfter)
		require.GreaterOrEqual(t, wait, time.Duration(0))
		require.LessOrEqual(t, wait, httpcall.MaxRetryAfter)
	})
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"name":"AMA"}`, `{"name":1}`, "", "null", "{}{}", "{\"name\":\"\xc9\"}", "\xef\xbb\xbf{}", "[[[["} {
		f.Add(http.StatusOK, []byte(seed))
	}
	f.Add(http.StatusTooManyRequests, []byte("<html>"))
	f.Add(http.StatusBadGateway, []byte("<html>"))
	f.Add(http.StatusForbidden, []byte(`{"name":"AMA"}`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		var into struct {
			Name string `json:"name"`
		}
		reply := httpcall.Reply{Status: status, Body: body}
		if reply.Decode(&into) == nil {
			require.True(t, json.Valid(body))
		}
		err := reply.Open(&into)
		rejected := status == http.StatusUnauthorized || status == http.StatusForbidden
		require.Equal(t, rejected, errcodes.Of(err) == errcodes.Configuration)
		if status == http.StatusTooManyRequests {
			require.NoError(t, err)
		}
	})
}

func TestOpen(t *testing.T) {
	const good, bad = `{"name":"AMA"}`, `<html>`
	for _, c := range []struct {
		status int
		body   string
		want   errcodes.Code
	}{
		{200, good, ""}, {400, good, ""}, {404, good, ""}, {429, good, ""}, {500, good, ""},
		{401, good, errcodes.Configuration}, {403, good, errcodes.Configuration}, {401, bad, errcodes.Configuration},
		{200, bad, errcodes.MalformedAnswer}, {404, bad, errcodes.MalformedAnswer}, {200, "", errcodes.MalformedAnswer},
		{200, good + good, errcodes.MalformedAnswer}, {200, "{\"name\":\"\xc9\"}", errcodes.MalformedAnswer}, {200, `{"name":1}`, errcodes.MalformedAnswer},
		{429, bad, ""}, {500, bad, errcodes.Unavailable}, {503, "", errcodes.Unavailable}, {599, bad, errcodes.Unavailable},
	} {
		var into struct{ Name string }
		reply := httpcall.Reply{Status: c.status, Body: []byte(c.body)}
		assert.Equal(t, c.want, errcodes.Of(reply.Open(&into)), "%d %s", c.status, c.body)
	}
}

func TestAServerErrorIsOnlyReadIfItIsDefinite(t *testing.T) {
	kinds := []ports.Outcome{ports.OutcomeNotFound, ports.OutcomeUnusable, ports.OutcomeUnsupported, ports.OutcomeTryLater, ports.OutcomeFailed}
	for _, kind := range kinds {
		for _, status := range []int{200, 400, 499, 500, 503} {
			answer, err := httpcall.Reply{Status: status}.Definite(ports.Answer{Kind: kind})
			if status >= 500 && kind == ports.OutcomeFailed {
				assert.Equal(t, errcodes.Unavailable, errcodes.Of(err))
				assert.Zero(t, answer)
				continue
			}
			assert.NoError(t, err)
			assert.Equal(t, kind, answer.Kind)
		}
	}
	assert.Equal(t, errcodes.Unavailable, errcodes.Of(httpcall.Reply{Status: 500}.Unread()))
	assert.Equal(t, errcodes.MalformedAnswer, errcodes.Of(httpcall.Reply{Status: 499}.Unread()))
	assert.ErrorContains(t, httpcall.Reply{Status: 499}.Unread(), "status 499")
	assert.ErrorContains(t, httpcall.Reply{Status: 404, Body: []byte("<html>")}.Open(nil), "status 404")
}

func TestMeaning(t *testing.T) {
	table := []httpcall.Phrase{{Begins: "invalid account", Kind: ports.OutcomeNotFound}, {Begins: "invalid", Kind: ports.OutcomeUnsupported}}
	for message, want := range map[string]ports.Outcome{
		"invalid account":        ports.OutcomeNotFound,
		"Invalid Account. Sorry": ports.OutcomeNotFound,
		"INVALID ACCOUNT number": ports.OutcomeNotFound,
		"invalid account_bank":   ports.OutcomeUnsupported,
		"invalid accounts":       ports.OutcomeUnsupported,
		"invalid account2":       ports.OutcomeUnsupported,
		"invalid accounté":       ports.OutcomeUnsupported,
		"invalidated":            ports.OutcomeFailed,
		"an invalid account":     ports.OutcomeFailed,
		"":                       ports.OutcomeFailed,
	} {
		assert.Equal(t, want, httpcall.Meaning(table, message), "%q", message)
	}
}

func TestMeaningOfTheEndOfAMessage(t *testing.T) {
	table := []httpcall.Phrase{
		{Kind: ports.OutcomeFound}, // a row without words matches nothing
		{Begins: "name inquiry failed", Ends: "invalid account", Kind: ports.OutcomeNotFound},
		{Ends: "is dormant", Kind: ports.OutcomeUnusable},
	}
	for message, want := range map[string]ports.Outcome{
		"Name inquiry failed. 058/0123456785: Invalid Account": ports.OutcomeNotFound,
		"name inquiry failed: invalid account. \n":             ports.OutcomeNotFound,
		"name inquiry failed: uninvalid account":               ports.OutcomeFailed,
		"name inquiry failed: invalid account number":          ports.OutcomeFailed,
		"name inquiry failedinvalid account":                   ports.OutcomeFailed,
		"name inquiry failed":                                  ports.OutcomeFailed,
		"invalid account":                                      ports.OutcomeFailed,
		"0123456785 is dormant.":                               ports.OutcomeUnusable,
		"IS DORMANT":                                           ports.OutcomeUnusable,
		"0123456785 is dormant, I think":                       ports.OutcomeFailed,
		"this dormant":                                         ports.OutcomeFailed,
		"":                                                     ports.OutcomeFailed,
	} {
		assert.Equal(t, want, httpcall.Meaning(table, message), "%q", message)
	}
}

func TestAPhraseMatchesBesideAnyNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		begin := rapid.StringMatching(`[a-z]{1,8}( [a-z]{1,8})?`).Draw(t, "begin")
		end := rapid.StringMatching(`[a-z]{1,8}( [a-z]{1,8})?`).Draw(t, "end")
		between := rapid.StringMatching(`[ :/.]([0-9]{4,12}[ :/.])?`).Draw(t, "between")
		table := []httpcall.Phrase{{Begins: begin, Ends: end, Kind: ports.OutcomeNotFound}}
		message := strings.ToUpper(begin + between + end)
		require.Equal(t, ports.OutcomeNotFound, httpcall.Meaning(table, message+rapid.StringMatching(`[. ]{0,3}`).Draw(t, "tail")))
		require.Equal(t, ports.OutcomeFailed, httpcall.Meaning(table, message+"x"))
		require.Equal(t, ports.OutcomeFailed, httpcall.Meaning(table, "x"+message))
	})
}

func FuzzMeaning(f *testing.F) {
	f.Add("name inquiry failed", "invalid account", "Name inquiry failed. 0123456785 Invalid Account.")
	f.Add("", "é", "\xc9")
	f.Fuzz(func(t *testing.T, begins, ends, message string) {
		kind := httpcall.Meaning([]httpcall.Phrase{{Begins: begins, Ends: ends, Kind: ports.OutcomeNotFound}}, message)
		lower := strings.ToLower(message)
		if kind == ports.OutcomeNotFound && (begins+ends == "" || !strings.HasPrefix(lower, begins) || !strings.Contains(lower, ends)) {
			t.Fatalf("%q matches %q", begins+"…"+ends, message)
		}
	})
}

func ExampleNew() {
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, `{"name": "holder of %s"}`, r.URL.Query().Get("number"))
	}))
	defer provider.Close()

	caller, err := httpcall.New(provider.URL, nil) // usually an https address
	if err != nil {
		fmt.Println(err)
		return
	}
	reply, err := caller.Do(context.Background(), httpcall.Request{
		Path:   []string{"accounts"},
		Query:  map[string][]string{"number": {"0123456785"}},
		Header: http.Header{"Authorization": {"Bearer key"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var holder struct {
		Name string `json:"name"`
	}
	err = reply.Open(&holder)
	fmt.Println(reply.Status, holder.Name, err)
	// Output: 200 holder of 0123456785 <nil>
}
