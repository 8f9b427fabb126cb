package authstate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	inmemory "github.com/corridor-go/corridor/adapters/memory" // memory is a kind of source here
	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports/portstest"
)

func ExampleNewNormaliser() {
	n, err := authstate.NewNormaliser(nil)
	if err != nil {
		panic(err)
	}
	for _, d := range []errcodes.Direction{errcodes.Payin, errcodes.Payout} {
		r, err := n.Normalise(authstate.Input{Scheme: authstate.MpesaDaraja, Direction: d, Code: "1", Message: "The balance is insufficient"})
		fmt.Println(r.Outcome, r.Code, "-", r.Message(), err)
	}
	// Output:
	// failed payinInsufficientFunds - The payer has insufficient funds <nil>
	// error payoutInsufficientFunds - The merchant's balance is insufficient <nil>
}

// An embedder's own rows come before the shipped ones, and can name a scheme of
// its own. What nothing knows is told, so that coverage can be watched.
func ExampleNormaliserConfig() {
	n, err := authstate.NewNormaliser(&authstate.NormaliserConfig{
		Overrides: map[authstate.Scheme][]authstate.Row{
			"our-bank": {
				{Code: "E17", Message: "daily", Payin: "payinPayerLimitExceeded", Confidence: authstate.Sure},
				{Code: "^E", Payin: "downstreamError", Payout: "downstreamError", Confidence: authstate.Judgement},
			},
		},
		Unmapped: func(r authstate.Result) { fmt.Println("nobody knows this one of", r.Scheme) },
	})
	if err != nil {
		panic(err)
	}
	for _, code := range []string{"e17", "E99", "?"} {
		r, err := n.Normalise(authstate.Input{Scheme: "our-bank", Direction: errcodes.Payin, Code: code, Message: "Daily limit"})
		fmt.Println(r.Code, r.MatchedBy, err)
	}
	// Output:
	// payinPayerLimitExceeded override <nil>
	// downstreamError override <nil>
	// nobody knows this one of our-bank
	// declined fallback <nil>
}

// A transaction is not answered in time, and the debit lands after all: the end
// stays, and the late payment stands beside it.
func ExampleNew() {
	ctx := context.Background()
	clock := portstest.NewClock(noon)
	store, err := inmemory.New(nil)
	if err != nil {
		panic(err)
	}
	normaliser, err := authstate.NewNormaliser(nil)
	if err != nil {
		panic(err)
	}
	payments, err := authstate.New(
		authstate.Ports{Transactions: store.Transactions(), Work: store.Work()}, normaliser, &authstate.Config{Clock: clock})
	if err != nil {
		panic(err)
	}

	opened, err := payments.Open(ctx, "shop-7", authstate.Opening{
		ID: "pay-1", Direction: errcodes.Payin, RespondBy: clock.Now().Add(2 * time.Minute),
	})
	fmt.Println(opened.Status, err)
	clock.Advance(2 * time.Minute)
	ended, err := payments.Get(ctx, "shop-7", "pay-1")
	fmt.Println(ended.Status, ended.Code, err)
	clock.Advance(time.Minute)
	applied, err := payments.Record(ctx, "shop-7", "pay-1", authstate.Report{Scheme: authstate.MpesaDaraja, Code: "0"})
	fmt.Println(applied.Effect, "-", applied.Transaction.Status, applied.Transaction.Late.At.Sub(ended.EndedAt), err)
	// Output:
	// PENDING <nil>
	// FAILED timeout <nil>
	// late_payment - FAILED 1m0s <nil>
}

// M-Pesa writes its codes now as numbers and now as strings.
func ExampleRawCode() {
	var callback struct {
		ResultCode authstate.RawCode
		ResultDesc string
	}
	for _, body := range []string{`{"ResultCode": 1037, "ResultDesc": "DS timeout"}`, `{"ResultCode": "0032"}`, `{"ResultCode": 1.50}`} {
		err := json.Unmarshal([]byte(body), &callback)
		fmt.Println(callback.ResultCode, err)
	}
	// Output:
	// 1037 <nil>
	// 0032 <nil>
	// 1.50 <nil>
}

func ExampleLint() {
	for _, complaint := range authstate.Lint([]authstate.Row{
		{Code: "51", Payout: "payinInsufficientFunds", Confidence: authstate.Sure},
	}) {
		fmt.Println(complaint)
	}
	// Output: "51": payinInsufficientFunds on a payout: of the other direction
}
