package webhook

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

var errGone = errcodes.New(errcodes.NotFound, "the receiver is gone (410)")

// judge gives what an answer means for the event. Only a 410 is for good: a
// receiver that is misconfigured today takes the event tomorrow.
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
		return errcodes.New(errcodes.TooManyRequests, text).WithRetryAfter(retryAfter(answer.Header.Get("Retry-After"), now))
	case status == http.StatusServiceUnavailable:
		return errcodes.New(errcodes.Unavailable, text).WithRetryAfter(retryAfter(answer.Header.Get("Retry-After"), now))
	case status >= 500 && status < 600, status == http.StatusRequestTimeout:
		return errcodes.New(errcodes.Unavailable, text)
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return errcodes.New(errcodes.Configuration, text)
	default:
		return errcodes.New(errcodes.MalformedAnswer, text)
	}
}

// retryAfter reads a Retry-After header, seconds or a date (RFC 9110, 10.2.3),
// as the wait from now: 0 for none, for a date that has passed and for what is
// neither; at most MaxRetryAfter.
func retryAfter(header string, now time.Time) time.Duration {
	header = strings.Trim(header, " \t")
	if header != "" && strings.Trim(header, "0123456789") == "" {
		seconds, err := strconv.ParseInt(header, 10, 64)
		if err != nil || seconds > int64(MaxRetryAfter/time.Second) {
			return MaxRetryAfter // digits that overflow are many
		}
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), MaxRetryAfter)
}

// failure gives the error for one of net/http's. The cause stays behind: it may
// quote the URL, addresses and the answer. ctx is the caller's.
func failure(ctx context.Context, err error) error {
	if ended := ctx.Err(); ended != nil {
		return ended
	}
	if errors.Is(err, errPrivate) {
		return errPrivate
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return errcodes.New(errcodes.DeadlineExceeded, "the receiver did not answer in time")
	}
	return errcodes.New(errcodes.Unavailable, trouble(err))
}

// trouble tells the kind of a failure in words of this package's own.
func trouble(err error) string {
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return "the receiver's name cannot be resolved"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "the receiver's certificate does not verify"
	}
	if operation, ok := errors.AsType[*net.OpError](err); ok && operation.Op == "dial" {
		return "the receiver cannot be connected to"
	}
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, end) {
			return "the receiver broke off"
		}
	}
	return "the exchange with the receiver failed"
}
