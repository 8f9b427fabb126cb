package wire_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/httpserver"
	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// payments returns a house with a transaction of acme.
func payments(t *testing.T, p place, id string) *house {
	t.Helper()
	h := newHouse(t, p, httpserver.Config{})
	_, err := h.next().payments.Open(t.Context(), "acme", authstate.Opening{ID: id, Direction: errcodes.Payin, RespondBy: start.Add(time.Minute)})
	require.NoError(t, err)
	return h
}

func poll(id string) request {
	return request{method: "GET", path: "/v1/payment/" + id, token: "tok-acme"}
}

// SPEC 2.9 and 4.8: the transaction is pending and then failed, with the provider's text
// in addition to the code.
func TestATransactionIsPolledOverHTTP(t *testing.T) { at(t, aTransactionIsPolledOverHTTP, shared) }

func aTransactionIsPolledOverHTTP(t *testing.T, p place) {
	a := payments(t, p, "tx 1/é")
	at := "tx%201%2F%C3%A9"
	assert.Equal(t, `{"transactionId":"tx 1/é","status":"PENDING"}`, a.do(poll(at)).Body.String())
	a.clock.Advance(time.Second)
	_, err := a.next().payments.Record(t.Context(), "acme", "tx 1/é", authstate.Report{
		Scheme: failures.MpesaDaraja, Code: "1037", Message: "DS \"timeout\" \xff",
	})
	require.NoError(t, err)
	want := `{"transactionId":"tx 1/é","status":"FAILED","authState":{"state":"failed","message":"No response came in time",` +
		`"code":"timeout","connectorFailureCode":"1037","connectorFailureMessage":"DS \"timeout\" \ufffd",` +
		`"transitionedAt":"2026-11-20T15:00:01.000Z"}}`
	assert.Equal(t, want, a.do(poll(at)).Body.String())
	a.clock.Advance(time.Hour)
	late, err := a.next().payments.Succeed(t.Context(), "acme", "tx 1/é")
	require.NoError(t, err)
	assert.Equal(t, authstate.LandedLate, late.Effect)
	assert.Equal(t, want, a.do(poll(at)).Body.String(), "a late payment rewrites nothing")
}

func TestOtherClientsTransactionsAreNotFound(t *testing.T) {
	at(t, otherClientsTransactionsAreNotFound, shared)
}

func otherClientsTransactionsAreNotFound(t *testing.T, p place) {
	a := payments(t, p, "tx-1")
	for _, c := range []struct {
		who    string
		q      request
		status int
	}{
		{"own", poll("tx-1"), 200},
		{"another's", request{method: "GET", path: "/v1/payment/tx-1", token: "tok-beta"}, 404},
		{"in capitals", poll("TX-1"), 404},
		{"with a trailing blank", poll("tx-1%20"), 404},
		{"with a NUL", poll("tx-1%00"), 404},
		{"of 10,000 characters", poll(strings.Repeat("x", 10_000)), 404},
		{"with a byte that is not UTF-8", poll("%ff"), 404},
		{"none", poll(""), 404},
		{"posted", post("/v1/payment/tx-1", "tok-acme", "{}"), 405},
		{"without a token", request{method: "GET", path: "/v1/payment/tx-1"}, 401},
	} {
		t.Run(c.who, func(t *testing.T) {
			assert.Equal(t, c.status, a.do(c.q).Code)
		})
	}
	bare := &api{t: t}
	bare.serve(p, func(int) (httpserver.Authenticator, httpserver.Services) { return &auth{}, httpserver.Services{} }, httpserver.Config{})
	assert.Equal(t, 404, bare.do(poll("tx-1")).Code, "a server without transactions has no such route")
}

// noTransactions is a service that always fails.
type noTransactions struct{ err error }

func (d noTransactions) Get(context.Context, string, string) (ports.Transaction, error) {
	return ports.Transaction{}, d.err
}

func TestAFailureToReadATransaction(t *testing.T) { at(t, aFailureToReadATransaction, shared) }

func aFailureToReadATransaction(t *testing.T, p place) {
	for code, status := range map[errcodes.Code]int{
		errcodes.StorageUnavailable: 503, errcodes.CorruptRecord: 500, errcodes.DeadlineExceeded: 504, errcodes.OutcomeUnknown: 500,
	} {
		a := newHouse(t, p, httpserver.Config{})
		failing := noTransactions{errcodes.Wrap(code, "", errors.New("canary"))}
		a.serve(p, func(i int) (httpserver.Authenticator, httpserver.Services) {
			return a.processes[i].auth, httpserver.Services{Transactions: failing}
		}, httpserver.Config{})
		w := a.do(poll("tx-1"))
		assert.Equal(t, status, w.Code)
		assert.NotContains(t, w.Body.String(), "canary")
	}
}

// The OpenAPI document lists exactly the codes of SPEC 7.5.
func TestTheDocumentListsTheCodes(t *testing.T) {
	var listed, codes []string
	for _, code := range document(t).Components.Schemas["AuthState"].Value.Properties["code"].Value.Enum {
		listed = append(listed, code.(string))
	}
	for _, row := range errcodes.TransactionCodes() {
		codes = append(codes, string(row.Code))
	}
	slices.Sort(listed)
	slices.Sort(codes)
	assert.Equal(t, codes, listed)
}
