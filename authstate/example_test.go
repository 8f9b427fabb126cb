package authstate_test

import (
	"context"
	"fmt"
	"time"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/authstate"
	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports/portstest"
)

// A transaction times out, and the debit arrives later. The transaction stays FAILED, and
// the late payment is recorded.
func ExampleNew() {
	ctx := context.Background()
	clock := portstest.NewClock(noon)
	store, err := memory.New(nil)
	if err != nil {
		panic(err)
	}
	payments, err := authstate.New(
		authstate.Ports{Transactions: store.Transactions(), Work: store.Work()}, authstate.Policy{}, &authstate.Config{Clock: clock})
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
	applied, err := payments.Record(ctx, "shop-7", "pay-1", authstate.Report{Scheme: failures.MpesaDaraja, Code: "0"})
	fmt.Println(applied.Effect, "-", applied.Transaction.Status, applied.Transaction.LateAt.Sub(ended.EndedAt), err)
	// Output:
	// PENDING <nil>
	// FAILED timeout <nil>
	// late_payment - FAILED 1m0s <nil>
}
