package httpserver

import (
	"bytes"
	"context"
	"net/http"

	"github.com/corridor-go/corridor/adapters/httpserver/wire"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
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
	if err := x.readTokenBody(r, buf); err != nil {
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

// readTokenBody is readJSON with the errors of the routes of tokens.
func (x *exchange) readTokenBody(r *http.Request, buf *bytes.Buffer) error {
	err := x.readJSON(r, buf)
	if errcodes.Of(err) == errcodes.InvalidRequest {
		err = errcodes.Wrap(errcodes.TokenInvalidBody, "", err)
	}
	return err
}

func (s *server) revokeToken(x *exchange, r *http.Request) error {
	buf := getBuffer()
	defer putBuffer(buf)
	if err := x.readTokenBody(r, buf); err != nil {
		return err
	}
	revoked, err := wire.DecodeRevocation(buf.Bytes())
	if err != nil {
		return err
	}
	if x.client, err = s.revoker(x.ctx, r.Header["Authorization"], &revoked); err != nil {
		return err
	}
	ctx := ports.WithActor(x.ctx, ports.Actor{Client: x.client.ID, Address: s.cfg.RemoteAddr(r), Trace: x.trace})
	if err := s.auth.Revoke(ctx, x.client.ID, revoked.Token); err != nil {
		return err
	}
	x.json(http.StatusOK, append(emptied(buf), "{}"...))
	return nil
}

// revoker returns the client of the credentials in the body, or else of the bearer
// token.
func (s *server) revoker(ctx context.Context, authorization []string, r *wire.Revocation) (ports.Client, error) {
	switch {
	case r.ClientID != "" && r.ClientSecret != "":
		return s.auth.Verify(ctx, r.ClientID, r.ClientSecret)
	case r.ClientID != "" || r.ClientSecret != "" || len(authorization) == 0:
		return ports.Client{}, errcodes.New(errcodes.TokenMissingCredentials, "")
	}
	token, ok := bearer(authorization)
	if !ok {
		return ports.Client{}, errcodes.New(errcodes.Unauthorized, "")
	}
	return s.auth.Authenticate(ctx, token)
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
