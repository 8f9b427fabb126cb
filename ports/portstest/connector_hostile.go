package portstest

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// hostileChecks are about providers that answer what no document describes, and
// about what stands between.
var hostileChecks = []connectorCheck{
	{"an answer that cannot be read is malformed or unavailable", true, unreadable},
	{"an error page is never an answer about the account", true, errorPages},
	{"a 5xx that says nothing of the account is unavailable", true, serverErrors},
	{"a provider that breaks off or is not there is unavailable", true, brokenOff},
	{"credentials that are refused are a configuration error, whatever the body", true, refused},
	{"a 429 is try_later, whatever its body and Retry-After", true, tooMany},
	{"a name in another encoding is read or refused, never mangled", true, otherEncoding},
	{"a body without end is not read to it", true, endlessBody},
	{"another Content-Type changes nothing or is malformed", true, otherContentType},
}

// fixed plays one response.
func fixed(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body)) // a connector that left shows elsewhere
	}
}

const jsonType = "application/json"

// body is the provider's answer of the scenario.
func (k *connectorKit) body(s scenario) string {
	k.Helper()
	_, lookups := k.tokens(s)
	if len(lookups) == 0 {
		k.Fatalf("%s asks the provider nothing", s.name)
	}
	return string(lookups[0].Response.bytes)
}

// page is an error page that repeats what it was asked, as some do.
func page(title string, l ports.AccountLookup) string {
	return "<!DOCTYPE html><html><head><title>" + title + "</title></head><body><h1>" + title + "</h1><p>" +
		l.Identifier + " " + l.HolderName + " " + canarySecret + " " + canarySecret2 + "</p></body></html>"
}

// hostile plays each of the responses to a fresh connector, in each market, and
// wants an error of one of the codes.
func (k *connectorKit) hostile(plays func(base scenario, l ports.AccountLookup) map[string]http.HandlerFunc, codes ...errcodes.Code) {
	k.Helper()
	for _, base := range k.bases() {
		l := secretive(base)
		for name, play := range plays(base, l) {
			d := k.open()
			d.answer(k.behind(base, play))
			d.refuses(l, name, codes...)
			if n := len(d.got(k.Tokens)); n > 2 || n == 2 && len(k.Tokens) == 0 {
				k.Fatalf("%s, in %s: %d requests for one lookup", name, l.Market, n)
			}
		}
	}
}

// refuses wants a lookup to fail by one of the codes, before long.
func (d *desk) refuses(l ports.AccountLookup, what string, codes ...errcodes.Code) {
	d.k.Helper()
	const long = 20 * time.Second
	ctx, cancel := context.WithTimeout(d.k.Context(), long)
	defer cancel()
	answer, err := d.ask(ctx, l)
	if code := errcodes.Of(err); !slices.Contains(codes, code) {
		d.k.Fatalf("%s, in %s: %q, error code %q; want an error of %q", what, l.Market, answer.Kind, code, codes)
	}
}

func unreadable(k *connectorKit) {
	k.hostile(func(base scenario, _ ports.AccountLookup) map[string]http.HandlerFunc {
		body := k.body(base)
		const deep = 100_000
		plays := map[string]http.HandlerFunc{
			"no body":                 fixed(http.StatusOK, jsonType, ""),
			"a 204":                   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
			"half a body":             fixed(http.StatusOK, jsonType, body[:len(body)/2]),
			"a body without its end":  fixed(http.StatusOK, jsonType, body[:len(body)-1]),
			"two answers in one body": fixed(http.StatusOK, jsonType, body+body),
			"a page under 200":        fixed(http.StatusOK, "text/html", page("Welcome", base.lookup())),
			"deep nesting":            fixed(http.StatusOK, jsonType, strings.Repeat(`{"data":[`, deep)),
			"bytes":                   fixed(http.StatusOK, jsonType, "\x1f\x8b\x00\xff"),
		}
		for _, text := range []string{"null", "[]", "[null]", "{}", `""`, `"found"`, "1", "true", `{"status":null}`, `{"data":[]}`} {
			plays[text] = fixed(http.StatusOK, jsonType, text)
		}
		for name, change := range map[string]func(any) any{"another type": otherType, "null": func(any) any { return nil }} {
			if changed, ok := everyValue(body, change); ok {
				plays["each value is "+name] = fixed(http.StatusOK, jsonType, changed)
			}
		}
		return plays
	}, errcodes.MalformedAnswer, errcodes.Unavailable)
}

func errorPages(k *connectorKit) {
	k.hostile(func(_ scenario, l ports.AccountLookup) map[string]http.HandlerFunc {
		plays := map[string]http.HandlerFunc{}
		for _, status := range []int{http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone, http.StatusUnprocessableEntity, http.StatusTeapot} {
			plays[fmt.Sprint(status, " with a page")] = fixed(status, "text/html", page(http.StatusText(status), l))
			plays[fmt.Sprint(status, " without a body")] = fixed(status, jsonType, "")
			plays[fmt.Sprint(status, " with {}")] = fixed(status, jsonType, "{}")
		}
		return plays
	}, errcodes.MalformedAnswer, errcodes.Unavailable)
}

func serverErrors(k *connectorKit) {
	k.hostile(func(base scenario, l ports.AccountLookup) map[string]http.HandlerFunc {
		plays := map[string]http.HandlerFunc{}
		for _, status := range []int{http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout} {
			plays[fmt.Sprint(status, " with a page")] = fixed(status, "text/html", page(http.StatusText(status), l))
			plays[fmt.Sprint(status, " without a body")] = fixed(status, jsonType, "")
			plays[fmt.Sprint(status, " with half of a good answer")] = fixed(status, jsonType, k.body(base)[:len(k.body(base))/2])
		}
		return plays
	}, errcodes.Unavailable)
}

func brokenOff(k *connectorKit) {
	k.hostile(func(base scenario, _ ports.AccountLookup) map[string]http.HandlerFunc {
		return map[string]http.HandlerFunc{
			"no answer, and the connection closed": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			"a body shorter than its length": func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "1000000")
				_, _ = w.Write([]byte(k.body(base))) // whole, and yet not all
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			},
		}
	}, errcodes.Unavailable)
	k.each(func(d *desk, base scenario) {
		d.server.Close()
		d.refuses(secretive(base), "a provider that is not there", errcodes.Unavailable)
	})
}

func refused(k *connectorKit) {
	k.hostile(func(base scenario, l ports.AccountLookup) map[string]http.HandlerFunc {
		bodies := map[string]string{"no body": "", "a page": page("Sign in", l), "a good answer's body": k.body(base), "{}": "{}"}
		for _, s := range k.scenarios {
			if s.Expect.Kind == ports.AnswerNotFound && s.lookup().Market == l.Market && len(s.Exchanges) > 0 {
				bodies["the body of "+s.name] = k.body(s)
			}
		}
		plays := map[string]http.HandlerFunc{}
		for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
			for name, body := range bodies {
				plays[fmt.Sprint(status, " with ", name)] = fixed(status, jsonType, body)
			}
		}
		return plays
	}, errcodes.Configuration)
}

// waitings are values of Retry-After, from sane to hostile.
var waitings = []string{
	"", "7", "0", "-5", "soon", "1e9", "99999999999999999999", "9223372036", "3.5",
	"Mon, 02 Mar 2026 09:29:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "Mon, 02 Mar 2026",
}

func tooMany(k *connectorKit) {
	const day = 24 * time.Hour
	for _, base := range k.bases() {
		l := secretive(base)
		for _, body := range []string{"", page("Slow down", l), "{}", k.body(base)} {
			for _, value := range waitings {
				d := k.open()
				d.answer(k.behind(base, func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Retry-After", value)
					fixed(http.StatusTooManyRequests, jsonType, body)(w, r)
				}))
				answer, err := d.ask(k.Context(), l)
				if err != nil || answer.Kind != ports.AnswerTryLater {
					k.Fatalf("429 with Retry-After %q, in %s: %q, error code %q", value, l.Market, answer.Kind, errcodes.Of(err))
				}
				if answer.After < 0 || answer.After > day {
					k.Fatalf("429 with Retry-After %q, in %s: after %s, want from 0 to a day", value, l.Market, answer.After)
				}
			}
		}
	}
}

func otherEncoding(k *connectorKit) {
	for _, base := range k.bases() {
		name := base.Expect.HolderName
		if name == "" {
			continue
		}
		body := k.body(base)
		changed := strings.ReplaceAll(body, name[len(name)-1:], "\xc9") // É in Latin-1
		if utf8.ValidString(changed) {
			k.Fatalf("%s: the body does not have the name's last letter in it", base.name)
		}
		d := k.open()
		d.answer(k.behind(base, fixed(http.StatusOK, jsonType, changed)))
		answer, err := d.ask(k.Context(), base.lookup())
		code := errcodes.Of(err)
		switch {
		case code == errcodes.MalformedAnswer || code == errcodes.Unavailable:
		case err == nil && answer.Kind == ports.AnswerFound && strings.Contains(answer.HolderName, "É"):
		default:
			k.Fatalf("a body in Latin-1, in %s: %q, error code %q; want an error or É in the name", market(base), answer.Kind, code)
		}
	}
}

func market(s scenario) ports.Market { return s.lookup().Market }

func endlessBody(k *connectorKit) {
	const size, chunk = 50 << 20, 64 << 10
	for _, base := range k.bases() {
		var sent atomic.Int64
		filler := strings.Repeat("9", chunk)
		d := k.open()
		d.answer(k.behind(base, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", jsonType)
			_, _ = w.Write([]byte(`{"message":"`)) // what follows tells whether it is taken
			for sent.Load() < size {
				n, err := w.Write([]byte(filler))
				sent.Add(int64(n))
				if err != nil {
					return
				}
			}
		}))
		d.refuses(secretive(base), "a body of 50 MB", errcodes.MalformedAnswer, errcodes.Unavailable)
		d.server.CloseClientConnections()
		if sent.Load() >= size {
			k.Fatalf("in %s: the connector took all 50 MB of a body", market(base))
		}
	}
}

func otherContentType(k *connectorKit) {
	for _, base := range k.bases() {
		for _, kind := range []string{"text/html; charset=utf-8", "text/plain", "application/octet-stream", ";;"} {
			d := k.open()
			d.answer(k.behind(base, fixed(http.StatusOK, kind, k.body(base))))
			answer, err := d.ask(k.Context(), base.lookup())
			if errcodes.Of(err) == errcodes.MalformedAnswer {
				continue
			}
			k.gives(base, answer, err)
		}
	}
}
