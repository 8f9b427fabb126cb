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
	Country    string `arg:"" complete:"countries" help:"The country of the account: three capital letters, ISO 3166-1, such as NGA."`
	Type       string `arg:"" complete:"types" help:"bank_account, mobile_money or institution_wallet."`
	Identifier string `arg:"" help:"The account number, IBAN, mobile number or wallet."`
	BankCode   string `help:"The bank's code in its country." placeholder:"CODE"`
	Name       string `help:"The name to compare with the holder's." placeholder:"NAME"`
	Sandbox    bool   `env:"CORRIDOR_SANDBOX"                help:"Use the sandbox if no connector is set."`

	Accounts service.AccountSettings `embed:""`
}

// toolOwner owns the validations of the tools, in a store that ends with them, and
// noMerchant is their merchant.
const toolOwner, noMerchant = "corridor", "00000000-0000-4000-8000-000000000000"

// errNotVerified ends a command whose result has been printed: it prints nothing more, and
// the exit status is exitNotVerified.
var errNotVerified = errors.New("the account is not verified")

// Help explains the exit status.
func (*validateCmd) Help() string {
	return `The result is one line of JSON. The exit status is 0 if its status is "verified" and 3 if it is anything else: "name_mismatch",
"not_found" or "error". Pay only if its validationType is "external": with "internal_rules" no provider was asked.`
}

// Validate checks the settings.
func (c *validateCmd) Validate() error { return c.Accounts.Validate() }

// Run validates one account and prints the result as on the wire, whatever it is. An
// invalid request is an error like a wrong flag.
func (c *validateCmd) Run(world *surroundings) error {
	v, err := c.validate(world)
	if err == nil && v.Status != ports.StatusVerified {
		return errNotVerified
	}
	return err
}

func (c *validateCmd) validate(world *surroundings) (v ports.Validation, err error) {
	accounts, err := service.OpenAccounts(world.ctx, c.Accounts, c.Sandbox, world.parts)
	if err != nil {
		return v, service.Reject(err)
	}
	// Only lookups that Close cancels can still be running.
	defer func() { err = errors.Join(err, accounts.Close(context.WithoutCancel(world.ctx))) }()
	v, err = c.result(world, accounts)
	switch errcodes.Of(err) {
	case "":
		if accounts.NobodyAsked && !v.Definite() {
			_, _ = fmt.Fprintln(world.stderr, "no provider was asked: use --connectors or --sandbox")
		}
		_, err = fmt.Fprintf(world.stdout, "%s\n", wire.AppendValidation(nil, &v))
		return v, err
	case errcodes.InvalidRequest, errcodes.Unprocessable:
		return v, service.Reject(c.similar(err))
	default:
		return v, err
	}
}

// similar adds a hint to the error of an unknown type or country.
func (c *validateCmd) similar(err error) error {
	if hinted := similar(err, c.Type, accountTypes()); hinted != err { //nolint:errorlint // the same error
		return hinted
	}
	return similar(err, c.Country, countries())
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
