package httpserver

import (
	"net/http"

	"github.com/corridor-go/corridor/adapters/httpserver/wire"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

func (s *server) issueToken(x *exchange, r *http.Request) {
	if err := s.perAddress.take(subscriber(s.cfg.RemoteAddr(r)), s.cfg.Clock.Now()); err != nil {
		x.fail(err)
		return
	}
	buf := getBuffer()
	defer putBuffer(buf)
	if err := readJSON(r, buf); err != nil {
		if errcodes.Of(err) == errcodes.InvalidRequest {
			err = errcodes.Wrap(errcodes.TokenInvalidBody, "", err)
		}
		x.fail(err)
		return
	}
	id, secret, err := wire.DecodeToken(buf.Bytes())
	if err != nil {
		x.fail(err)
		return
	}
	token, expiresIn, err := s.auth.Issue(x.ctx(), id, secret)
	if err != nil {
		x.fail(err)
		return
	}
	x.client.ID = id
	x.json(http.StatusOK, wire.AppendToken(emptied(buf), token, expiresIn))
}

func (s *server) createRateLock(x *exchange, r *http.Request) {
	buf := getBuffer()
	defer putBuffer(buf)
	if err := readJSON(r, buf); err != nil {
		x.fail(err)
		return
	}
	pair, err := wire.DecodeLock(buf.Bytes())
	if err != nil {
		x.fail(err)
		return
	}
	lock, minted, err := s.services.RateLocks.Create(x.ctx(), x.client.ID, pair)
	if err != nil {
		x.fail(err)
		return
	}
	status := http.StatusOK
	if minted {
		status = http.StatusCreated
	}
	x.json(status, wire.AppendRateLock(emptied(buf), &lock))
}

func (s *server) getRateLock(x *exchange, r *http.Request) {
	if err := ignoreBody(r); err != nil {
		x.fail(err)
		return
	}
	lock, err := s.services.RateLocks.Get(x.ctx(), x.client.ID, r.PathValue("rateLockId"))
	x.rateLock(lock, err)
}

func (s *server) cancelRateLock(x *exchange, r *http.Request) {
	if err := ignoreBody(r); err != nil {
		x.fail(err)
		return
	}
	lock, err := s.services.RateLocks.Cancel(x.ctx(), x.client.ID, r.PathValue("rateLockId"))
	x.rateLock(lock, err)
}

func (x *exchange) rateLock(lock ports.RateLock, err error) {
	if err != nil {
		x.fail(err)
		return
	}
	buf := getBuffer()
	defer putBuffer(buf)
	x.json(http.StatusOK, wire.AppendRateLock(emptied(buf), &lock))
}
