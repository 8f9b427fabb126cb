package authstate_test

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/adapters/relay"
	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
)

// mpesaCallbacks receives the results of STK pushes (M-Pesa Express of Daraja). Safaricom
// does not sign them. The shop therefore sends a callback URL with each push that holds a
// secret and the shop's own id of the payment:
//
//	https://shop.example/mpesa/{secret}/{id}
//
// Open the payment before the push: then no callback can arrive before its payment. Send
// one push for each payment id: a customer who answers two pushes pays twice.
//
// Daraja may drop a callback that it could not deliver. Before RespondBy, the shop therefore
// asks for each pending payment (STK push query, with the CheckoutRequestID of the push),
// and calls settleQuery with the answer. Otherwise a payment whose callback was lost ends
// with timeout although it was paid.
type mpesaCallbacks struct {
	payments *authstate.Service
	codes    failures.Normaliser
	secret   string           // at least 16 random bytes; keep the path out of access logs
	prices   map[string]int64 // the shop's own orders by payment, in cents

	// keep stores the receipt of a payment, without which the shop cannot refund it. It
	// returns errcodes.Conflict if another receipt is stored: the customer paid twice.
	keep func(ctx context.Context, id, receipt string) error
	// ask stores that M-Pesa must be asked for the state of a payment (STK push query).
	ask func(ctx context.Context, id string) error
	// alert logs a callback that was not accepted. A second receipt and a paid amount that
	// differs need a person.
	alert func(id string, err error)
}

// stkResult is the content of Body.stkCallback, and the answer to an STK push query.
type stkResult struct {
	ResultCode       failures.RawCode // a number or a string
	ResultDesc       string
	CallbackMetadata struct { // only of a callback's successes
		Item []struct {
			Name  string
			Value failures.RawCode
		}
	}
}

func (c *mpesaCallbacks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if subtle.ConstantTimeCompare([]byte(r.PathValue("secret")), []byte(c.secret)) != 1 {
		http.NotFound(w, r)
		return
	}
	var callback struct {
		Body struct{ StkCallback stkResult }
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<10)).Decode(&callback); err != nil {
		http.Error(w, "the body is not a callback", http.StatusBadRequest)
		return
	}
	id := r.PathValue("id")
	if err := c.settle(r.Context(), id, &callback.Body.StkCallback); err != nil {
		c.alert(id, err)
		http.Error(w, errcodes.MessageOf(err), errcodes.StatusOf(err)) // 5xx if the store failed
	}
}

// settle records the result. Only if it returns nil the callback is answered with 200.
func (c *mpesaCallbacks) settle(ctx context.Context, id string, result *stkResult) error {
	report, meaning, err := c.meaning(result)
	paid := meaning.Outcome == failures.Success
	price, ours := c.prices[id]
	switch {
	case err != nil:
		return err
	case !ours:
		return errcodes.New(errcodes.NotFound, "The payment is unknown")
	case report.Code == "":
		return errcodes.New(errcodes.InvalidRequest, "ResultCode is missing")
	case !meaning.Known():
		return c.ask(ctx, id) // the payment may still succeed
	case paid && result.cents() != price:
		return errcodes.New(errcodes.Conflict, "The amount is not that of the order")
	case paid && result.item("MpesaReceiptNumber") == "":
		return errcodes.New(errcodes.InvalidRequest, "MpesaReceiptNumber is missing")
	case paid: // before Record, whose event may start a refund at once
		err = c.keep(ctx, id, result.item("MpesaReceiptNumber"))
	}
	if err != nil {
		return err
	}
	_, err = c.payments.Record(ctx, "shop", id, report)
	return err
}

// settleQuery records the answer to an STK push query. It has neither an amount nor a
// receipt: the push has set the amount, and the callback or M-Pesa's statement has the
// receipt. An answer without a ResultCode is an error of the query, and says nothing about
// the payment.
func (c *mpesaCallbacks) settleQuery(ctx context.Context, id string, answer *stkResult) error {
	report, meaning, err := c.meaning(answer)
	switch {
	case err != nil:
		return err
	case report.Code == "" || !meaning.Known():
		return c.ask(ctx, id) // once more
	}
	_, err = c.payments.Record(ctx, "shop", id, report)
	return err
}

func (c *mpesaCallbacks) meaning(result *stkResult) (authstate.Report, failures.Result, error) {
	report := authstate.Report{Scheme: failures.MpesaDaraja, Code: string(result.ResultCode), Message: result.ResultDesc}
	meaning, err := c.codes.Normalise(failures.Input{
		Scheme: report.Scheme, Direction: errcodes.Payin, Code: report.Code, Message: report.Message,
	})
	return report, meaning, err
}

// cents returns the amount paid, or 0 if there is none.
func (s *stkResult) cents() int64 {
	cents, err := ports.ParseMinor(s.item("Amount"), "KES")
	if err != nil {
		return 0
	}
	return cents
}

// item returns the value of the item with this name, or "" if there is none.
func (s *stkResult) item(name string) string {
	for _, item := range s.CallbackMetadata.Item {
		if item.Name == name {
			return string(item.Value)
		}
	}
	return ""
}

// receipts are M-Pesa's receipts by payment. In a database, they are a table whose primary
// key is the payment's id.
type receipts struct {
	mu sync.Mutex
	of map[string]string
}

func (r *receipts) keep(_ context.Context, id, receipt string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if kept, ok := r.of[id]; ok && kept != receipt {
		return errcodes.New(errcodes.Conflict, "The payment has another receipt")
	}
	r.of[id] = receipt
	return nil
}

// receipt returns the receipt of a payment, or an error after which the relay tries again.
func (r *receipts) receipt(id string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of[id] == "" {
		return "", errors.New("no callback has brought the receipt yet")
	}
	return r.of[id], nil
}

// lateRefunds is the sink of the relay: it sends money back that arrived after its payment
// had failed. The result of Record must not trigger a refund, because a crash loses it. The
// event is stored with the payment, and delivered until Deliver returns nil.
//
// The relay gives up after 50 attempts, and at once if the error's code means a 4xx other
// than 429: to be called again, refund returns an error without a code, or with one that
// means a 5xx. An event that the relay gave up is buried, and the customer does not have
// the money: let relay.Hooks.Buried alert a person. The command corridor events buried
// lists these events.
type lateRefunds struct {
	mu       sync.Mutex
	refunded map[string]bool // in a database, a table whose primary key is the payment's id
	refund   func(ctx context.Context, id string) error
}

// Deliver refunds a late payment once, although the same event may be delivered again.
func (l *lateRefunds) Deliver(ctx context.Context, e ports.Event) error {
	if e.Kind != authstate.EventLatePayment {
		return nil
	}
	var late struct{ TransactionID string }
	if err := json.Unmarshal(e.Data, &late); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refunded[late.TransactionID] {
		return nil
	}
	// If the process dies between refund and the last line, refund is called again. M-Pesa
	// then rejects the second reversal of the receipt with R000001: the first one stands.
	// Flutterwave's v4 takes the id as X-Idempotency-Key. Paystack documents no such key:
	// its refund must first look for a refund of the payment.
	if err := l.refund(ctx, late.TransactionID); err != nil {
		return err
	}
	l.refunded[late.TransactionID] = true
	return nil
}

// Callbacks of M-Pesa's STK push, and the refund of a payment that arrived after its timeout.
func ExampleService_Record_mpesa() {
	ctx, clock := context.Background(), portstest.NewClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	store, err := memory.New(nil)
	if err != nil {
		panic(err)
	}
	payments, err := authstate.New(authstate.Ports{Transactions: store.Transactions(), Work: store.Work()},
		authstate.Policy{}, &authstate.Config{Clock: clock})
	if err != nil {
		panic(err)
	}
	prices, kept := map[string]int64{"pay-1": 100_00, "pay-2": 100_00}, &receipts{of: map[string]string{}}
	refunds := &lateRefunds{refunded: map[string]bool{}, refund: func(_ context.Context, id string) error {
		receipt, err := kept.receipt(id)
		if err == nil {
			fmt.Println("reverse", id, receipt, prices[id])
		}
		return err
	}}
	events, err := relay.New(relay.Ports{Outbox: store.Outbox(), Sink: refunds}, relay.Policy{}, &relay.Config{Clock: clock})
	if err != nil {
		panic(err)
	}
	// A service runs both in the background: go payments.Run(ctx) and go events.Run(ctx).

	const secret = "Yx0tQm5vC7bHs2LkR9wPda"
	mux := http.NewServeMux()
	mux.Handle("POST /mpesa/{secret}/{id}", &mpesaCallbacks{
		payments: payments, secret: secret, prices: prices, keep: kept.keep,
		ask: func(context.Context, string) error { return nil }, alert: func(string, error) {},
	})
	call := func(id, result string) {
		answer := httptest.NewRecorder()
		body := strings.NewReader(`{"Body":{"stkCallback":` + result + `}}`)
		mux.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/mpesa/"+secret+"/"+id, body))
		t, err := payments.Get(ctx, "shop", id)
		fmt.Println(id, answer.Code, t.Status, err)
	}
	const paid = `{"ResultCode":0,"ResultDesc":"The service request is processed successfully.",
		"CallbackMetadata":{"Item":[{"Name":"Amount","Value":100.00},{"Name":"MpesaReceiptNumber","Value":"NLJ7RT61SV"}]}}`

	for _, id := range []string{"pay-1", "pay-2"} {
		_, err := payments.Open(ctx, "shop", authstate.Opening{ID: id, Direction: errcodes.Payin, RespondBy: clock.Now().Add(2 * time.Minute)})
		if err != nil {
			panic(err)
		}
	}
	call("pay-1", paid)
	call("pay-2", `{"CheckoutRequestID":"ws_CO_191220191020363925"}`) // says nothing: an error
	clock.Advance(2 * time.Minute)
	_ = payments.Tick(ctx, clock.Now()) // pay-2 fails with timeout
	call("pay-2", paid)                 // too late
	call("pay-2", paid)                 // and once more
	_ = events.Tick(ctx, clock.Now())
	// Output:
	// pay-1 200 SUCCEEDED <nil>
	// pay-2 400 PENDING <nil>
	// pay-2 200 FAILED <nil>
	// pay-2 200 FAILED <nil>
	// reverse pay-2 NLJ7RT61SV 10000
}
