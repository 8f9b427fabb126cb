package authstate_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/corridor-go/corridor/errcodes"
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
	notThePrice []string // successes of another amount, or whose money may be back
	unneeded    []string
}

const callbackSecret = "aTk3uWzq0VbY8dLm"

// callbackRig is a rig whose handler counts what it asks and alerts.
type callbackRig struct {
	*rig
	receipts receipts // of M-Pesa
	asked    []string
	alerts   []error
}

func newCallbackRig(t *testing.T) *callbackRig {
	r := &callbackRig{rig: newRig(t), receipts: receipts{of: map[string]string{}}}
	r.open(minute("t"))
	return r
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
			payments: r.service, secret: callbackSecret, prices: r.price(), keep: r.receipts.keep, ask: r.ask, alert: r.alert,
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
		`{"Body":{"stkCallback":{"ResultCode":0,"CallbackMetadata":{"Item":[{"Name":"Amount","Value":100},{"Name":"MpesaReceiptNumber"}]}}}}`,
	},
	notThePrice: []string{
		`{"Body":{"stkCallback":{"ResultCode":0}}}`,
		`{"Body":{"stkCallback":{"ResultCode":0,"CallbackMetadata":{"Item":[{"Name":"Amount","Value":1}]}}}}`,
		`{"Body":{"stkCallback":{"ResultCode":0,"CallbackMetadata":{"Item":[{"Name":"Amount"}]}}}}`,
		`{"Body":{"stkCallback":{"ResultCode":0,"CallbackMetadata":{"Item":[{"Name":"Amount","Value":100.01}]}}}}`,
		`{"Body":{"stkCallback":{"ResultCode":0,"CallbackMetadata":{"Item":[{"Name":"Balance","Value":100},{"Name":"Amount","Value":1}]}}}}`,
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
	notThePrice: []string{
		`{"event":"charge.success","data":{"status":"success","reference":"t","amount":1000,"currency":"NGN"}}`,
		`{"event":"charge.success","data":{"status":"success","reference":"t","amount":10001,"currency":"NGN"}}`,
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
	notThePrice: []string{
		`{"type":"charge.completed","data":{"status":"succeeded","reference":"t","amount":99.99,"currency":"NGN"}}`,
		`{"type":"charge.completed","data":{"status":"succeeded","reference":"t","amount":100.01,"currency":"NGN"}}`,
		`{"type":"charge.completed","data":{"status":"succeeded","reference":"t","amount":100,"currency":"UGX"}}`,
		`{"type":"charge.completed","data":{"status":"completed","reference":"t","amount":100,"currency":"NGN"}}`,
		`{"type":"charge.completed","data":{"status":"succeeded","reference":"t"}}`,
	},
	unneeded: []string{`{"type":"transfer.disburse","data":{"status":"SUCCESSFUL","reference":"t"}}`, `{}`},
}
