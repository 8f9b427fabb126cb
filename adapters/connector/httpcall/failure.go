package httpcall

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"syscall"

	"github.com/corridor-go/corridor/errcodes"
)

// failure gives the error for one of net/http's. The cause stays behind: it
// quotes the URL, and may quote the answer.
func failure(ctx context.Context, err error) error {
	if ended := ctx.Err(); ended != nil {
		return ended
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return errcodes.New(errcodes.DeadlineExceeded, "the provider did not answer in time")
	}
	return errcodes.New(errcodes.Unavailable, trouble(err))
}

// trouble tells the kind of a failure in words of this package's own.
func trouble(err error) string {
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return "the provider's name cannot be resolved"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "the provider's certificate does not verify"
	}
	if operation, ok := errors.AsType[*net.OpError](err); ok && operation.Op == "dial" {
		return "the provider cannot be connected to"
	}
	broken := []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE}
	for _, end := range broken {
		if errors.Is(err, end) {
			return "the provider broke off"
		}
	}
	return "the exchange with the provider failed"
}
