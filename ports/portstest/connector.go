package portstest

import (
	"io/fs"
	"log/slog"
	"net/http"
	"testing"

	"github.com/corridor-go/corridor/ports"
)

// ConnectorHarness makes a connector for [AccountConnector], and holds the
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
// are required; assumed lists what the page does not show. A field that the
// format does not know is refused.
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
// one exchange beside those of [ConnectorHarness.Tokens], or two where the first
// answers 401 and the connector has tokens to renew, or none where it must not
// ask.
//
// expect is an answer (kind, holderName, name: "matched" or "mismatched", code,
// message, and after: "30s") or an error ({"error": "configuration"}). What is
// left out is empty.
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
type ConnectorHarness struct {
	// New makes a connector that asks the upstream. It is called many times.
	New func(tb testing.TB, up Upstream) ports.AccountConnector
	// Scenarios holds the files, for example os.DirFS("testdata").
	Scenarios fs.FS
	// Tokens are the paths at which the connector fetches access tokens. Every
	// scenario that asks the provider has the token's exchange too.
	Tokens []string
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
	Clock   *Clock // stands at 2026-03-02T09:30:00Z
	Logger  *slog.Logger

	Secret  string // of any form
	Secret2 string // another, for example a subscription key
	UserID  string // a UUID
}

// AccountConnector checks a ports.AccountConnector against a provider that
// plays the harness's scenarios, and then misbehaves in each way that providers
// and the networks before them have. Run it with -race: one check asks from many
// goroutines at once.
func AccountConnector(t *testing.T, h ConnectorHarness) {
	t.Helper()
	scenarios, err := readScenarios(h.Scenarios)
	if err != nil {
		t.Fatalf("the scenarios: %v", err)
	}
	checks := connectorChecksFor(t, h, scenarios)
	var all []string
	for _, c := range checks {
		all = append(all, c.name)
	}
	checkExceptions(t, h.Except, all)
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			if reason, ok := h.Except[c.name]; ok {
				t.Skip("excepted: " + reason)
			}
			c.run(&connectorKit{kit: kit{TB: t}, ConnectorHarness: h, scenarios: scenarios})
		})
	}
}
