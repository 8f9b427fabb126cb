package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/corridor-go/corridor/adapters/httpserver/wire"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation"
	"github.com/corridor-go/corridor/validation/market"
)

type validateCmd struct {
	Country    string `arg:""                                    help:"The market, ISO 3166-1 alpha-3."`
	Type       string `arg:""                                    help:"bank_account, mobile_money or institution_wallet."`
	Identifier string `arg:""                                    help:"The account number, IBAN, mobile number or wallet."`
	BankCode   string `help:"The bank's code in its market."`
	Name       string `help:"The holder's name, to be compared."`
	Sandbox    bool   `env:"CORRIDOR_SANDBOX"                    help:"Ask the sandbox where no connector is set."`

	Accounts validationSettings `embed:""`
}

// toolOwner is whose validations the tools make, in a store that ends with them.
const toolOwner = "corridor"

// Validate refuses settings that are none.
func (c *validateCmd) Validate() error { return c.Accounts.check() }

// Run validates one account and prints the result as the wire shows it, whatever
// it is. What is no valid request is refused like a bad flag.
func (c *validateCmd) Run(world *surroundings) (err error) {
	quiet := slog.New(slog.DiscardHandler)
	parts, err := c.Accounts.open(c.Sandbox, os.Getenv, newCounters(), quiet)
	if err != nil {
		return rejected{err}
	}
	store, err := openStore(world.ctx, "memory:")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.close()) }()
	service, err := parts.service(world.ctx, store, quiet)
	if err != nil {
		return rejected{err}
	}
	// By then it waits for nothing but lookups that it breaks off.
	defer func() { err = errors.Join(err, service.Close(context.WithoutCancel(world.ctx))) }()
	v, err := c.result(world, service)
	switch errcodes.Of(err) {
	case "":
		if v.Status == ports.StatusError && len(parts.connectors) == 0 {
			_, _ = fmt.Fprintln(world.stderr, "no provider was asked: name some with --connectors, or --sandbox")
		}
		_, err = fmt.Fprintf(world.stdout, "%s\n", wire.AppendValidation(nil, &v))
		return err
	case errcodes.InvalidRequest, errcodes.Unprocessable:
		return rejected{err}
	default:
		return err
	}
}

// result is the validation's end, however long that takes.
func (c *validateCmd) result(world *surroundings, service *validation.Service) (ports.Validation, error) {
	v, err := service.Validate(world.ctx, toolOwner, market.Request{
		MerchantID: anyMerchant(), Country: c.Country, AccountType: c.Type,
		AccountIdentifier: c.Identifier, BankCode: c.BankCode, AccountHolderName: c.Name,
	})
	if err != nil || v.Status.Terminal() {
		return v, err
	}
	_, _ = fmt.Fprintln(world.stderr, "pending; waiting for", v.Provider)
	return service.Wait(world.ctx, toolOwner, v.ID)
}

// anyMerchant is a merchant for those who act for none.
func anyMerchant() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
