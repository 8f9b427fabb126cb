package webhook

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/corridor-go/corridor/adapters/connector/httpcall"
	"github.com/corridor-go/corridor/errcodes"
)

var errGone = errcodes.New(errcodes.NotFound, "the receiver is gone (410)")

// judge returns the error for an answer. Only a 410 is final: a receiver that is
// misconfigured today may accept the event tomorrow.
func (s *Sink) judge(answer *http.Response) error {
	now := s.cfg.Clock.Now()
	text := "the receiver answers " + strconv.Itoa(answer.StatusCode)
	switch status := answer.StatusCode; {
	case status >= 200 && status < 300:
		return nil
	case status == http.StatusGone:
		s.gone.Store(&now)
		return errGone
	case status == http.StatusTooManyRequests:
		return errcodes.New(errcodes.TooManyRequests, text).WithRetryAfter(httpcall.RetryAfter(answer.Header.Get("Retry-After"), now, MaxRetryAfter))
	case status == http.StatusServiceUnavailable:
		return errcodes.New(errcodes.Unavailable, text).WithRetryAfter(httpcall.RetryAfter(answer.Header.Get("Retry-After"), now, MaxRetryAfter))
	case status >= 500 && status < 600, status == http.StatusRequestTimeout:
		return errcodes.New(errcodes.Unavailable, text)
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return errcodes.New(errcodes.Configuration, text)
	default:
		return errcodes.New(errcodes.MalformedAnswer, text)
	}
}

// failure converts an error of net/http, without its text, which may quote the URL,
// addresses and the answer. ctx is the caller's.
func failure(ctx context.Context, err error) error {
	if ctx.Err() == nil && errors.Is(err, errPrivate) {
		return errPrivate
	}
	return httpcall.Failure(ctx, err, "receiver")
}
