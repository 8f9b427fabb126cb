package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/corridor-go/corridor/adapters/httpserver/wire"
	"github.com/corridor-go/corridor/adapters/service"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation/market"
)

type validateCmd struct {
	Country    string `arg:""                                    help:"The market, ISO 3166-1 alpha-3."`
	Type       string `arg:""                                    help:"bank_account, mobile_money or institution_wallet."`
	Identifier string `arg:""                                    help:"The account number, IBAN, mobile number or wallet."`
	BankCode   string `help:"The bank's code in its market."`
	Name       string `help:"The holder's name, to be compared."`
	Sandbox    bool   `env:"CORRIDOR_SANDBOX"                    help:"Ask the sandbox where no connector is set."`

	Accounts service.AccountSettings `embed:""`
}

// toolOwner is whose validations the tools make, in a store that ends with them,
// and noMerchant the merchant of those who act for none.
const toolOwner, noMerchant = "corridor", "00000000-0000-4000-8000-000000000000"

// Validate refuses settings that are none.
func (c *validateCmd) Validate() error { return c.Accounts.Validate() }

// Run validates one account and prints the result as the wire shows it, whatever
// it is. What is no valid request is refused like a bad flag.
func (c *validateCmd) Run(world *surroundings) (err error) {
	accounts, err := service.OpenAccounts(world.ctx, c.Accounts, c.Sandbox, parts())
	if err != nil {
		return service.Reject(err)
	}
	// By then it waits for nothing but lookups that it breaks off.
	defer func() { err = errors.Join(err, accounts.Close(context.WithoutCancel(world.ctx))) }()
	v, err := c.result(world, accounts)
	switch errcodes.Of(err) {
	case "":
		if v.Status == ports.StatusError && accounts.NobodyAsked {
			_, _ = fmt.Fprintln(world.stderr, "no provider was asked: name some with --connectors, or --sandbox")
		}
		_, err = fmt.Fprintf(world.stdout, "%s\n", wire.AppendValidation(nil, &v))
		return err
	case errcodes.InvalidRequest, errcodes.Unprocessable:
		return service.Reject(err)
	default:
		return err
	}
}

// result is the validation's end, however long that takes.
func (c *validateCmd) result(world *surroundings, accounts *service.Accounts) (ports.Validation, error) {
	v, err := accounts.Validate(world.ctx, toolOwner, market.Request{
		MerchantID: noMerchant, Country: c.Country, AccountType: c.Type,
		AccountIdentifier: c.Identifier, BankCode: c.BankCode, AccountHolderName: c.Name,
	})
	if err != nil || v.Status.Terminal() {
		return v, err
	}
	_, _ = fmt.Fprintln(world.stderr, "pending; waiting for", v.Provider)
	return accounts.Wait(world.ctx, toolOwner, v.ID)
}
