package authstate_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/hex"
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
)

// paystackWebhook receives Paystack's events. Paystack signs the body with the secret key,
// and repeats an event for up to 72 hours until it is answered with 200. The shop passes
// its own id of the payment as reference when it initialises the transaction.
//
// Paystack sends an event of a success only. Before RespondBy, the shop therefore asks
// for each pending payment (GET /transaction/verify/{reference}), whose answer has the same
// data, and calls settle with it.
type paystackWebhook struct {
	payments  *authstate.Service
	codes     failures.Normaliser
	secretKey []byte           // not empty
	prices    map[string]int64 // the shop's own orders by payment, in kobo

	ask   func(ctx context.Context, id string) error // stores that Paystack must be asked for a payment
	alert func(id string, err error)                 // logs an event that was not accepted
}

// paystackCharge is the data of an event and of a verification.
type paystackCharge struct {
	Reference       string
	Status          string
	Amount          int64 // in kobo
	Currency        string
	GatewayResponse string `json:"gateway_response"`
}

// report returns the status, or the reason if the charge failed.
func (p *paystackCharge) report() authstate.Report {
	if p.Status == "failed" {
		return authstate.Report{Scheme: failures.Paystack, Code: p.GatewayResponse, State: errcodes.StateFailed}
	}
	return authstate.Report{Scheme: failures.Paystack, Code: p.Status, Message: p.GatewayResponse}
}

func (p *paystackWebhook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10))
	if err != nil || !p.signed(body, r.Header.Get("X-Paystack-Signature")) {
		http.Error(w, "the body is not signed", http.StatusUnauthorized)
		return
	}
	var event struct {
		Event string
		Data  json.RawMessage
	}
	var charge paystackCharge
	if err = json.Unmarshal(body, &event); err == nil && event.Event == "charge.success" {
		err = json.Unmarshal(event.Data, &charge)
	}
	switch {
	case err != nil:
		http.Error(w, "the body is not an event", http.StatusBadRequest)
		return
	case event.Event != "charge.success":
		return // 200: the shop does not need the event
	}
	if err = p.settle(r.Context(), &charge); err != nil {
		p.alert(charge.Reference, err)
		http.Error(w, errcodes.MessageOf(err), errcodes.StatusOf(err)) // Paystack repeats the event
	}
}

func (p *paystackWebhook) signed(body []byte, signature string) bool {
	mac := hmac.New(sha512.New, p.secretKey)
	mac.Write(body)
	got, err := hex.DecodeString(signature)
	return err == nil && hmac.Equal(got, mac.Sum(nil))
}

// settle records the state of a charge. Its caller passes an error to alert. Late payments
// are refunded when their event arrives: see lateRefunds in example_mpesa_test.go.
func (p *paystackWebhook) settle(ctx context.Context, charge *paystackCharge) error {
	report := charge.report()
	meaning, err := p.codes.Normalise(failures.Input{
		Scheme: report.Scheme, Direction: errcodes.Payin, Code: report.Code, Message: report.Message, State: report.State,
	})
	price, ours := p.prices[charge.Reference]
	switch {
	case err != nil:
		return err
	case !ours: // return nil if others use the same Paystack account: it repeats what is answered with 404
		return errcodes.New(errcodes.NotFound, "The payment is unknown")
	case charge.Status == "":
		return errcodes.New(errcodes.InvalidRequest, "status is missing")
	case !meaning.Known() && report.State == "":
		return p.ask(ctx, charge.Reference) // the payment may still succeed
	case meaning.Outcome == failures.Success && charge.Status != "success": // such as reversed: paid, then refunded
		return errcodes.New(errcodes.Conflict, "The status is not success: the money may have been refunded")
	case meaning.Outcome == failures.Success && (charge.Amount != price || charge.Currency != "NGN"):
		return errcodes.New(errcodes.Conflict, "The amount is not that of the order")
	}
	_, err = p.payments.Record(ctx, "shop", charge.Reference, report)
	return err
}

// Events of Paystack.
func ExampleService_Record_paystack() {
	ctx := context.Background()
	store, err := memory.New(nil)
	if err != nil {
		panic(err)
	}
	payments, err := authstate.New(authstate.Ports{Transactions: store.Transactions(), Work: store.Work()}, authstate.Policy{}, nil)
	if err != nil {
		panic(err)
	}
	key := []byte("sk_test_5c8d")
	webhook := &paystackWebhook{
		payments: payments, secretKey: key, prices: map[string]int64{"pay-1": 100_00, "pay-2": 100_00},
		ask: func(context.Context, string) error { return nil }, alert: func(string, error) {},
	}
	for id := range webhook.prices {
		if _, err := payments.Open(ctx, "shop", authstate.Opening{ID: id, Direction: errcodes.Payin}); err != nil {
			panic(err)
		}
	}
	send := func(id, body string) {
		mac := hmac.New(sha512.New, key)
		_, _ = io.WriteString(mac, body)
		request := httptest.NewRequest(http.MethodPost, "/paystack", strings.NewReader(body))
		request.Header.Set("X-Paystack-Signature", hex.EncodeToString(mac.Sum(nil)))
		answer := httptest.NewRecorder()
		webhook.ServeHTTP(answer, request)
		t, err := payments.Get(ctx, "shop", id)
		fmt.Println(id, answer.Code, t.Status, err)
	}
	send("pay-1", `{"event":"charge.success","data":{"reference":"pay-1"}}`) // says nothing: an error
	send("pay-1", `{"event":"charge.success","data":{"reference":"pay-1","status":"success",
		"gateway_response":"Approved","amount":10000,"currency":"NGN"}}`)
	err = webhook.settle(ctx, &paystackCharge{Reference: "pay-2", Status: "failed", GatewayResponse: "Insufficient Funds"})
	failed, _ := payments.Get(ctx, "shop", "pay-2")
	fmt.Println("pay-2", failed.Status, failed.Code, err)
	// Output:
	// pay-1 400 PENDING <nil>
	// pay-1 200 SUCCEEDED <nil>
	// pay-2 FAILED payinInsufficientFunds <nil>
}
