package httpserver

import (
	"net/http"

	"github.com/corridor-go/corridor/adapters/httpserver/wire"
)

func (s *server) getTransaction(x *exchange, r *http.Request) {
	if err := ignoreBody(r); err != nil {
		x.fail(err)
		return
	}
	t, err := s.services.Transactions.Get(x.ctx(), x.client.ID, r.PathValue("transactionId"))
	if err != nil {
		x.fail(err)
		return
	}
	buf := getBuffer()
	defer putBuffer(buf)
	x.json(http.StatusOK, wire.AppendTransaction(emptied(buf), &t))
}
