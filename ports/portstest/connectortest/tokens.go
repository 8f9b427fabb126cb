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
	{"an access token serves many lookups", func(k *connectorKit) {
		const lookups = 3
		k.each(func(d *desk, base scenario) {
			d.answer(newStage(true, base.Exchanges...).serve)
			for range lookups {
				d.finds(base, "a lookup with a good token")
			}
			d.loggedIn(base, "several lookups with a good token")
		})
	}},
	{"a token that served and is refused is replaced once", tokenReplaced},
	{"a lookup that waits for another's login ends at its deadline", loginAwaited},
}

// spot is where a provider misbehaves: at a token path, or where it is asked for
// the account.
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

// eachSpot runs fn on one found scenario of each market, with each of its spots,
// as a case, with a connector of its own.
func (k *connectorKit) eachSpot(fn func(d *desk, base scenario, at spot)) {
	k.spotCases(func(base scenario, at spot) { fn(k.open(), base, at) })
}

// spotCases is eachSpot without a connector.
func (k *connectorKit) spotCases(fn func(base scenario, at spot)) {
	kit.Each(k, k.bases(), market, func(base scenario) {
		kit.Each(k, k.spots(base), spot.String, func(at spot) { fn(base, at) })
	})
}

// behind plays misbehaviour at the spot. Before it, the token paths answer as in
// the scenario.
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
		var said []string // by the logins
		for _, x := range logins {
			answer, err := decode(x.Response.bytes)
			if err != nil {
				continue // it grants nothing
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

// carried returns the tokens in a request's headers: bearers, and what a login said.
func carried(headers map[string]string, said []string) []string {
	var out []string
	for name, value := range headers {
		bearer, ok := strings.CutPrefix(value, "Bearer ")
		switch {
		case strings.Contains(value, "{{"): // a credential, not a token
		case ok && strings.EqualFold(name, "Authorization"):
			out = append(out, bearer)
		case slices.Contains(said, value):
			out = append(out, value)
		}
	}
	return out
}

// reissued returns the scenario's exchanges with other tokens, those with the mark
// behind.
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

// taking plays the exchanges; a request that has another token is refused.
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

// loggedIn wants each login of the scenario to have taken place once.
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

		const revoked = "a token that served and was revoked"
		d.answer(taking(k.reissued(base, "-2")))
		d.finds(base, revoked)
		d.loggedIn(base, revoked)
		d.askedAtMostTwice(base, revoked)

		const all = "a provider that refuses each token from now on"
		logins, _ := k.split(scenario{Exchanges: k.reissued(base, "-3")})
		d.answer(taking(logins))
		d.refuses(base.lookup(), all, errcodes.Configuration)
		d.loggedIn(base, all)
		d.askedAtMostTwice(base, all)
	})
}

func (d *desk) askedAtMostTwice(base scenario, what string) {
	if n := d.gotAt(atAccount); n > 2 {
		d.k.Fatalf("%s, in %s: %d requests for one account, want 2 at most", what, market(base), n)
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
