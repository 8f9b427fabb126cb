package httpserver

import (
	"net/http"

	"github.com/corridor-go/corridor/adapters/httpserver/wire"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/validation/market"
)

func (s *server) validateAccount(x *exchange, r *http.Request) {
	buf := getBuffer()
	defer putBuffer(buf)
	if err := readJSON(r, buf); err != nil {
		x.fail(err)
		return
	}
	body, err := wire.DecodeValidation(buf.Bytes())
	if err != nil {
		x.fail(err)
		return
	}
	req := market.Request{
		MerchantID: body.MerchantID, Country: body.Country, AccountType: body.AccountType,
		AccountIdentifier: body.AccountIdentifier, BankCode: body.BankCode, AccountHolderName: body.AccountHolderName,
	}
	if err := permitMerchant(&x.client, &req); err != nil {
		x.fail(err)
		return
	}
	v, err := s.services.Validations.Validate(x.ctx(), x.client.ID, req)
	x.validation(v, err)
}

// permitMerchant refuses a merchant that the client may not name: after what is
// malformed, before what breaks a rule.
func permitMerchant(client *ports.Client, req *market.Request) error {
	if client.MayName(req.MerchantID) {
		return nil
	}
	if _, err := market.Check(*req); errcodes.Of(err) == errcodes.InvalidRequest {
		return err
	}
	return errcodes.New(errcodes.Forbidden, "The client may not name this merchant")
}

func (s *server) getValidation(x *exchange, r *http.Request) {
	if err := ignoreBody(r); err != nil {
		x.fail(err)
		return
	}
	v, err := s.services.Validations.Get(x.ctx(), x.client.ID, r.PathValue("id"))
	x.validation(v, err)
}

func (x *exchange) validation(v ports.Validation, err error) {
	if err != nil {
		x.fail(err)
		return
	}
	buf := getBuffer()
	defer putBuffer(buf)
	x.json(http.StatusOK, wire.AppendValidation(emptied(buf), &v))
}
