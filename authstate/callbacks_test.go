package authstate_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
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

// The callbacks of the examples, with bodies as the providers document them. The payment is
// "t", of 100.00.
type callbackExample struct {
	name    string
	handler func(*callbackRig) http.Handler
	request func(secret, body string) *http.Request // of the payment "t"

	paid        string
	failed      map[string]errcodes.TransactionCode // empty if the provider sends no such callback
	saysNothing []string
	unknown     string   // its code is in no table
	wrongAmount []string // successes
	unneeded    []string
}

const callbackSecret = "aTk3uWzq0VbY8dLm"

// callbackRig is a rig whose handler counts what it asks and alerts.
type callbackRig struct {
	*rig
	asked  []string
	alerts []error
}

func (r *callbackRig) ask(_ context.Context, id string) error {
	r.asked = append(r.asked, id)
	return nil
}

func (r *callbackRig) alert(_ string, err error) { r.alerts = append(r.alerts, err) }

func (r *callbackRig) price() map[string]int64 {
	return map[string]int64{"t": 100_00, "not opened": 100_00}
}

var mpesaExample = callbackExample{
	name: "M-Pesa",
	handler: func(r *callbackRig) http.Handler {
		mux := http.NewServeMux()
		mux.Handle("POST /mpesa/{secret}/{id}", &mpesaCallbacks{
			payments: r.service, secret: callbackSecret, prices: r.price(), ask: r.ask, alert: r.alert,
		})
		return mux
	},
	request: func(secret, body string) *http.Request {
		return httptest.NewRequest(http.MethodPost, "/mpesa/"+secret+"/t", strings.NewReader(body))
	},
	paid: `{"Body":{"stkCallback":{"MerchantRequestID":"29115-34620561-1","CheckoutRequestID":"ws_CO_191220191020363925","ResultCode":0,
		"ResultDesc":"The service request is processed successfully.","CallbackMetadata":{"Item":[{"Name":"Amount","Value":100.00},
		{"Name":"MpesaReceiptNumber","Value":"NLJ7RT61SV"},{"Name":"Balance"},{"Name":"TransactionDate","Value":20191219102115},
		{"Name":"PhoneNumber","Value":254708374149}]}}}}`,
	failed: map[string]errcodes.TransactionCode{
		`{"Body":{"stkCallback":{"MerchantRequestID":"29115-34620561-1","CheckoutRequestID":"ws_CO_191220191020363925",
			"ResultCode":1032,"ResultDesc":"Request canceled by user."}}}`: errcodes.FailureCustomerRejected,
		`{"Body":{"stkCallback":{"ResultCode":"1037","ResultDesc":"DS timeout."}}}`: errcodes.FailureTimeout,
	},
	unknown: `{"Body":{"stkCallback":{"ResultCode":424242,"ResultDesc":"new"}}}`,
	saysNothing: []string{
		`{}`, `null`, `{"Body":{}}`, `{"Body":{"stkCallback":{"CheckoutRequestID":"ws_CO_191220191020363925"}}}`,
		`{"Body":{"stkCallback":{"ResultCode":null,"ResultDesc":"new"}}}`, `{"Body":{"stkCallback":{"ResultCode":""}}}`,
		`{"Body":{"stkCallback":{"ResultCode":{}}}}`, `ResultCode=0`, ``,
	},
	wrongAmount: []string{
		`{"Body":{"stkCallback":{"ResultCode":0}}}`,
		`{"Body":{"stkCallback":{"ResultCode":0,"CallbackMetadata":{"Item":[{"Name":"Amount","Value":1}]}}}}`,
		`{"Body":{"stkCallback":{"ResultCode":0,"CallbackMetadata":{"Item":[{"Name":"Amount"}]}}}}`,
	},
}

var paystackExample = callbackExample{
	name: "Paystack",
	handler: func(r *callbackRig) http.Handler {
		return &paystackWebhook{payments: r.service, secretKey: []byte(callbackSecret), prices: r.price(), ask: r.ask, alert: r.alert}
	},
	request: func(secret, body string) *http.Request {
		mac := hmac.New(sha512.New, []byte(secret))
		mac.Write([]byte(body))
		r := httptest.NewRequest(http.MethodPost, "/paystack", strings.NewReader(body))
		r.Header.Set("X-Paystack-Signature", hex.EncodeToString(mac.Sum(nil)))
		return r
	},
	paid: `{"event":"charge.success","data":{"id":3104021987,"domain":"test","status":"success","reference":"t","amount":10000,
		"message":null,"gateway_response":"Approved","channel":"bank_transfer","currency":"NGN"}}`,
	unknown: `{"event":"charge.success","data":{"status":"newly","reference":"t","amount":10000,"currency":"NGN"}}`,
	saysNothing: []string{
		`{"event":"charge.success","data":{"reference":"t"}}`, `{"event":"charge.success","data":{"reference":"t","status":null}}`,
		`{"event":"charge.success","data":{"reference":"t","status":0}}`, `{"event":"charge.success","data":[]}`, `{"event":"charge.success"}`, `[]`, ``,
		`{"event":"charge.success","data":{"reference":"t","gateway_response":"Approved","amount":10000,"currency":"NGN"}}`,
	},
	wrongAmount: []string{
		`{"event":"charge.success","data":{"status":"success","reference":"t","amount":1000,"currency":"NGN"}}`,
		`{"event":"charge.success","data":{"status":"success","reference":"t","amount":10000,"currency":"GHS"}}`,
		`{"event":"charge.success","data":{"status":"success","reference":"t"}}`,
	},
	unneeded: []string{`{"event":"charge.dispute.create","data":{"id":358950,"status":"awaiting-merchant-feedback"}}`, `{"event":"new"}`, `{}`},
}

var flutterwaveExample = callbackExample{
	name: "Flutterwave",
	handler: func(r *callbackRig) http.Handler {
		return &flutterwaveWebhook{
			payments: r.service, secretHash: []byte(callbackSecret), ask: r.ask, alert: r.alert,
			orders: map[string]flutterwaveOrder{"t": {100_00, "NGN"}},
		}
	},
	request: func(secret, body string) *http.Request {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(body))
		r := httptest.NewRequest(http.MethodPost, "/flutterwave", strings.NewReader(body))
		r.Header.Set("Flutterwave-Signature", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		return r
	},
	paid: `{"type":"charge.completed","data":{"id":"chg_e1f3a2b1","amount":100,"currency":"NGN","status":"succeeded","reference":"t",
		"payment_method":{"type":"card"},"processor_response":{"type":"approved","code":"00"}}}`,
	failed: map[string]errcodes.TransactionCode{
		`{"type":"charge.completed","data":{"id":"chg_e1f3a2b1","amount":100,"currency":"NGN","status":"failed","reference":"t",
			"payment_method":{"type":"card"},"processor_response":{"type":"insufficient_funds","code":"51"}}}`: errcodes.FailurePayinInsufficientFunds,
		`{"type":"charge.completed","data":{"status":"failed","reference":"t","processor_response":{"type":"approved"}}}`: errcodes.FailureDeclined,
		`{"type":"charge.completed","data":{"status":"failed","reference":"t"}}`:                                          errcodes.FailureDeclined,
	},
	unknown: `{"type":"charge.completed","data":{"status":"newly","reference":"t","amount":100,"currency":"NGN"}}`,
	saysNothing: []string{
		`{"type":"charge.completed","data":{"reference":"t"}}`, `{"type":"charge.completed","data":{"reference":"t","status":1}}`,
		`{"type":"charge.completed","data":7}`, `{"type":"charge.completed"}`, `[]`, ``,
		`{"type":"charge.completed","data":{"reference":"t","amount":100,"currency":"NGN","processor_response":{"type":"approved"}}}`,
	},
	wrongAmount: []string{
		`{"type":"charge.completed","data":{"status":"succeeded","reference":"t","amount":99.99,"currency":"NGN"}}`,
		`{"type":"charge.completed","data":{"status":"succeeded","reference":"t","amount":100,"currency":"UGX"}}`,
		`{"type":"charge.completed","data":{"status":"succeeded","reference":"t"}}`,
	},
	unneeded: []string{`{"type":"transfer.disburse","data":{"status":"SUCCESSFUL","reference":"t"}}`, `{}`},
}

// eachCallback runs a test for each example, with an open payment "t" that ends after a minute.
func eachCallback(t *testing.T, test func(t *testing.T, r *callbackRig, e *callbackExample)) {
	t.Helper()
	for _, e := range []*callbackExample{&mpesaExample, &paystackExample, &flutterwaveExample} {
		t.Run(e.name, func(t *testing.T) {
			r := &callbackRig{rig: newRig(t)}
			r.open(minute("t"))
			test(t, r, e)
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
	eachCallback(t, func(t *testing.T, r *callbackRig, e *callbackExample) {
		for body, code := range e.failed {
			r.rig = newRig(t)
			r.open(minute("t"))
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
	}{
		{`{"reference":"t","status":"abandoned","gateway_response":"The transaction was not completed"}`, ports.TransactionPending, ""},
		{`{"reference":"t","status":"failed","gateway_response":"Insufficient Funds"}`, ports.TransactionFailed, errcodes.FailurePayinInsufficientFunds},
		{`{"reference":"t","status":"failed","gateway_response":"Approved"}`, ports.TransactionFailed, errcodes.FailureDeclined},
		{`{"reference":"t","status":"failed","gateway_response":null}`, ports.TransactionFailed, errcodes.FailureDeclined},
		{`{"reference":"t","status":"success","amount":10000,"currency":"NGN"}`, ports.TransactionSucceeded, ""},
	} {
		r := &callbackRig{rig: newRig(t)}
		r.open(minute("t"))
		var charge paystackCharge
		require.NoError(t, json.Unmarshal([]byte(c.data), &charge))
		handler, ok := paystackExample.handler(r).(*paystackWebhook)
		require.True(t, ok)
		require.NoError(t, handler.settle(t.Context(), &charge), c.data)
		assert.Equal(t, c.want, r.stored("t").Status, c.data)
		assert.Equal(t, c.code, r.stored("t").Code, c.data)
		assert.Empty(t, r.asked, c.data)
	}
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
		for i, body := range e.wrongAmount {
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

// The provider repeats a callback that was answered with 5xx.
func TestACallbackThatCouldNotBeStoredIsRepeated(t *testing.T) {
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
// The provider repeats the callback, the first refund fails, and the relay delivers the
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
