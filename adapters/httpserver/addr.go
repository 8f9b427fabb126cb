package httpserver

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// connectionAddr returns the connection's address without its port.
func connectionAddr(r *http.Request) string { return hostOf(r.RemoteAddr) }

// hostOf returns an address without its port.
func hostOf(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return remote
	}
	return host
}

// ForwardedAddr returns a [Config].RemoteAddr for a server behind a proxy that puts the
// client's address into a header, such as X-Forwarded-For or X-Real-Ip. Of several
// addresses the last one counts, because the nearest proxy has written it and the
// others may be forged. Without any, it returns the connection's address.
//
// Use it only if all requests come through the proxy, because the header is trusted.
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

// parseAddr parses an address with or without a port, of IPv6 also in brackets.
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

// subscriberBits is the part of an IPv6 address that identifies a subscriber. Each has
// at least 2^64 addresses (RFC 6177).
const subscriberBits = 64

// subscriber returns the key by which requests and connections are counted: the address,
// or for IPv6 the network. Text that is not an address is returned unchanged.
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
