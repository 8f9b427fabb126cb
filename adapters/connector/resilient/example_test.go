package resilient_test

import (
	"context"
	"fmt"

	"github.com/corridor-go/corridor/adapters/connector/resilient"
	"github.com/corridor-go/corridor/adapters/connector/sandbox"
	"github.com/corridor-go/corridor/ports"
)

func ExampleNew() {
	provider, err := sandbox.New(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	connector, err := resilient.New(provider, &resilient.Config{
		MinCalls:      3,
		OnStateChange: func(_ context.Context, c resilient.StateChange) { fmt.Println(c.Connector, "is", c.To) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	busy := ports.AccountLookup{Account: ports.Account{
		Market: ports.Market{Country: "KEN", Type: ports.MobileMoney}, Identifier: "254712340004",
	}}
	for range 4 {
		answer, err := connector.Lookup(context.Background(), busy)
		fmt.Println(answer.Kind, answer.Code, err)
	}
	// Output:
	// try_later rate_limited <nil>
	// try_later rate_limited <nil>
	// sandbox is open
	// try_later rate_limited <nil>
	// try_later  <nil>
}
