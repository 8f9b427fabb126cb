package httpserver

import (
	"net/http"

	"github.com/corridor-go/corridor/adapters/httpserver/wire"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation/market"
)

func (s *server) validateAccount(x *exchange, r *http.Request) error {
	buf := getBuffer()
	defer putBuffer(buf)
	body, err := decode(x, r, buf, wire.DecodeValidation)
	if err != nil {
		return err
	}
	req := market.Request{
		MerchantID: body.MerchantID, Country: body.Country, AccountType: body.AccountType,
		AccountIdentifier: body.AccountIdentifier, BankCode: body.BankCode, AccountHolderName: body.AccountHolderName,
	}
	if err := permitMerchant(&x.client, &req); err != nil {
		return err
	}
	v, err := s.services.Validations.Validate(x.ctx, x.client.ID, req)
	if err != nil {
		return err
	}
	x.json(http.StatusOK, wire.AppendValidation(emptied(buf), &v))
	return nil
}

// permitMerchant rejects a merchant that the client may not use. It comes after the
// checks of the syntax and before the rules.
func permitMerchant(client *ports.Client, req *market.Request) error {
	if client.MayName(req.MerchantID) {
		return nil
	}
	if _, err := market.Check(*req); errcodes.Of(err) == errcodes.InvalidRequest {
		return err
	}
	return errcodes.New(errcodes.Forbidden, "The client may not name this merchant")
}
