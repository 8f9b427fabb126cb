package validation_test

import (
	"context"
	"fmt"
	"time"

	"github.com/corridor-go/corridor/adapters/keyring"
	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/fake"
	"github.com/corridor-go/corridor/validation"
	"github.com/corridor-go/corridor/validation/market"
)

func Example() {
	ctx := context.Background()
	store, err := memory.New(nil) // or sqlite.Open
	if err != nil {
		fmt.Println(err)
		return
	}
	keys, err := keyring.Parse("2026-11:xsWvXAW8Qh1hBUyoEhPVkQPl7ZVqXJYYdDIBFM4TzZQ=") // from your vault
	if err != nil {
		fmt.Println(err)
		return
	}
	sealer, err := keyring.New(keys, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	// In a service: paystack.New(…), flutterwave.New(…), in the order in which they are
	// called.
	provider := fake.NewConnector("provider", []ports.Capability{{Market: ports.Market{Country: "NGA", Type: ports.BankAccount}, ReturnsName: true}})
	provider.Answer(ports.Answer{Kind: ports.OutcomeFound, HolderName: "AMA SERWAA MENSAH"})

	accounts, err := validation.New(validation.Ports{
		Validations: store.Validations(), Answers: store.Answers(), Work: store.Work(), Sealer: sealer,
		Connectors: []ports.AccountConnector{provider},
	}, validation.Policy{AnswerTTL: 24 * time.Hour}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	req := market.Request{
		MerchantID: "7f2f6f0e-4b1e-4c7e-9d58-0d5a3c1d2e3f", Country: "NGA", AccountType: "bank_account",
		AccountIdentifier: "0690000032", BankCode: "044", AccountHolderName: "Mensah, Ama",
	}
	v, err := accounts.Validate(ctx, "shop-7", req)
	if err == nil && v.Status == ports.StatusPending {
		v, err = accounts.Wait(ctx, "shop-7", v.ID)
	}
	pays := err == nil && v.Status == ports.StatusVerified && v.Type == ports.External
	fmt.Println(pays, v.Status, v.Provider, v.HolderName, err)

	req.AccountHolderName = "Kofi Boateng"
	v, err = accounts.Validate(ctx, "shop-7", req)
	fmt.Println(v.Status, v.Cached, v.FailureReason, err)

	req.BankCode = "44"
	_, err = accounts.Validate(ctx, "shop-7", req)
	fmt.Println(errcodes.Of(err), err)
	fmt.Println(accounts.Stop(ctx))
	// Output:
	// true verified provider AMA SERWAA MENSAH <nil>
	// name_mismatch true The provider returned a different name <nil>
	// unprocessable unprocessable: bankCode must be a central-bank code of 3 or 6 digits
	// <nil>
}

func ExampleNew() {
	_, err := validation.New(validation.Ports{}, validation.Policy{}, nil)
	fmt.Println(err)
	// Output:
	// configuration: Ports.Validations is required
}
