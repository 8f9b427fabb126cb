package wire_test

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/validation/market"
)

const (
	verified = `{"id":"` + validationID + `","status":"verified","provider":"sandbox","accountHolderName":"AMA SERWAA MENSAH",` +
		`"validationType":"external","expiresAt":"2026-11-21T15:00:00.000Z"}`
	nuban = `{"merchantId":"7f2f6f0e-4b1e-4c7e-9d58-0d5a3c1d2e3f","country":"NGA","accountType":"bank_account",` +
		`"accountIdentifier":"0690000032","bankCode":"044"}`
)

// The test covers each status of the route (SPEC 4.7, 7.1).
func TestValidateAccountHasItsStatuses(t *testing.T) { at(t, validateAccountHasItsStatuses, shared) }

func validateAccountHasItsStatuses(t *testing.T, p place) {
	ask := func(body string) request { return post("/accounts/validate", "tok-acme", body) }
	coded := func(code errcodes.Code) error { return errcodes.Wrap(code, "", errors.New("canary")) }
	for _, c := range []struct {
		name   string
		q      request
		err    error
		status int
		body   string // with the prefix "~" the bytes are not compared
	}{
		{"200", ask(nuban), nil, 200, verified},
		{"400 no body", ask(""), nil, 400, `~"The body must be a JSON object"`},
		{"400 a number for the account", ask(`{"accountIdentifier":690000032}`), nil, 400, `~accountIdentifier must be a string`},
		{"400 a form", ask("country=NGA").with("Content-Type", form), nil, 400, `~"error":"Bad Request"`},
		{"400 what the service calls malformed", ask(nuban), errcodes.New(errcodes.InvalidRequest, "country is missing"), 400, `~country is missing`},
		{"413 2 MiB", ask(huge), nil, 413, `~"statusCode":413`},
		{"422 what breaks a rule", ask(nuban), errcodes.New(errcodes.Unprocessable, "bankCode is required in this market"), 422,
			`{"message":"bankCode is required in this market","error":"Unprocessable Entity","statusCode":422}`},
		{"500 an unexpected error", ask(nuban), errors.New("canary"), 500, `~"error":"Internal Server Error"`},
		{"500 outcome_unknown", ask(nuban), coded(errcodes.OutcomeUnknown), 500, `~"error":"outcome_unknown"`},
		{"500 a lost key", ask(nuban), coded(errcodes.KeyUnknown), 500, `~"error":"Internal Server Error"`},
		{"503 too many lookups", ask(nuban), errcodes.New(errcodes.Unavailable, "").WithRetryAfter(time.Second), 503, `~"error":"Service Unavailable"`},
		{"504", ask(nuban), coded(errcodes.DeadlineExceeded), 504, `~"error":"Gateway Timeout"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAPI(t, p, httpserver.Config{})
			a.validations.err = c.err
			w := a.do(c.q)
			assert.Equal(t, c.status, w.Code)
			assert.NotContains(t, w.Body.String(), "canary", "a cause stays inside")
			if part, ok := strings.CutPrefix(c.body, "~"); ok {
				assert.Contains(t, w.Body.String(), part)
			} else {
				assert.Equal(t, c.body, a.asFake(w))
			}
		})
	}
}

func TestTheServiceReceivesTheWholeRequest(t *testing.T) {
	at(t, theServiceReceivesTheWholeRequest, shared)
}

func theServiceReceivesTheWholeRequest(t *testing.T, p place) {
	a := newAPI(t, p, httpserver.Config{})
	a.do(post("/accounts/validate", "tok-acme", strings.TrimSuffix(nuban, "}")+`,"accountHolderName":"Ama \u00c9","x":[1]}`))
	assert.Equal(t, market.Request{
		MerchantID: "7f2f6f0e-4b1e-4c7e-9d58-0d5a3c1d2e3f", Country: "NGA", AccountType: "bank_account",
		AccountIdentifier: "0690000032", BankCode: "044", AccountHolderName: "Ama \u00c9",
	}, a.validations.last)
}

// A client that is limited to merchants may use no others. This is checked after the form
// of the request and before its rules.
func TestClientsUseOnlyTheirMerchants(t *testing.T) { at(t, clientsUseOnlyTheirMerchants, shared) }

func clientsUseOnlyTheirMerchants(t *testing.T, p place) {
	own := strings.Replace(nuban, "7f2f6f0e-4b1e-4c7e-9d58-0d5a3c1d2e3f", betas, 1)
	for _, c := range []struct {
		name, body string
		status     int
	}{
		{"its own", own, 200},
		{"its own in capitals", strings.Replace(own, betas, strings.ToUpper(betas), 1), 200},
		{"another", nuban, 403},
		{"another, with an unsupported country", strings.Replace(nuban, "NGA", "XXX", 1), 403},
		{"another, without a bank code", strings.Replace(nuban, `"044"`, `""`, 1), 403},
		{"none", strings.Replace(nuban, "7f2f6f0e-4b1e-4c7e-9d58-0d5a3c1d2e3f", "", 1), 400},
		{"no merchant at all", strings.Replace(nuban, "7f2f6f0e-4b1e-4c7e-9d58-0d5a3c1d2e3f", "m-1", 1), 400},
		{"another, and malformed", strings.Replace(nuban, "bank_account", "purse", 1), 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAPI(t, p, httpserver.Config{})
			w := a.do(post("/accounts/validate", "tok-beta", c.body))
			assert.Equal(t, c.status, w.Code, w.Body)
			assert.Equal(t, c.status == 200, len(a.validations.calls) == 1, "the service hears only of what is permitted")
			if c.status == 403 {
				assert.Equal(t, `{"message":"The client may not name this merchant","error":"Forbidden","statusCode":403}`, w.Body.String())
			}
		})
	}
}

func TestOtherClientsValidationsAreNotFound(t *testing.T) {
	at(t, otherClientsValidationsAreNotFound, shared)
}

func otherClientsValidationsAreNotFound(t *testing.T, p place) {
	a := newAPI(t, p, httpserver.Config{})
	for _, c := range []struct {
		who, token, id string
		status         int
	}{
		{"own", "tok-acme", validationID, 200},
		{"another's", "tok-beta", validationID, 404},
		{"in capitals", "tok-acme", strings.ToUpper(validationID), 404},
		{"a lock's", "tok-acme", "rl_1", 404},
		{"of 10,000 characters", "tok-acme", strings.Repeat("x", 10_000), 404},
		{"with a NUL", "tok-acme", validationID + "%00", 404},
		{"with a byte that is not UTF-8", "tok-acme", "%ff", 404},
	} {
		t.Run(c.who, func(t *testing.T) {
			w := a.do(request{method: "GET", path: "/accounts/validate/" + c.id, token: c.token})
			assert.Equal(t, c.status, w.Code)
			if c.status == 200 {
				assert.Equal(t, verified, a.asFake(w))
			} else {
				assert.Equal(t, `{"message":"No such validation","error":"Not Found","statusCode":404}`, w.Body.String())
			}
		})
	}
	assert.Equal(t, unauthorized, a.do(request{method: "GET", path: "/accounts/validate/" + validationID}).Body.String())
	assert.Equal(t, 405, a.do(request{method: "GET", path: "/accounts/validate", token: "tok-acme"}).Code)
	assert.Equal(t, 405, a.do(post("/accounts/validate/"+validationID, "tok-acme", nuban)).Code)
}

// This is the whole way, in a bubble where time passes when all goroutines wait: a slow
// provider, pending, polled, and ended.
func TestAValidationIsPolledOverHTTP(t *testing.T) { at(t, aValidationIsPolledOverHTTP) }

func aValidationIsPolledOverHTTP(t *testing.T, p place) {
	synctest.Test(t, func(t *testing.T) {
		slow := fake.NewConnector("slow", []ports.Capability{{Market: ports.Market{Country: "NGA", Type: ports.BankAccount}, ReturnsName: true}})
		slow.Answer(ports.Answer{Kind: ports.OutcomeFound, HolderName: "AMA SERWAA MENSAH"})
		slow.Take(ports.SystemClock(), 3*time.Second)
		a := newHouse(t, p, httpserver.Config{}, func(h *house) { h.connector, h.time = slow, ports.SystemClock() })

		begun := time.Now()
		v := a.validation(post("/accounts/validate", "tok-acme", nuban))
		assert.Equal(t, 2*time.Second, time.Since(begun), "I19")
		assert.Equal(t, "pending", v["status"])
		assert.Len(t, v, 3)
		path := "/accounts/validate/" + v["id"].(string)
		poll := request{method: "GET", path: path, token: "tok-acme"}
		assert.Equal(t, v, a.validation(poll))
		<-time.After(1001 * time.Millisecond)
		end := a.validation(poll)
		assert.Equal(t, "verified", end["status"])
		assert.Equal(t, "AMA SERWAA MENSAH", end["accountHolderName"])
		assert.Equal(t, "slow", end["provider"])
		assert.Len(t, end, 6)
		assert.Equal(t, 404, a.do(request{method: "GET", path: path, token: "tok-beta"}).Code, "I31")

		begun = time.Now()
		hit := a.validation(post("/accounts/validate", "tok-acme", strings.TrimSuffix(nuban, "}")+`,"accountHolderName":"Kofi Boateng"}`))
		assert.Zero(t, time.Since(begun), "a cache hit")
		assert.Equal(t, "name_mismatch", hit["status"])
		assert.NotEqual(t, v["id"], hit["id"])
		assert.NotEmpty(t, hit["failureReason"])
		assert.Len(t, slow.Asked(), 1, "I19")
	})
}

// Any server can be polled, and the provider's answer is cached for all.
func TestAPendingValidationCanBePolledOnAnyServer(t *testing.T) {
	at(t, aPendingValidationCanBePolledOnAnyServer, shared)
}

func aPendingValidationCanBePolledOnAnyServer(t *testing.T, p place) {
	slow := fake.NewConnector("slow", []ports.Capability{{Market: ports.Market{Country: "NGA", Type: ports.BankAccount}, ReturnsName: true}})
	slow.Answer(ports.Answer{Kind: ports.OutcomeFound, HolderName: "AMA SERWAA MENSAH"})
	a := newHouse(t, p, httpserver.Config{}, func(h *house) { h.connector = slow })
	slow.Take(a.clock, 3*time.Second)
	for range p.servers {
		require.Equal(t, 404, a.do(request{method: "GET", path: "/accounts/validate/x", token: acmesToken}).Code, "let in everywhere")
	}
	asked := make(chan *httptest.ResponseRecorder)
	go func() { asked <- a.do(post("/accounts/validate", acmesToken, nuban)) }()
	slow.WaitAsked(1)
	const timers = 4 // of the request, the lookup, its claim, and the provider
	a.clock.BlockUntil(timers)
	a.clock.Advance(2 * time.Second)
	var pending struct{ ID, Status string }
	require.NoError(t, json.Unmarshal((<-asked).Body.Bytes(), &pending))
	require.Equal(t, "pending", pending.Status)
	poll := request{method: "GET", path: "/accounts/validate/" + pending.ID, token: acmesToken}
	for range p.servers {
		assert.Equal(t, "pending", a.validation(poll)["status"])
	}
	a.clock.Advance(time.Second)
	require.Eventually(t, func() bool { return a.validation(poll)["status"] == "verified" }, time.Minute, time.Millisecond)
	for range 2 * p.servers {
		assert.Equal(t, "verified", a.validation(poll)["status"], "final (I18)")
		hit := a.validation(post("/accounts/validate", acmesToken, nuban))
		assert.Equal(t, "verified", hit["status"])
		assert.NotEqual(t, pending.ID, hit["id"])
		for range p.servers {
			assert.Equal(t, hit, a.validation(request{method: "GET", path: "/accounts/validate/" + hit["id"].(string), token: acmesToken}))
		}
		other := strings.TrimSuffix(nuban, "}") + `,"accountHolderName":"Kofi Boateng"}`
		assert.Equal(t, "name_mismatch", a.validation(post("/accounts/validate", acmesToken, other))["status"])
	}
	assert.Len(t, slow.Asked(), 1, "I19")
}

func (a *api) validation(q request) map[string]any {
	a.t.Helper()
	w := a.do(q)
	require.Equal(a.t, 200, w.Code, w.Body)
	var body map[string]any
	require.NoError(a.t, json.Unmarshal(w.Body.Bytes(), &body))
	return body
}
