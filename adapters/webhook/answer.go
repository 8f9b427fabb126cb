package webhook

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/corridor-go/corridor/adapters/connector/httpcall"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// judge returns the error for an answer. Only a 410 is final, as Standard Webhooks says: a
// receiver that is misconfigured today may accept the event tomorrow.
func (s *Sink) judge(answer *http.Response) error {
	status := answer.StatusCode
	if isSuccess(status) {
		return nil
	}
	err := errcodes.Wrap(codeOf(status), "the receiver did not accept the event", reasonOf(status))
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		return err.WithRetryAfter(httpcall.RetryAfter(answer.Header.Get("Retry-After"), s.cfg.Clock.Now(), MaxRetryAfter))
	}
	return err
}

func isSuccess(status int) bool { return status >= 200 && status < 300 }

// codeOf returns the code of a status other than 2xx.
func codeOf(status int) errcodes.Code {
	switch {
	case status == http.StatusGone:
		return errcodes.NotFound
	case status == http.StatusTooManyRequests:
		return errcodes.TooManyRequests
	case status >= 500 && status < 600, status == http.StatusRequestTimeout:
		return errcodes.Unavailable
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return errcodes.Configuration
	default:
		return errcodes.MalformedAnswer
	}
}

// reasonOf returns the status as in HTTP, such as "410 Gone". The text is not the
// receiver's.
func reasonOf(status int) ports.DeliveryReason {
	return ports.DeliveryReason(strings.TrimSpace(strconv.Itoa(status) + " " + http.StatusText(status)))
}

// failure converts an error of net/http, without its text, which may quote the URL,
// addresses and the answer. ctx is the caller's.
func failure(ctx context.Context, err error) error {
	if ctx.Err() == nil && errors.Is(err, errPrivate) {
		return errPrivate
	}
	return httpcall.Failure(ctx, err, "receiver")
}
