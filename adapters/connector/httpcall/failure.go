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

// Failure returns the error for one of net/http's about a peer, such as "provider".
// ctx is the caller's; its error is returned as it is if it is done. Otherwise a
// timeout is [errcodes.DeadlineExceeded] and the rest [errcodes.Unavailable], with a
// text of this package: net/http's quotes the URL, and may quote the answer.
func Failure(ctx context.Context, err error, peer string) error {
	if ended := ctx.Err(); ended != nil {
		return ended
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return errcodes.New(errcodes.DeadlineExceeded, "the "+peer+" did not answer in time")
	}
	return errcodes.New(errcodes.Unavailable, "the "+trouble(err, peer))
}

// trouble describes the kind of a failure.
func trouble(err error, peer string) string {
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return peer + "'s name cannot be resolved"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return peer + "'s certificate does not verify"
	}
	if operation, ok := errors.AsType[*net.OpError](err); ok && operation.Op == "dial" {
		return peer + " cannot be connected to"
	}
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, end) {
			return peer + " broke off"
		}
	}
	return "exchange with the " + peer + " failed"
}
