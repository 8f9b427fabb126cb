package webhook

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/corridor-go/corridor/adapters/connector/httpcall"
)

// SetDial makes the sink connect through dial, without the guard.
func (s *Sink) SetDial(dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	s.transport.DialContext = dial
}

// SetResolver makes the sink resolve names with r.
func (s *Sink) SetResolver(r *net.Resolver) { s.dialer.Resolver = r }

// PublicOnly is the guard of each connection.
func PublicOnly(address string) error { return publicOnly("tcp", address, nil) }

// IsPublic is the guard's check.
func IsPublic(a netip.Addr) bool { return isPublic(a) }

// RetryAfter reads the header.
func RetryAfter(header string, now time.Time) time.Duration {
	return httpcall.RetryAfter(header, now, MaxRetryAfter)
}

// Sign sets the headers of an attempt.
func Sign(secrets []Secret, header http.Header, id string, at time.Time, body []byte) error {
	return sign(secrets, header, id, at, body)
}
