package authstate_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// flutterwaveWebhook receives the webhooks of Flutterwave's API v4. Flutterwave signs the
// body with the secret hash that the shop has set on its dashboard. (API v3 sends the
// secret hash itself as verif-hash, has an event in place of the type, and its words for a
// status are successful and failed.) The shop passes its own id of the payment as
// reference with the charge.
//
// A webhook may be lost. Before RespondBy, the shop therefore asks for each pending charge
// (GET /charges/{id}), whose answer has the same data, and calls settle with it.
type flutterwaveWebhook struct {
	payments   *authstate.Service
	codes      failures.Normaliser
	secretHash []byte                      // not empty
	orders     map[string]flutterwaveOrder // the shop's own, by payment

	ask   func(ctx context.Context, id string) error // stores that Flutterwave must be asked for a charge (GET /charges/{id})
	alert func(id string, err error)                 // logs a webhook that was not accepted
}

// flutterwaveOrder is what the shop wants to be paid.
type flutterwaveOrder struct {
	minor    int64 // in the currency's minor units
	currency string
}

// flutterwaveCharge is the data of a charge.completed.
type flutterwaveCharge struct {
	Reference         string
	Status            string // pending, succeeded or failed
	Amount            json.Number
	Currency          string
	ProcessorResponse struct{ Type string } `json:"processor_response"`
}

// report returns the status, or the reason if the charge failed.
func (f *flutterwaveCharge) report() authstate.Report {
	if f.Status == "failed" {
		return authstate.Report{Scheme: failures.Flutterwave, Code: f.ProcessorResponse.Type, State: errcodes.StateFailed}
	}
	return authstate.Report{Scheme: failures.Flutterwave, Code: f.Status}
}

// pays reports whether the charge has the order's amount and currency.
func (f *flutterwaveCharge) pays(o flutterwaveOrder) bool {
	minor, err := ports.ParseMinor(f.Amount.String(), o.currency)
	return err == nil && minor == o.minor && f.Currency == o.currency
}

func (f *flutterwaveWebhook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10))
	if err != nil || !f.signed(body, r.Header.Get("Flutterwave-Signature")) {
		http.Error(w, "the body is not signed", http.StatusUnauthorized)
		return
	}
	var event struct {
		Type string
		Data json.RawMessage
	}
	var charge flutterwaveCharge
	if err = json.Unmarshal(body, &event); err == nil && event.Type == "charge.completed" {
		err = json.Unmarshal(event.Data, &charge)
	}
	switch {
	case err != nil:
		http.Error(w, "the body is not a webhook", http.StatusBadRequest)
		return
	case event.Type != "charge.completed":
		return // 200: the shop does not need the event
	}
	if err = f.settle(r.Context(), &charge); err != nil {
		f.alert(charge.Reference, err)
		http.Error(w, errcodes.MessageOf(err), errcodes.StatusOf(err)) // Flutterwave repeats the webhook
	}
}

func (f *flutterwaveWebhook) signed(body []byte, signature string) bool {
	mac := hmac.New(sha256.New, f.secretHash)
	mac.Write(body)
	got, err := base64.StdEncoding.DecodeString(signature)
	return err == nil && hmac.Equal(got, mac.Sum(nil))
}

// settle records the state of a charge. Its caller passes an error to alert. Late payments
// are refunded when their event arrives: see lateRefunds in example_mpesa_test.go.
func (f *flutterwaveWebhook) settle(ctx context.Context, charge *flutterwaveCharge) error {
	report := charge.report()
	meaning, err := f.codes.Normalise(failures.Input{
		Scheme: report.Scheme, Direction: errcodes.Payin, Code: report.Code, State: report.State,
	})
	order, ours := f.orders[charge.Reference]
	switch {
	case err != nil:
		return err
	case !ours: // return nil if others use the same Flutterwave account: it repeats what is answered with 404
		return errcodes.New(errcodes.NotFound, "The payment is unknown")
	case charge.Status == "":
		return errcodes.New(errcodes.InvalidRequest, "status is missing")
	case !meaning.Known() && report.State == "":
		return f.ask(ctx, charge.Reference) // the payment may still succeed
	case meaning.Outcome == failures.Success && charge.Status != "succeeded": // such as completed, of a refund
		return errcodes.New(errcodes.Conflict, "The status is not succeeded: the money may have been refunded")
	case meaning.Outcome == failures.Success && !charge.pays(order):
		return errcodes.New(errcodes.Conflict, "The amount is not that of the order")
	}
	_, err = f.payments.Record(ctx, "shop", charge.Reference, report)
	return err
}

// Webhooks of Flutterwave.
func ExampleService_Record_flutterwave() {
	ctx := context.Background()
	store, err := memory.New(nil)
	if err != nil {
		panic(err)
	}
	payments, err := authstate.New(authstate.Ports{Transactions: store.Transactions(), Work: store.Work()}, authstate.Policy{}, nil)
	if err != nil {
		panic(err)
	}
	secretHash := []byte("hash of the dashboard")
	webhook := &flutterwaveWebhook{
		payments: payments, secretHash: secretHash,
		orders: map[string]flutterwaveOrder{"pay-1": {100_00, "NGN"}, "pay-2": {100_00, "GHS"}},
		ask:    func(context.Context, string) error { return nil }, alert: func(string, error) {},
	}
	for id := range webhook.orders {
		if _, err := payments.Open(ctx, "shop", authstate.Opening{ID: id, Direction: errcodes.Payin}); err != nil {
			panic(err)
		}
	}
	send := func(id, data string) {
		body := `{"type":"charge.completed","data":` + data + `}`
		mac := hmac.New(sha256.New, secretHash)
		_, _ = io.WriteString(mac, body)
		request := httptest.NewRequest(http.MethodPost, "/flutterwave", strings.NewReader(body))
		request.Header.Set("Flutterwave-Signature", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		answer := httptest.NewRecorder()
		webhook.ServeHTTP(answer, request)
		t, err := payments.Get(ctx, "shop", id)
		fmt.Printf("%s: %d %s %q %v\n", id, answer.Code, t.Status, t.Code, err)
	}
	send("pay-1", `{"reference":"pay-1","amount":100,"currency":"NGN"}`) // says nothing: an error
	send("pay-1", `{"reference":"pay-1","status":"succeeded","amount":100,"currency":"NGN"}`)
	send("pay-2", `{"reference":"pay-2","status":"failed","processor_response":{"type":"insufficient_funds","code":"51"}}`)
	// Output:
	// pay-1: 400 PENDING "" <nil>
	// pay-1: 200 SUCCEEDED "" <nil>
	// pay-2: 200 FAILED "payinInsufficientFunds" <nil>
}
