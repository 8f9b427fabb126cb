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

// Failure converts an error of net/http about a peer, such as "provider". If ctx, the
// caller's, is done, it returns ctx's error. Otherwise a timeout is
// [errcodes.DeadlineExceeded] and all else [errcodes.Unavailable], without net/http's
// text, which quotes the URL and may quote the answer.
func Failure(ctx context.Context, err error, peer string) error {
	if ended := ctx.Err(); ended != nil {
		return ended
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return errcodes.New(errcodes.DeadlineExceeded, "the "+peer+" did not answer in time")
	}
	return errcodes.New(errcodes.Unavailable, "the "+trouble(err, peer))
}

// trouble describes the kind of failure.
func trouble(err error, peer string) string {
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return peer + "'s name cannot be resolved"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return peer + "'s certificate is not valid"
	}
	if operation, ok := errors.AsType[*net.OpError](err); ok && operation.Op == "dial" {
		return peer + " does not accept connections"
	}
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, end) {
			return peer + " closed the connection"
		}
	}
	return "exchange with the " + peer + " failed"
}
