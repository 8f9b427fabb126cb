package connectortest

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

var accessTokenChecks = []connectorCheck{
	{"an access token is used for many lookups", func(k *connectorKit) {
		const lookups = 3
		k.each(func(d *desk, base scenario) {
			d.answer(newStage(true, base.Exchanges...).serve)
			for range lookups {
				d.finds(base, "a lookup with a valid token")
			}
			d.loggedIn(base, "several lookups with a valid token")
		})
	}},
	{"a token that is rejected after use is replaced once", tokenReplaced},
	{"a lookup that waits for another lookup's login returns at its deadline", loginAwaited},
}

// spot is the request at which a provider misbehaves: one at a token path, or the
// one for the account.
type spot string

const atAccount spot = ""

func (s spot) String() string {
	if s == atAccount {
		return "the account"
	}
	return "a token at " + string(s)
}

func (k *connectorKit) spots(s scenario) []spot {
	out := []spot{atAccount}
	logins, _ := k.split(s)
	for _, x := range logins {
		if at := spot(x.Request.Path); !slices.Contains(out, at) {
			out = append(out, at)
		}
	}
	return out
}

// eachSpot runs fn as a case for each spot of one found scenario of each market,
// each with a new connector.
func (k *connectorKit) eachSpot(fn func(d *desk, base scenario, at spot)) {
	k.spotCases(func(base scenario, at spot) { fn(k.open(), base, at) })
}

// spotCases is eachSpot without a connector.
func (k *connectorKit) spotCases(fn func(base scenario, at spot)) {
	kit.Each(k, k.bases(), market, func(base scenario) {
		kit.Each(k, k.spots(base), spot.String, func(at spot) { fn(base, at) })
	})
}

// behind plays misbehaviour at the spot. Other token paths answer as in the
// scenario.
func (k *connectorKit) behind(s scenario, at spot, play http.HandlerFunc) http.HandlerFunc {
	logins, _ := k.split(s)
	door := newStage(true, logins...)
	return func(w http.ResponseWriter, r *http.Request) {
		if k.spotOf(r) == at {
			play(w, r)
			return
		}
		door.serve(w, r)
	}
}

func (k *connectorKit) spotOf(r *http.Request) spot {
	if path := r.URL.EscapedPath(); slices.Contains(k.Tokens, path) {
		return spot(path)
	}
	return atAccount
}

func (d *desk) gotAt(at spot) int {
	n := 0
	for _, r := range d.got(nil) {
		if d.k.spotOf(r.Request) == at {
			n++
		}
	}
	return n
}

func (k *connectorKit) granted() []string {
	var out []string
	for _, s := range k.scenarios {
		logins, lookups := k.split(s)
		var said []string // texts in the answers of the logins
		for _, x := range logins {
			answer, err := decode(x.Response.bytes)
			if err != nil {
				continue // it contains no token
			}
			if object, ok := answer.(map[string]any); ok {
				token, _ := object["access_token"].(string)
				out = append(out, token)
			}
			said = append(said, texts(answer)...)
		}
		for _, x := range lookups {
			out = append(out, carried(x.Request.Headers, said)...)
		}
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(token string) bool { return token == "" })
}

// carried returns the tokens in a request's headers: bearers and texts of a login's answer.
func carried(headers map[string]string, said []string) []string {
	var out []string
	for name, value := range headers {
		bearer, ok := strings.CutPrefix(value, "Bearer ")
		switch {
		case strings.Contains(value, "{{"): // a credential
		case ok && strings.EqualFold(name, "Authorization"):
			out = append(out, bearer)
		case slices.Contains(said, value):
			out = append(out, value)
		}
	}
	return out
}

// reissued returns the scenario's exchanges with new tokens: mark is appended to
// each.
func (k *connectorKit) reissued(s scenario, mark string) []exchange {
	out := slices.Clone(s.Exchanges)
	for i := range out {
		x := &out[i]
		x.Request.Headers = maps.Clone(x.Request.Headers)
		for _, token := range k.granted() {
			x.Response.bytes = bytes.ReplaceAll(x.Response.bytes, []byte(token), []byte(token+mark))
			for name, value := range x.Request.Headers {
				x.Request.Headers[name] = strings.ReplaceAll(value, token, token+mark)
			}
		}
	}
	return out
}

// taking plays the exchanges; a request with another token is answered 401.
func taking(exchanges []exchange) http.HandlerFunc {
	stage := newStage(true, exchanges...)
	return func(w http.ResponseWriter, r *http.Request) {
		x, ok := stage.next(r)
		if !ok {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		x.Response.send(w)
	}
}

func (d *desk) finds(base scenario, what string) {
	answer, err := d.ask(d.k.Context(), base.lookup())
	if err != nil {
		d.k.Fatalf("%s, in %s: error code %q (%v)", what, market(base), errcodes.Of(err), err)
	}
	d.k.gives(base, answer, err)
}

// loggedIn checks that each login of the scenario took place exactly once.
func (d *desk) loggedIn(base scenario, what string) {
	logins, _ := d.k.split(base)
	for _, at := range d.k.spots(base)[1:] {
		want := 0
		for _, x := range logins {
			if spot(x.Request.Path) == at {
				want++
			}
		}
		if n := d.gotAt(at); n != want {
			d.k.Fatalf("%s, in %s: %d requests for %s, want %d", what, market(base), n, at, want)
		}
	}
}

func tokenReplaced(k *connectorKit) {
	k.each(func(d *desk, base scenario) {
		d.answer(newStage(true, base.Exchanges...).serve)
		d.finds(base, "the first lookup")

		const revoked = "a token that was used and then revoked"
		d.answer(taking(k.reissued(base, "-2")))
		d.finds(base, revoked)
		d.loggedIn(base, revoked)
		d.askedAtMostTwice(base, revoked)

		const all = "a provider that rejects every token"
		logins, _ := k.split(scenario{Exchanges: k.reissued(base, "-3")})
		d.answer(taking(logins))
		d.rejects(base.lookup(), all, errcodes.Configuration)
		d.loggedIn(base, all)
		d.askedAtMostTwice(base, all)
	})
}

func (d *desk) askedAtMostTwice(base scenario, what string) {
	if n := d.gotAt(atAccount); n > 2 {
		d.k.Fatalf("%s, in %s: %d requests for one account, want at most 2", what, market(base), n)
	}
}

func expiredToken(k *connectorKit) {
	k.each(func(d *desk, base scenario) {
		d.answer(newStage(true, base.Exchanges...).serve)
		d.finds(base, "the first lookup")

		const expired = "a token that has expired by the clock"
		d.clock.Advance(k.TokenLife)
		d.answer(taking(k.reissued(base, "-2")))
		d.finds(base, expired)
		d.loggedIn(base, expired)
		if n := d.gotAt(atAccount); n != 1 {
			k.Fatalf("%s, in %s: %d requests for the account, want 1: the expired token was sent", expired, market(base), n)
		}
	})
}

func loginAwaited(k *connectorKit) {
	k.eachSpot(func(d *desk, base scenario, at spot) {
		if at == atAccount {
			return
		}
		ctx, cancel := context.WithCancel(k.Context())
		defer cancel()
		came := make(chan struct{}, kit.Racers)
		d.answer(k.behind(base, at, func(_ http.ResponseWriter, r *http.Request) {
			came <- struct{}{}
			d.until(r)
		}))
		first := d.start(ctx, base)
		select {
		case <-came:
		case o := <-first:
			d.tooEarly(base, at, o)
		}
		d.runsOut(base, at)
		cancel()
		d.leaves(base, first, context.Canceled)
	})
}
