package httpserver

import (
	"context"
	"net/http"

	"github.com/corridor-go/corridor/adapters/httpserver/wire"
	"github.com/corridor-go/corridor/errcodes"
)

// byID returns an endpoint that shows what get returns for the client and the id in the
// path.
func byID[T any](name string, get func(ctx context.Context, owner, id string) (T, error), show func([]byte, *T) []byte) endpoint {
	return func(x *exchange, r *http.Request) error {
		if err := ignoreBody(r); err != nil {
			return err
		}
		found, err := get(x.ctx, x.client.ID, r.PathValue(name))
		if err != nil {
			return err
		}
		buf := getBuffer()
		defer putBuffer(buf)
		x.json(http.StatusOK, show(emptied(buf), &found))
		return nil
	}
}

func (s *server) issueToken(x *exchange, r *http.Request) error {
	buf := getBuffer()
	defer putBuffer(buf)
	if err := x.readJSON(r, buf); err != nil {
		if errcodes.Of(err) == errcodes.InvalidRequest {
			err = errcodes.Wrap(errcodes.TokenInvalidBody, "", err)
		}
		return err
	}
	id, secret, err := wire.DecodeToken(buf.Bytes())
	if err != nil {
		return err
	}
	token, expiresIn, err := s.auth.Issue(x.ctx, id, secret)
	if err != nil {
		return err
	}
	x.client.ID = id
	x.json(http.StatusOK, wire.AppendToken(emptied(buf), token, expiresIn))
	return nil
}

func (s *server) createRateLock(x *exchange, r *http.Request) error {
	buf := getBuffer()
	defer putBuffer(buf)
	pair, err := decode(x, r, buf, wire.DecodeLock)
	if err != nil {
		return err
	}
	lock, minted, err := s.services.RateLocks.Create(x.ctx, x.client.ID, pair)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if minted {
		status = http.StatusCreated
	}
	x.json(status, wire.AppendRateLock(emptied(buf), &lock))
	return nil
}
