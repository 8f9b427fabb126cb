package failures_test

import (
	"encoding/json"
	"fmt"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
)

func ExampleNew() {
	n, err := failures.New(nil)
	if err != nil {
		panic(err)
	}
	for _, d := range []errcodes.Direction{errcodes.Payin, errcodes.Payout} {
		r, err := n.Normalise(failures.Input{Scheme: failures.MpesaDaraja, Direction: d, Code: "1", Message: "The balance is insufficient"})
		fmt.Println(r.Outcome, r.Code, "-", r.Message(), err)
	}
	// Output:
	// failed payinInsufficientFunds - The payer has insufficient funds <nil>
	// error payoutInsufficientFunds - The merchant's balance is insufficient <nil>
}

// An embedder's own rows come before the shipped ones, and may define a new scheme.
func ExampleConfig() {
	n, err := failures.New(&failures.Config{
		Overrides: map[failures.Scheme][]failures.Row{
			"our-bank": {
				{Code: "E17", Message: "daily", Payin: "payinPayerLimitExceeded", Confidence: failures.Sure},
				{Code: "^E", Payin: "downstreamError", Payout: "downstreamError", Confidence: failures.Judgement},
			},
		},
		Unmapped: func(r failures.Result) { fmt.Println("unknown code of", r.Scheme) },
	})
	if err != nil {
		panic(err)
	}
	for _, code := range []string{"e17", "E99", "?"} {
		r, err := n.Normalise(failures.Input{Scheme: "our-bank", Direction: errcodes.Payin, Code: code, Message: "Daily limit"})
		fmt.Println(r.Code, r.MatchedBy, err)
	}
	// Output:
	// payinPayerLimitExceeded override <nil>
	// downstreamError override <nil>
	// unknown code of our-bank
	// declined fallback <nil>
}

// M-Pesa sends its codes as numbers or as strings.
func ExampleRawCode() {
	var callback struct {
		ResultCode failures.RawCode
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
	for _, complaint := range failures.Lint([]failures.Row{
		{Code: "51", Payout: "payinInsufficientFunds", Confidence: failures.Sure},
	}) {
		fmt.Println(complaint)
	}
	// Output: "51": payinInsufficientFunds on a payout: only for the other direction
}
