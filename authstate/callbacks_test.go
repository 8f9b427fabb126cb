package authstate_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/relay"
	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// eachCallback runs a test for each example, with an open payment "t" that ends after a minute.
func eachCallback(t *testing.T, test func(t *testing.T, r *callbackRig, e *callbackExample)) {
	t.Helper()
	for _, e := range []*callbackExample{&mpesaExample, &paystackExample, &flutterwaveExample} {
		t.Run(e.name, func(t *testing.T) {
			test(t, newCallbackRig(t), e)
		})
	}
}

func answerTo(h http.Handler, request *http.Request) int {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, request)
	return w.Code
}

func TestACallbackIsRecordedOnce(t *testing.T) {
	eachCallback(t, func(t *testing.T, r *callbackRig, e *callbackExample) {
		for range 3 {
			require.Equal(t, 200, answerTo(e.handler(r), e.request(callbackSecret, e.paid)))
		}
		assert.Equal(t, ports.TransactionSucceeded, r.stored("t").Status)
		assert.Equal(t, []string{authstate.EventOpened, authstate.EventSucceeded}, kinds(r.events()))
		assert.Empty(t, r.asked)
		assert.Empty(t, r.alerts)
	})
}

func TestACallbackOfAFailureHasItsReason(t *testing.T) {
	eachCallback(t, func(t *testing.T, _ *callbackRig, e *callbackExample) {
		for body, code := range e.failed {
			r := newCallbackRig(t)
			require.Equal(t, 200, answerTo(e.handler(r), e.request(callbackSecret, body)), body)
			assert.Equal(t, code, r.stored("t").Code, body)
			assert.Empty(t, r.asked, body)
		}
	})
}

// The answer to GET /transaction/verify/{reference} has the data of an event.
func TestAPaystackVerificationIsSettledAsAnEvent(t *testing.T) {
	for _, c := range []struct {
		data string
		want ports.TransactionStatus
		code errcodes.TransactionCode
		err  errcodes.Code
	}{
		{`{"reference":"t","status":"abandoned","gateway_response":"The transaction was not completed"}`, ports.TransactionPending, "", ""},
		{`{"reference":"t","status":"failed","gateway_response":"Insufficient Funds"}`, ports.TransactionFailed, errcodes.FailurePayinInsufficientFunds, ""},
		{`{"reference":"t","status":"failed","gateway_response":"Approved"}`, ports.TransactionFailed, errcodes.FailureDeclined, ""},
		{`{"reference":"t","status":"failed","gateway_response":null}`, ports.TransactionFailed, errcodes.FailureDeclined, ""},
		{`{"reference":"t","status":"success","amount":10000,"currency":"NGN"}`, ports.TransactionSucceeded, "", ""},
		{`{"reference":"t","status":"reversed","amount":10000,"currency":"NGN"}`, ports.TransactionPending, "", errcodes.Conflict},
		{`{"reference":"t","status":"Reversal pending","amount":10000,"currency":"NGN"}`, ports.TransactionPending, "", errcodes.Conflict},
		{`{"reference":"t","status":"processed","amount":10000,"currency":"NGN"}`, ports.TransactionPending, "", errcodes.Conflict},
	} {
		r := newCallbackRig(t)
		var charge paystackCharge
		require.NoError(t, json.Unmarshal([]byte(c.data), &charge))
		handler, ok := paystackExample.handler(r).(*paystackWebhook)
		require.True(t, ok)
		assert.Equal(t, c.err, errcodes.Of(handler.settle(t.Context(), &charge)), c.data)
		assert.Equal(t, c.want, r.stored("t").Status, c.data)
		assert.Equal(t, c.code, r.stored("t").Code, c.data)
		assert.Empty(t, r.asked, c.data)
	}
}

func TestTheAnswerToAnMpesaQueryEndsThePaymentUnlessItSaysNothing(t *testing.T) {
	for _, c := range []struct {
		body  string
		want  ports.TransactionStatus
		code  errcodes.TransactionCode
		asked int
	}{
		{`{"ResponseCode":"0","ResponseDescription":"The service request has been accepted successfully",
			"ResultCode":"0","ResultDesc":"The service request is processed successfully."}`, ports.TransactionSucceeded, "", 0},
		{`{"ResponseCode":"0","ResultCode":"1032","ResultDesc":"Request cancelled by user"}`, ports.TransactionFailed, errcodes.FailureCustomerRejected, 0},
		{`{"ResponseCode":"0","ResultCode":"4999","ResultDesc":"The transaction is still under processing"}`, ports.TransactionPending, "", 0},
		{`{"ResponseCode":"0","ResultCode":"424242","ResultDesc":"new"}`, ports.TransactionPending, "", 1},
		{`{"ResultDesc":"Completed"}`, ports.TransactionPending, "", 1},
		{`{"requestId":"ws_CO_1","errorCode":"500.001.1001","errorMessage":"Wrong credentials"}`, ports.TransactionPending, "", 1},
	} {
		r, answer := newCallbackRig(t), stkResult{}
		require.NoError(t, json.Unmarshal([]byte(c.body), &answer))
		callbacks := &mpesaCallbacks{payments: r.service, ask: r.ask}
		require.NoError(t, callbacks.settleQuery(t.Context(), "t", &answer), c.body)
		assert.Equal(t, c.want, r.stored("t").Status, c.body)
		assert.Equal(t, c.code, r.stored("t").Code, c.body)
		assert.Len(t, r.asked, c.asked, c.body)
	}
}

func TestAnMpesaReceiptIsKeptBeforeThePaymentIsRecordedAndAnotherOneIsAlerted(t *testing.T) {
	r, e := newCallbackRig(t), mpesaExample
	r.faults = func(string) error { return errcodes.New(errcodes.StorageUnavailable, "") }
	require.Equal(t, 503, answerTo(e.handler(r), e.request(callbackSecret, e.paid)))
	assert.Equal(t, map[string]string{"t": "NLJ7RT61SV"}, r.receipts.of)

	r.faults, r.alerts = nil, nil
	second := strings.ReplaceAll(e.paid, "NLJ7RT61SV", "NLJ7RT61SW")
	assert.Equal(t, 409, answerTo(e.handler(r), e.request(callbackSecret, second)))
	assert.Len(t, r.alerts, 1)
	assert.Equal(t, map[string]string{"t": "NLJ7RT61SV"}, r.receipts.of)
	assert.Equal(t, ports.TransactionPending, r.stored("t").Status)
}

func TestACallbackThatMustNotCountChangesNothing(t *testing.T) {
	eachCallback(t, func(t *testing.T, r *callbackRig, e *callbackExample) {
		h := e.handler(r)
		check := func(want int, why string, request *http.Request) {
			t.Helper()
			assert.Equal(t, want, answerTo(h, request), why)
			assert.Equal(t, ports.TransactionPending, r.stored("t").Status, why)
		}
		for _, body := range e.saysNothing {
			check(400, body, e.request(callbackSecret, body))
		}
		for _, body := range e.unneeded {
			check(200, body, e.request(callbackSecret, body))
		}
		r.alerts = nil
		for i, body := range e.notThePrice {
			check(409, body, e.request(callbackSecret, body))
			assert.Len(t, r.alerts, i+1, body)
		}
		assert.Empty(t, r.asked)
		check(200, e.unknown, e.request(callbackSecret, e.unknown))
		assert.Equal(t, []string{"t"}, r.asked, "the provider is asked for the payment")
		assert.Equal(t, []string{authstate.EventOpened}, kinds(r.events()))
	})
}

func TestAForgedCallbackChangesNothing(t *testing.T) {
	eachCallback(t, func(t *testing.T, r *callbackRig, e *callbackExample) {
		h := e.handler(r)
		altered := e.request(callbackSecret, e.unknown)
		altered.Body = e.request(callbackSecret, e.paid).Body
		unsigned := e.request(callbackSecret, e.paid)
		unsigned.Header = http.Header{}
		forged := []*http.Request{e.request("x", e.paid), e.request(callbackSecret[1:], e.paid), e.request(callbackSecret+"0", e.paid)}
		if e.name != mpesaExample.name { // its secret is in the path, and signs nothing
			forged = append(forged, altered, unsigned)
		}
		for i, request := range forged {
			assert.Contains(t, []int{401, 404}, answerTo(h, request), i)
		}
		assert.Equal(t, ports.TransactionPending, r.stored("t").Status)
		assert.Empty(t, r.asked)
	})
}

func TestACallbackForAnotherPaymentIsNotFound(t *testing.T) {
	eachCallback(t, func(t *testing.T, r *callbackRig, e *callbackExample) {
		for _, id := range []string{"u", "not opened"} {
			request := e.request(callbackSecret, strings.ReplaceAll(e.paid, `"reference":"t"`, `"reference":"`+id+`"`))
			request.URL.Path = strings.TrimSuffix(request.URL.Path, "t") + id
			if e.name != mpesaExample.name {
				request.URL.Path = "/"
			}
			assert.Equal(t, 404, answerTo(e.handler(r), request), id)
		}
	})
}

// Paystack and Flutterwave repeat a callback that was answered with 5xx. Daraja may not:
// then the shop finds the payment with a query.
func TestACallbackThatCouldNotBeStoredCountsWhenItArrivesAgain(t *testing.T) {
	eachCallback(t, func(t *testing.T, r *callbackRig, e *callbackExample) {
		h := e.handler(r)
		r.faults = func(string) error { return errcodes.New(errcodes.StorageUnavailable, "") }
		assert.Equal(t, 503, answerTo(h, e.request(callbackSecret, e.paid)))
		r.faults = nil
		assert.Equal(t, 200, answerTo(h, e.request(callbackSecret, e.paid)))
		assert.Equal(t, ports.TransactionSucceeded, r.stored("t").Status)
	})
}

func TestABodyHasABound(t *testing.T) {
	eachCallback(t, func(t *testing.T, r *callbackRig, e *callbackExample) {
		answer := answerTo(e.handler(r), e.request(callbackSecret, strings.Repeat(" ", 1<<20)+e.paid))
		assert.Contains(t, []int{400, 401}, answer)
		assert.Equal(t, ports.TransactionPending, r.stored("t").Status)
	})
}

// acknowledgementLost fails deliveries whose event has arrived.
type acknowledgementLost struct {
	ports.EventSink
	lost int // deliveries that are still to fail
	late int // deliveries of late payments
}

func (s *acknowledgementLost) Deliver(ctx context.Context, e ports.Event) error {
	if e.Kind == authstate.EventLatePayment {
		s.late++
	}
	if err := s.EventSink.Deliver(ctx, e); err != nil || e.Kind != authstate.EventLatePayment || s.lost == 0 {
		return err
	}
	s.lost--
	return errcodes.New(errcodes.Unavailable, "")
}

// The process dies after the late payment is stored and before the provider has its answer.
// The callback arrives once more, the first refund fails, and the relay delivers the
// event three times.
func TestALatePaymentIsRefundedOnceDespiteACrash(t *testing.T) {
	eachCallback(t, func(t *testing.T, r *callbackRig, e *callbackExample) {
		r.clock.Advance(time.Minute)
		require.NoError(t, r.service.Tick(t.Context(), r.clock.Now()))
		alive := r.service
		r.service = r.on(&lossy{
			TransactionStore: r.store.Transactions(), lose: 1, stored: true, then: func() { panic("killed") },
		}, r.store.Work(), r.clock)
		require.PanicsWithValue(t, "killed", func() { answerTo(e.handler(r), e.request(callbackSecret, e.paid)) })
		r.service = alive
		require.Equal(t, 200, answerTo(e.handler(r), e.request(callbackSecret, e.paid)))

		refunds, down := []string(nil), true
		sink := &acknowledgementLost{lost: 1, EventSink: &lateRefunds{refunded: map[string]bool{}, refund: func(_ context.Context, id string) error {
			if down {
				down = false
				return errors.New("the provider is down")
			}
			refunds = append(refunds, id)
			return nil
		}}}
		events, err := relay.New(relay.Ports{Outbox: r.store.Outbox(), Sink: sink}, relay.Policy{}, &relay.Config{Clock: r.clock})
		require.NoError(t, err)
		for range 10 {
			require.NoError(t, events.Tick(t.Context(), r.clock.Now()))
			r.clock.Advance(time.Hour)
		}
		assert.Equal(t, 3, sink.late, "a failed refund, one whose acknowledgement was lost, and a repeat")
		assert.Equal(t, []string{"t"}, refunds)
		assert.Equal(t, ports.TransactionFailed, r.stored("t").Status)
		assert.False(t, r.stored("t").LateAt.IsZero())
	})
}
