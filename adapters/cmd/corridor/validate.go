package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/internal/wire"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation"
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

// Run validates one account and prints the result as the wire shows it. What
// is no valid request is refused like a bad flag.
func (c *validateCmd) Run(world *surroundings) (err error) {
	if err := c.Accounts.check(); err != nil {
		return rejected{err}
	}
	store, err := openStore(world.ctx, "memory:")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.close()) }()
	service, err := c.Accounts.service(world.ctx, store, c.Sandbox, newCounters(nil), slog.New(slog.DiscardHandler))
	if err != nil {
		return rejected{err}
	}
	defer func() { err = errors.Join(err, service.Close(world.ctx)) }()
	v, err := service.Validate(world.ctx, toolOwner, validation.Request{
		MerchantID: anyMerchant(), Country: c.Country, AccountType: c.Type,
		AccountIdentifier: c.Identifier, BankCode: c.BankCode, AccountHolderName: c.Name,
	})
	if err == nil && v.Status == ports.StatusPending {
		_, _ = fmt.Fprintln(world.stderr, "pending; waiting for", v.Provider)
		v, err = service.Wait(world.ctx, toolOwner, v.ID)
	}
	switch {
	case err != nil && errcodes.CategoryOf(errcodes.StatusOf(err)).Retry:
		return err
	case err != nil:
		return rejected{err}
	}
	_, err = fmt.Fprintf(world.stdout, "%s\n", wire.AppendValidation(nil, &v))
	return err
}

// anyMerchant is a merchant for those who act for none.
func anyMerchant() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
