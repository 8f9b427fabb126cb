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

// Harness makes a connector for [AccountConnector], and holds the
// exchanges that its provider's documents describe.
//
// Scenarios are *.json files at the top of the file system, one lookup each:
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
// are required; assumed lists what the page does not show. Of a scenario that is
// made up it is ["all"], and read may be any day; the suite logs how many there
// are. A field that the format does not know is refused.
//
// A request must have the method, the path (with its escapes), all the query
// parameters and no others, the headers that are named, and the body: "body" is
// compared as JSON, so that "0123" and 123 differ, "form" as a URL-encoded form,
// "text" byte for byte; without any of them the request has no body. In the
// strings of query, headers, body and form {{secret}}, {{secret2}}, {{userID}}
// stand for the credentials of [Upstream], {{basic}} for the base64 of
// userID:secret, and a string that is {{any}} for anything.
//
// A response has a status, headers, and one of "body" (JSON, sent as it stands
// in the file), "text", "file" (a file of the same file system) or none;
// "latin1" sends a text in that encoding. The Content-Type is application/json
// for body and text/plain for the others, unless headers name one.
//
// Each exchange takes place once, in any order; a request that no exchange is
// left for, and an exchange without its request, fail the scenario. A lookup has
// one exchange beside those of [Harness.Tokens], or two where the first
// answers 401 and the connector has tokens to renew, or none where it must not
// ask, or does not get past the login.
//
// expect is an answer (kind, holderName, name: "matched" or "mismatched", code,
// message, and after: "30s") or an error ({"error": CODE}, where CODE is
// configuration, unavailable or malformed_answer). What is left out is empty.
//
// Required, by their file names:
//
//	found.json            an account that exists
//	not_found.json        one that does not, as the provider's body says
//	try_later.json        429 with Retry-After in seconds
//	try_later_date.json   429 with Retry-After as an HTTP date (the clock shows 2026-03-02T09:30:00Z)
//	unauthorized.json     401
//	forbidden.json        403
//
// Others have any name. Each market that the connector claims needs one that is
// found.
type Harness struct {
	// New makes a connector that asks the upstream. It is called many times.
	New func(tb testing.TB, up Upstream) ports.AccountConnector
	// Scenarios holds the files, for example os.DirFS("testdata").
	Scenarios fs.FS
	// Tokens are the paths, with their escapes, at which the connector fetches
	// access tokens. Every scenario that asks for the account has an exchange at
	// one of them too; a scenario that ends there, since the login is refused, is
	// welcome. An access token is what requests for the account carry as
	// "Authorization: Bearer TOKEN", or in another header as the login's answer
	// has it, or an access_token at the top of that answer. The provider
	// misbehaves at these paths as well.
	Tokens []string
	// TokenLife is how long the tokens of the scenarios are good, as the
	// provider says; 0: whether expired ones are replaced is not checked.
	TokenLife time.Duration
	// NoUpstream says that the connector asks nobody over HTTP: the checks that
	// need a provider to misbehave are left out, and scenarios have no exchange.
	NoUpstream bool
	// Except names checks that the connector cannot pass, each with the reason.
	// An unknown name or an empty reason fails the suite. A required scenario
	// is the check "scenario NAME", a market "found in COUNTRY TYPE".
	Except map[string]string
}

// Upstream is the provider that the suite plays, and what to configure a
// connector with. The credentials are canaries: the suite looks for them in
// whatever the connector says.
type Upstream struct {
	BaseURL string // http://127.0.0.1 and a port, without a path or a slash at the end
	Client  *http.Client
	Clock   *portstest.Clock // stands at 2026-03-02T09:30:00Z
	Logger  *slog.Logger

	Secret  string // of any form
	Secret2 string // another, for whatever further credential there is, such as a subscription key
	UserID  string // a UUID, for whatever names the user: a client ID, an API key that has a secret
}

// AccountConnector checks a ports.AccountConnector against a provider that
// plays the harness's scenarios, and then misbehaves in each way that providers
// and the networks before them have. Run it with -race: one check asks from many
// goroutines at once.
func AccountConnector(t *testing.T, h Harness) {
	t.Helper()
	scenarios := h.load(t)
	t.Log(assumptions(scenarios))
	kit.Run(t, h.Except, connectorChecksFor(t, h, scenarios), func(t *testing.T) *connectorKit {
		const prompt = 3 * time.Second // a busy machine's, too
		return &connectorKit{Kit: kit.Kit{TB: t}, Harness: h, scenarios: scenarios, prompt: prompt}
	})
}

// load reads the scenarios, and refuses a harness that they contradict.
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
		return errors.New("TokenLife is negative")
	case h.TokenLife > 0 && len(h.Tokens) == 0:
		return errors.New("there is a TokenLife, and no path in Tokens")
	case h.NoUpstream && len(h.Tokens) > 0:
		return errors.New("there are Tokens, and NoUpstream says that nobody is asked for them")
	case len(h.Tokens) == 0:
		return nil
	}
	for _, s := range scenarios {
		if logins, lookups := h.split(s); len(lookups) > 0 && len(logins) == 0 {
			return fmt.Errorf("%s.json asks for the account without an exchange at %s, where Tokens says that its token comes from",
				s.name, strings.Join(h.Tokens, " or "))
		}
	}
	return nil
}

// split returns the scenario's exchanges at the token paths, and lookups those
// that are not.
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
