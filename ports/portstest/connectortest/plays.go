package connectortest

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// fixed plays one response.
func fixed(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body)) // a connector that left shows elsewhere
	}
}

const jsonType = "application/json"

// body is what the scenario's provider answers at the spot.
func (k *connectorKit) body(s scenario, at spot) string {
	for _, x := range s.Exchanges {
		here := spot(x.Request.Path)
		if !slices.Contains(k.Tokens, x.Request.Path) {
			here = atAccount
		}
		if here == at {
			return string(x.Response.bytes)
		}
	}
	k.Fatalf("%s does not ask the provider for %s", s.name, at)
	return ""
}

// page is an error page that repeats what it was asked, as some do.
func page(title string, l ports.AccountLookup) string {
	return "<!DOCTYPE html><html><head><title>" + title + "</title></head><body><h1>" + title + "</h1><p>" +
		l.Identifier + " " + l.HolderName + " " + canarySecret + " " + canarySecret2 + "</p></body></html>"
}

// plays are responses by their names.
type plays map[string]http.HandlerFunc

// hostile plays each of the responses to a fresh connector, in each market and at
// each spot, as a case, and wants an error of one of the codes.
func (k *connectorKit) hostile(all func(base scenario, at spot, l ports.AccountLookup) plays, codes ...errcodes.Code) {
	k.hostileTo(all, codes, codes)
}

// hostileTo is hostile with other codes at a login.
func (k *connectorKit) hostileTo(all func(base scenario, at spot, l ports.AccountLookup) plays, account, login []errcodes.Code) {
	k.spotCases(func(base scenario, at spot) {
		l, codes := secretive(base), account
		if at != atAccount {
			codes = login
		}
		for name, play := range kit.ByName(all(base, at, l)) {
			k.Case(name, func() {
				d := k.open()
				d.answer(k.behind(base, at, play))
				d.refuses(l, fmt.Sprintf("%s for %s", name, at), codes...)
				d.didNotInsist(l, at, name)
			})
		}
	})
}

// didNotInsist counts the requests of a lookup that got nowhere at the spot.
func (d *desk) didNotInsist(l ports.AccountLookup, at spot, what string) {
	most := 1
	if at == atAccount && len(d.k.Tokens) > 0 {
		most = 2 // a token may be replaced
	}
	if n := d.gotAt(at); n > most {
		d.k.Fatalf("%s, in %s: %d requests for %s in one lookup", what, l.Market, n, at)
	}
	if n := d.gotAt(atAccount); n > 0 && at != atAccount {
		d.k.Fatalf("%s for %s, in %s: the account was asked for all the same", what, at, l.Market)
	}
}

// refuses wants a lookup to fail by one of the codes, before long.
func (d *desk) refuses(l ports.AccountLookup, what string, codes ...errcodes.Code) {
	const long = 20 * time.Second
	ctx, cancel := context.WithTimeout(d.k.Context(), long)
	defer cancel()
	answer, err := d.ask(ctx, l)
	if code := errcodes.Of(err); !slices.Contains(codes, code) {
		d.k.Fatalf("%s, in %s: %q, error code %q; want an error of %q", what, l.Market, answer.Kind, code, codes)
	}
}
