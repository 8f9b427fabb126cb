package connectortest

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// hostileChecks are about undocumented answers of providers and about failures of
// the network and of proxies.
var hostileChecks = []connectorCheck{
	{"an unreadable answer is malformed or unavailable", unreadable},
	{"an error page is never an answer about the account", func(k *connectorKit) {
		unread := []errcodes.Code{errcodes.MalformedAnswer, errcodes.Unavailable}
		k.hostileTo(func(_ scenario, _ spot, l ports.AccountLookup) plays {
			all := plays{}
			for _, status := range []int{http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone, http.StatusUnprocessableEntity, http.StatusTeapot} {
				all[fmt.Sprint(status, " with a page")] = fixed(status, "text/html", page(http.StatusText(status), l))
				all[fmt.Sprint(status, " without a body")] = fixed(status, jsonType, "")
				all[fmt.Sprint(status, " with {}")] = fixed(status, jsonType, "{}")
			}
			return all
		}, unread, append(unread, errcodes.Configuration)) // a login is only about credentials
	}},
	{"a 5xx without an answer about the account is unavailable", func(k *connectorKit) {
		k.hostile(func(base scenario, at spot, l ports.AccountLookup) plays {
			all := plays{}
			for _, status := range []int{http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout} {
				all[fmt.Sprint(status, " with a page")] = fixed(status, "text/html", page(http.StatusText(status), l))
				all[fmt.Sprint(status, " without a body")] = fixed(status, jsonType, "")
				all[fmt.Sprint(status, " with half of a good answer")] = fixed(status, jsonType, k.body(base, at)[:len(k.body(base, at))/2])
			}
			return all
		}, errcodes.Unavailable)
	}},
	{"a broken connection or an unreachable provider is unavailable", brokenOff},
	{"rejected credentials are a configuration error, whatever the body", rejected},
	{"a 429 is try_later, whatever its body and Retry-After", tooMany},
	{"a name in another encoding is decoded or rejected, never garbled", otherEncoding},
	{"an endless body is not read completely", endlessBody},
	{"another Content-Type is ignored or malformed", func(k *connectorKit) {
		for _, base := range k.bases() {
			for _, kind := range []string{"text/html; charset=utf-8", "text/plain", "application/octet-stream", ";;"} {
				k.Case(kind+" in "+market(base), func() {
					d := k.open()
					d.answer(k.behind(base, atAccount, fixed(http.StatusOK, kind, k.body(base, atAccount))))
					answer, err := d.ask(k.Context(), base.lookup())
					if errcodes.Of(err) != errcodes.MalformedAnswer {
						k.gives(base, answer, err)
					}
				})
			}
		}
	}},
}

func unreadable(k *connectorKit) {
	k.hostile(func(base scenario, at spot, _ ports.AccountLookup) plays {
		body := k.body(base, at)
		const deep = 100_000
		all := plays{
			"no body":                      fixed(http.StatusOK, jsonType, ""),
			"status 204":                   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
			"half a body":                  fixed(http.StatusOK, jsonType, body[:len(body)/2]),
			"a body without its last byte": fixed(http.StatusOK, jsonType, body[:len(body)-1]),
			"two answers in one body":      fixed(http.StatusOK, jsonType, body+body),
			"a page with status 200":       fixed(http.StatusOK, "text/html", page("Welcome", base.lookup())),
			"deep nesting":                 fixed(http.StatusOK, jsonType, strings.Repeat(`{"data":[`, deep)),
			"bytes":                        fixed(http.StatusOK, jsonType, "\x1f\x8b\x00\xff"),
		}
		for _, text := range []string{"null", "[]", "[null]", "{}", `""`, `"found"`, "1", "true", `{"status":null}`, `{"data":[]}`} {
			all[text] = fixed(http.StatusOK, jsonType, text)
		}
		if changed, ok := withoutNested(body); ok {
			all["each nested value is null"] = fixed(http.StatusOK, jsonType, changed)
		}
		for name, change := range map[string]func(any) any{"another type": otherType, "null": func(any) any { return nil }} {
			if changed, ok := everyValue(body, change); ok {
				all["each value is "+name] = fixed(http.StatusOK, jsonType, changed)
			}
		}
		return all
	}, errcodes.MalformedAnswer, errcodes.Unavailable)
}

func brokenOff(k *connectorKit) {
	k.hostile(func(base scenario, at spot, _ ports.AccountLookup) plays {
		return plays{
			"a connection closed without an answer": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			"a body shorter than its Content-Length": func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "1000000")
				_, _ = w.Write([]byte(k.body(base, at))) // complete JSON, but shorter than announced
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			},
		}
	}, errcodes.Unavailable)
	const away = "a provider that cannot be reached"
	k.Case(away, func() {
		k.each(func(d *desk, base scenario) {
			d.server.Close()
			d.rejects(secretive(base), away, errcodes.Unavailable)
		})
	})
}

func rejected(k *connectorKit) {
	k.hostile(func(base scenario, at spot, l ports.AccountLookup) plays {
		bodies := map[string]string{"no body": "", "a page": page("Sign in", l), "a good answer's body": k.body(base, at), "{}": "{}"}
		for _, s := range k.scenarios {
			if s.Expect.Kind == ports.OutcomeNotFound && s.lookup().Market == l.Market && len(s.Exchanges) > 0 {
				bodies["the body of "+s.name] = k.body(s, atAccount)
			}
		}
		all := plays{}
		for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
			for name, body := range bodies {
				all[fmt.Sprint(status, " with ", name)] = fixed(status, jsonType, body)
			}
		}
		return all
	}, errcodes.Configuration)
}

// waitings are values of Retry-After, from sane to hostile.
var waitings = []string{
	"", "0", "-5", "soon", "1e9", "99999999999999999999", "9223372036", "3.5",
	"Mon, 02 Mar 2026 09:29:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "Mon, 02 Mar 2026",
}

func tooMany(k *connectorKit) {
	k.spotCases(func(base scenario, at spot) {
		l := secretive(base)
		bodies := map[string]string{
			"no body": "", "a page": page("Slow down", l), "{}": "{}", "a good answer's body": k.body(base, at),
		}
		tell := func(value, name string) {
			k.Case(fmt.Sprintf("Retry-After %q with %s", value, name), func() {
				d := k.open()
				d.answer(k.behind(base, at, func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Retry-After", value)
					fixed(http.StatusTooManyRequests, jsonType, bodies[name])(w, r)
				}))
				d.waits(l, fmt.Sprintf("429 with Retry-After %q for %s", value, at))
			})
		}
		for name := range kit.ByName(bodies) {
			tell("7", name)
		}
		for _, value := range waitings {
			tell(value, "no body")
		}
	})
}

// waits checks that a lookup returns try_later with a wait of at most a day.
func (d *desk) waits(l ports.AccountLookup, what string) {
	const day = 24 * time.Hour
	answer, err := d.ask(d.k.Context(), l)
	if err != nil || answer.Kind != ports.OutcomeTryLater {
		d.k.Fatalf("%s, in %s: %q, error code %q", what, l.Market, answer.Kind, errcodes.Of(err))
	}
	if answer.After < 0 || answer.After > day {
		d.k.Fatalf("%s, in %s: After is %s, want 0 to 24h", what, l.Market, answer.After)
	}
}

func otherEncoding(k *connectorKit) {
	k.each(func(d *desk, base scenario) {
		name := base.Expect.HolderName
		if name == "" {
			return
		}
		body := k.body(base, atAccount)
		changed := strings.ReplaceAll(body, name[len(name)-1:], "\xc9") // É in Latin-1
		if utf8.ValidString(changed) {
			k.Fatalf("%s: the body does not contain the last letter of the name", base.name)
		}
		d.answer(k.behind(base, atAccount, fixed(http.StatusOK, jsonType, changed)))
		answer, err := d.ask(k.Context(), base.lookup())
		code := errcodes.Of(err)
		switch {
		case code == errcodes.MalformedAnswer || code == errcodes.Unavailable:
		case err == nil && answer.Kind == ports.OutcomeFound && strings.Contains(answer.HolderName, "É"):
		default:
			k.Fatalf("a body in Latin-1, in %s: %q, error code %q; want an error or É in the name", market(base), answer.Kind, code)
		}
	})
}

func endlessBody(k *connectorKit) {
	const size, chunk = 16 << 20, 64 << 10 // far more than what the network buffers
	filler := strings.Repeat("9", chunk)
	k.eachSpot(func(d *desk, base scenario, at spot) {
		var sent atomic.Int64
		d.answer(k.behind(base, at, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", jsonType)
			_, _ = w.Write([]byte(`{"message":"`)) // later writes fail once the connector stops reading
			for sent.Load() < size {
				n, err := w.Write([]byte(filler))
				sent.Add(int64(n))
				if err != nil {
					return
				}
			}
		}))
		d.rejects(secretive(base), fmt.Sprintf("a body of 16 MB for %s", at), errcodes.MalformedAnswer, errcodes.Unavailable)
		d.server.CloseClientConnections()
		if sent.Load() >= size {
			k.Fatalf("in %s: the connector read all 16 MB of a body for %s", market(base), at)
		}
	})
}
