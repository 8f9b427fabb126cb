package cmd

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
	Country    string `arg:""                                help:"The market, ISO 3166-1 alpha-3."`
	Type       string `arg:""                                help:"bank_account, mobile_money or institution_wallet."`
	Identifier string `arg:""                                help:"The account number, IBAN, mobile number or wallet."`
	BankCode   string `help:"The bank's code in its market."`
	Name       string `help:"The holder's name to compare."`
	Sandbox    bool   `env:"CORRIDOR_SANDBOX"                help:"Use the sandbox if no connector is set."`

	Accounts service.AccountSettings `embed:""`
}

// toolOwner owns the validations of the tools, in a store that ends with them, and
// noMerchant is their merchant.
const toolOwner, noMerchant = "corridor", "00000000-0000-4000-8000-000000000000"

// Validate checks the settings.
func (c *validateCmd) Validate() error { return c.Accounts.Validate() }

// Run validates one account and prints the result as on the wire, whatever it is. An
// invalid request is an error like a wrong flag.
func (c *validateCmd) Run(world *surroundings) (err error) {
	accounts, err := service.OpenAccounts(world.ctx, c.Accounts, c.Sandbox, world.parts)
	if err != nil {
		return service.Reject(err)
	}
	// Only lookups that Close cancels can still be running.
	defer func() { err = errors.Join(err, accounts.Close(context.WithoutCancel(world.ctx))) }()
	v, err := c.result(world, accounts)
	switch errcodes.Of(err) {
	case "":
		if accounts.NobodyAsked && !v.Definite() {
			_, _ = fmt.Fprintln(world.stderr, "no provider was asked: use --connectors or --sandbox")
		}
		_, err = fmt.Fprintf(world.stdout, "%s\n", wire.AppendValidation(nil, &v))
		return err
	case errcodes.InvalidRequest, errcodes.Unprocessable:
		return service.Reject(err)
	default:
		return err
	}
}

// result returns the validation once it has ended.
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
