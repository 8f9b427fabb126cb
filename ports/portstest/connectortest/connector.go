package connectortest

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// Harness creates a connector for [AccountConnector] and contains the exchanges
// that the provider's documents describe.
//
// Scenarios are *.json files at the root of the file system, one lookup each:
//
//	{
//	  "title":   "an account that exists",
//	  "source":  "https://provider.example/docs/resolve",
//	  "read":    "2026-11-21",
//	  "assumed": ["response.headers"],
//	  "lookup":  {"country": "NGA", "type": "bank_account", "identifier": "0123456789",
//	              "bankCode": "058", "branch": "", "holderName": "",
//	              "identity": {"kind": "personal", "document": "national_id", "number": "1"}},
//	  "exchanges": [{
//	    "request":  {"method": "GET", "path": "/bank/resolve",
//	                 "query": {"account_number": "0123456789", "bank_code": "058"},
//	                 "headers": {"Authorization": "Bearer {{secret}}"}},
//	    "response": {"status": 200, "body": {"status": true, "data": {"account_name": "AMA MENSAH"}}}
//	  }],
//	  "expect": {"kind": "found", "holderName": "AMA MENSAH"}
//	}
//
// title, source (the provider's page) and read (the day on which it was read)
// are required. assumed lists what the page does not show. In an invented scenario
// it is ["all"], and read may be any day; the suite logs how many there are.
// Unknown fields are rejected.
//
// A request must have the method, the path (with its escapes), exactly the query
// parameters listed, at least the headers listed, and the body: "body" is
// compared as JSON, so that "0123" and 123 differ, "form" as a URL-encoded form,
// "text" byte for byte; without any of them the request has no body. In the
// strings of query, headers, body and form {{secret}}, {{secret2}}, {{userID}}
// stand for the credentials of [Upstream] and {{basic}} for the base64 of
// userID:secret. The string {{any}} matches anything.
//
// A response has a status, headers, and at most one of "body" (JSON, sent exactly
// as in the file), "text" and "file" (a file of the same file system); "latin1"
// sends a text in that encoding. The Content-Type is application/json for body
// and text/plain for the others, unless headers set one.
//
// Each exchange takes place once, in any order. A request without a remaining
// exchange, or an exchange without a request, fails the scenario. A lookup has
// one exchange besides those of [Harness.Tokens]; it has two if the first is
// answered 401 and the connector has tokens to renew, and none if it must not ask
// or if the login fails.
//
// expect is an answer (kind, holderName, name: "matched" or "mismatched", code,
// message, and after: "30s") or an error ({"error": CODE}, where CODE is
// configuration, unavailable or malformed_answer). Omitted fields are empty.
//
// Required files:
//
//	found.json            an account that exists
//	not_found.json        an account that does not exist, according to the body
//	try_later.json        429 with Retry-After in seconds
//	try_later_date.json   429 with Retry-After as an HTTP date (the clock shows 2026-03-02T09:30:00Z)
//	unauthorized.json     401
//	forbidden.json        403
//
// Other files may have any name. Each market that the connector claims needs an
// account that is found.
type Harness struct {
	// New returns a connector that asks the upstream. It is called many times.
	New func(tb testing.TB, up Upstream) ports.AccountConnector
	// Scenarios contains the files, for example os.DirFS("testdata").
	Scenarios fs.FS
	// Tokens are the paths, with their escapes, at which the connector fetches
	// access tokens. Every scenario that asks for the account also has an exchange
	// at one of them; a scenario may end there because the login is rejected. The
	// suite takes as access tokens the top-level access_token of a login's answer,
	// TOKEN in "Authorization: Bearer TOKEN" of requests for the account, and other
	// values of that answer that their headers contain. The provider misbehaves at
	// these paths too.
	Tokens []string
	// TokenLife is how long the scenarios' tokens are valid according to the
	// provider. If it is 0, the replacement of expired tokens is not checked.
	TokenLife time.Duration
	// NoUpstream declares that the connector makes no HTTP requests. The checks
	// that need a misbehaving provider are skipped, and scenarios have no exchange.
	NoUpstream bool
	// Except maps checks that the connector cannot pass to the reason. An unknown
	// name or an empty reason fails the suite. The check of a required scenario is
	// "scenario NAME", that of a market "found in COUNTRY TYPE".
	Except map[string]string
}

// Upstream is the provider that the suite plays, with the configuration for a
// connector. The credentials are canaries: the suite looks for them in everything
// that the connector returns or logs.
type Upstream struct {
	BaseURL string // http://127.0.0.1 and a port, without a path or a trailing slash
	Client  *http.Client
	Clock   *portstest.Clock // stands at 2026-03-02T09:30:00Z
	Logger  *slog.Logger

	Secret  string // of any form
	Secret2 string // for a second credential such as a subscription key
	UserID  string // a UUID, for a client ID or an API key that has a secret
}

// AccountConnector checks a ports.AccountConnector against a provider that first
// plays the harness's scenarios and then misbehaves in every way that providers
// and networks are known to. Run it with -race: one check calls the connector from
// many goroutines.
func AccountConnector(t *testing.T, h Harness) {
	t.Helper()
	scenarios := h.load(t)
	t.Log(assumptions(scenarios))
	kit.Run(t, h.Except, connectorChecksFor(t, h, scenarios), func(t *testing.T) *connectorKit {
		const prompt = time.Minute // a busy machine may need long
		return &connectorKit{Kit: kit.Kit{TB: t}, Harness: h, scenarios: scenarios, prompt: prompt}
	})
}

// load reads the scenarios and rejects a harness that contradicts them.
func (h *Harness) load(tb testing.TB) []scenario {
	tb.Helper()
	scenarios, err := readScenarios(h.Scenarios)
	if err == nil {
		err = h.contradicted(scenarios)
	}
	if err != nil {
		tb.Fatalf("the scenarios: %v", err)
	}
	return scenarios
}

func (h *Harness) contradicted(scenarios []scenario) error {
	switch {
	case h.TokenLife < 0:
		return errors.New("TokenLife is below 0")
	case h.TokenLife > 0 && len(h.Tokens) == 0:
		return errors.New("TokenLife is set, but Tokens is empty")
	case h.NoUpstream && len(h.Tokens) > 0:
		return errors.New("both Tokens and NoUpstream are set")
	case len(h.Tokens) == 0:
		return nil
	}
	for _, s := range scenarios {
		if logins, lookups := h.split(s); len(lookups) > 0 && len(logins) == 0 {
			return fmt.Errorf("%s.json asks for the account without an exchange at %s, the paths in Tokens",
				s.name, strings.Join(h.Tokens, " or "))
		}
	}
	return nil
}

// split returns the scenario's exchanges at the token paths (logins) and the
// others (lookups).
func (h *Harness) split(s scenario) (logins, lookups []exchange) {
	for _, x := range s.Exchanges {
		if slices.Contains(h.Tokens, x.Request.Path) {
			logins = append(logins, x)
		} else {
			lookups = append(lookups, x)
		}
	}
	return logins, lookups
}
