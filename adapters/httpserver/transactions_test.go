package httpserver_test

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
	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

// payments is a handler on a real service, with a transaction of acme's.
func payments(t *testing.T, id string) (*api, *authstate.Service, *portstest.Clock) {
	t.Helper()
	store, err := memory.New(nil)
	require.NoError(t, err)
	n, err := authstate.NewNormaliser(nil)
	require.NoError(t, err)
	clock := portstest.NewClock(start)
	service, err := authstate.New(authstate.Ports{Transactions: store.Transactions(), Work: store.Work()}, n, &authstate.Config{Clock: clock})
	require.NoError(t, err)
	_, err = service.Open(t.Context(), "acme", authstate.Opening{ID: id, Direction: errcodes.Payin, RespondBy: start.Add(time.Minute)})
	require.NoError(t, err)
	h, err := httpserver.New(&auth{}, httpserver.Services{Transactions: service}, &httpserver.Config{Clock: clock})
	require.NoError(t, err)
	return &api{t: t, h: h}, service, clock
}

func poll(id string) request {
	return request{method: "GET", path: "/v1/payment/" + id, token: "tok-acme"}
}

// TestATransactionOverHTTP is SPEC 2.9 and 4.8: pending, then failed for good,
// with the provider's own words beside the code.
func TestATransactionOverHTTP(t *testing.T) {
	a, service, clock := payments(t, "tx 1/é")
	at := "tx%201%2F%C3%A9"
	assert.Equal(t, `{"transactionId":"tx 1/é","status":"PENDING"}`, a.do(poll(at)).Body.String())
	clock.Advance(time.Second)
	_, err := service.Record(t.Context(), "acme", "tx 1/é", authstate.Report{
		Scheme: authstate.MpesaDaraja, Code: "1037", Message: "DS \"timeout\" \xff",
	})
	require.NoError(t, err)
	want := `{"transactionId":"tx 1/é","status":"FAILED","authState":{"state":"failed","message":"No response came in time",` +
		`"code":"timeout","connectorFailureCode":"1037","connectorFailureMessage":"DS \"timeout\" \ufffd",` +
		`"transitionedAt":"2026-11-20T15:00:01.000Z"}}`
	assert.Equal(t, want, a.do(poll(at)).Body.String())
	clock.Advance(time.Hour)
	late, err := service.Succeed(t.Context(), "acme", "tx 1/é")
	require.NoError(t, err)
	assert.Equal(t, authstate.LandedLate, late.Effect)
	assert.Equal(t, want, a.do(poll(at)).Body.String(), "a late payment rewrites nothing")
}

func TestWhoseTransaction(t *testing.T) {
	a, _, _ := payments(t, "tx-1")
	for _, c := range []struct {
		who    string
		q      request
		status int
	}{
		{"own", poll("tx-1"), 200},
		{"another's", request{method: "GET", path: "/v1/payment/tx-1", token: "tok-beta"}, 404},
		{"in capitals", poll("TX-1"), 404},
		{"with a blank behind", poll("tx-1%20"), 404},
		{"with a NUL", poll("tx-1%00"), 404},
		{"of 10,000 characters", poll(strings.Repeat("x", 10_000)), 404},
		{"with a byte that is no UTF-8", poll("%ff"), 404},
		{"none", poll(""), 404},
		{"posted", post("/v1/payment/tx-1", "tok-acme", "{}"), 405},
		{"without a token", request{method: "GET", path: "/v1/payment/tx-1"}, 401},
	} {
		t.Run(c.who, func(t *testing.T) {
			assert.Equal(t, c.status, a.do(c.q).Code)
		})
	}
	h, err := httpserver.New(&auth{}, httpserver.Services{}, nil)
	require.NoError(t, err)
	assert.Equal(t, 404, (&api{t: t, h: h}).do(poll("tx-1")).Code, "a server without transactions has no such route")
}

// noTransactions is a service that always fails.
type noTransactions struct{ err error }

func (d noTransactions) Get(context.Context, string, string) (ports.Transaction, error) {
	return ports.Transaction{}, d.err
}

func TestATransactionThatCannotBeRead(t *testing.T) {
	for code, status := range map[errcodes.Code]int{
		errcodes.StorageUnavailable: 503, errcodes.CorruptRecord: 500, errcodes.DeadlineExceeded: 504, errcodes.OutcomeUnknown: 500,
	} {
		h, err := httpserver.New(&auth{}, httpserver.Services{
			Transactions: noTransactions{errcodes.Wrap(code, "", errors.New("canary"))},
		}, nil)
		require.NoError(t, err)
		w := (&api{t: t, h: h}).do(poll("tx-1"))
		assert.Equal(t, status, w.Code)
		assert.NotContains(t, w.Body.String(), "canary")
	}
}

// The OpenAPI document knows each code of SPEC 7.5 and no other.
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
