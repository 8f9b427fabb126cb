package httpserver

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// connectionAddr is the connection's address without its port.
func connectionAddr(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// ForwardedAddr returns a [Config].RemoteAddr for a server behind a proxy that names
// who asks in a header, such as X-Forwarded-For or X-Real-Ip. Of several addresses
// the last one counts, which the proxy next to the server has written; those
// before it anybody may have. Where none stands there it is the connection's.
//
// Only for a server that nobody can reach but through the proxy: the header is
// believed.
func ForwardedAddr(header string) func(*http.Request) string {
	header = http.CanonicalHeaderKey(header)
	return func(r *http.Request) string {
		values := r.Header[header]
		if len(values) == 0 {
			return connectionAddr(r)
		}
		last := values[len(values)-1]
		addr, ok := parseAddr(strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:]))
		if !ok {
			return connectionAddr(r)
		}
		return addr.Unmap().String()
	}
}

// parseAddr reads an address with a port or without one, of IPv6 also in
// brackets.
func parseAddr(text string) (netip.Addr, bool) {
	if withPort, err := netip.ParseAddrPort(text); err == nil {
		return withPort.Addr(), true
	}
	if inside, ok := strings.CutPrefix(text, "["); ok {
		text, ok = strings.CutSuffix(inside, "]")
		if !ok {
			return netip.Addr{}, false
		}
	}
	addr, err := netip.ParseAddr(text)
	return addr, err == nil
}

// subscriberBits is what of an IPv6 address names a subscriber, who chooses the
// rest, and has 2^64 addresses at the least (RFC 6177).
const subscriberBits = 64

// subscriber returns what the token route counts by: an address, of IPv6 its
// network. What is no address stays as it is.
func subscriber(remote string) string {
	addr, err := netip.ParseAddr(remote)
	if err != nil {
		return remote
	}
	if addr = addr.Unmap(); addr.Is4() {
		return addr.String()
	}
	network, err := addr.WithZone("").Prefix(subscriberBits)
	if err != nil {
		return remote
	}
	return network.String()
}
