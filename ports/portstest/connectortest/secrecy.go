package connectortest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// secrecyChecks are about what a request contains and where it is sent.
var secrecyChecks = []connectorCheck{
	{"account numbers and bank codes are sent as text, with leading zeros", sentAsText},
	{"an identifier is escaped in the request", func(k *connectorKit) {
		kit.Each(k, []string{"12/34", "../admin", "1?x=y", "1&x=y", "1#x", "1%2F2", "1 2", "1+2", `1"2`, "é1;2", ".."}, strconv.Quote, func(odd string) {
			k.each(func(d *desk, base scenario) { d.arrivesWhole(base, odd) })
		})
	}},
	{"nothing is sent to another host", func(k *connectorKit) {
		kit.Each(k, []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect}, strconv.Itoa, func(status int) {
			k.eachSpot(func(d *desk, base scenario, at spot) { d.doesNotFollow(base, at, status) })
		})
	}},
}

// parts returns the texts in a request: path segments, query and form values, and
// the strings of a JSON body.
func (r seen) parts() []string {
	var out []string
	for segment := range strings.SplitSeq(r.URL.EscapedPath(), "/") {
		if text, err := url.PathUnescape(segment); err == nil {
			out = append(out, text)
		}
	}
	form, _ := url.ParseQuery(string(r.body)) // other bodies have no useful values
	for _, values := range []url.Values{r.URL.Query(), form} {
		for _, list := range values {
			out = append(out, list...)
		}
	}
	body, err := decode(r.body)
	if err != nil {
		return out
	}
	return append(out, texts(body)...)
}

func texts(v any) []string {
	var out []string
	leaves(v, func(leaf any) any {
		if text, ok := leaf.(string); ok {
			out = append(out, text)
		}
		return leaf
	})
	return out
}

// shown returns the parts of the single request that a lookup makes, or nil if it
// makes none.
func (d *desk) shown(base scenario, l ports.AccountLookup) []string {
	d.answer(d.k.behind(base, atAccount, fixed(http.StatusBadRequest, jsonType, "")))
	_, _ = d.ask(d.k.Context(), l) // only the request matters here
	var out []string
	for _, r := range d.got(d.k.Tokens) {
		out = append(out, r.parts()...)
	}
	return out
}

func sentAsText(k *connectorKit) {
	k.each(func(d *desk, base scenario) {
		l := secretive(base)
		parts := d.shown(base, l)
		if len(parts) == 0 {
			k.Fatalf("a lookup in %s made no request", l.Market)
		}
		if !slices.Contains(parts, l.Identifier) {
			k.Fatalf("the request for %s does not contain the account number as text%s", l.Market, k.hint(base))
		}
		if bare := strings.TrimLeft(l.BankCode, "0"); bare != l.BankCode && slices.Contains(parts, bare) {
			k.Fatalf("the request for %s contains the bank code without its leading zeros", l.Market)
		}
	})
}

// hint returns a hint for a request that may not be the one for the account.
func (k *connectorKit) hint(base scenario) string {
	if len(k.Tokens) == 0 && len(base.Exchanges) > 1 {
		return "; if it asked for a token, add the path to Tokens"
	}
	return ""
}

func (d *desk) arrivesWhole(base scenario, odd string) {
	l := base.lookup()
	l.Identifier = "00" + odd
	if odd == ".." {
		l.Identifier = odd
	}
	parts := d.shown(base, l)
	if len(parts) > 0 && !slices.Contains(parts, l.Identifier) {
		d.k.Fatalf("the identifier %q does not arrive unchanged in %s", l.Identifier, l.Market)
	}
}

func (d *desk) doesNotFollow(base scenario, at spot, status int) {
	k := d.k
	other, asked := elsewhere(k)
	address := other.URL
	if status%2 == 0 { // another host name; else another port
		address = strings.Replace(address, "127.0.0.1", "localhost", 1)
	}
	d.answer(k.behind(base, at, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", address+r.URL.RequestURI())
		w.WriteHeader(status)
	}))
	what := fmt.Sprintf("a %d for %s, in %s", status, at, market(base))
	answer, err := d.ask(k.Context(), secretive(base))
	if n := asked.Load(); n > 0 {
		k.Fatalf("%s: a request was sent to another host", what)
	}
	if code := errcodes.Of(err); code != errcodes.MalformedAnswer && code != errcodes.Unavailable {
		k.Fatalf("%s: %q, error code %q; want malformed or unavailable", what, answer.Kind, code)
	}
}

func connectorShows(k *connectorKit) {
	if len(k.Tokens) > 0 && len(k.granted()) == 0 {
		k.Fatalf("Tokens is set, but no scenario contains a token: no header Authorization: Bearer TOKEN and no access_token")
	}
	d := k.open()
	kit.Each(k, k.bases(), market, func(base scenario) {
		d.answer(newStage(true, base.Exchanges...).serve)
		_, _ = d.ask(k.Context(), base.lookup()) // so that the connector has a token, if it uses them
		kit.Each(k, []string{"%v", "%+v", "%s", "%q"}, kit.Text, func(format string) { d.hides(base, format) })
	})
}

func (d *desk) hides(base scenario, format string) {
	if leak := d.k.leaked(fmt.Sprintf(format, d.AccountConnector), base.lookup()); leak != "" {
		d.k.Fatalf("%s of the connector prints %s: add a String method to the connector, because fmt does not call those of unexported fields", format, leak)
	}
}

func elsewhere(k *connectorKit) (*httptest.Server, *atomic.Int64) {
	var asked atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		fixed(http.StatusOK, jsonType, "{}")(w, r)
	}))
	k.Cleanup(other.Close)
	return other, &asked
}
