package webhook

import (
	"net/netip"
	"syscall"

	"github.com/corridor-go/corridor/errcodes"
)

// special are the ranges in IPv4 and 2000::/3 that are not public: the IANA
// special-purpose registries (RFC 6890), multicast, and a cloud's metadata service.
var special = prefixes(
	"0.0.0.0/8",        // this network (RFC 791)
	"10.0.0.0/8",       // private (RFC 1918)
	"100.64.0.0/10",    // carrier-grade NAT (RFC 6598)
	"127.0.0.0/8",      // loopback (RFC 1122)
	"168.63.129.16/32", // a public number, but Azure's agent on the host of the machine
	"169.254.0.0/16",   // link-local (RFC 3927), cloud metadata
	"172.16.0.0/12",    // private (RFC 1918)
	"192.0.0.0/24",     // protocol assignments (RFC 6890)
	"192.0.2.0/24",     // documentation (RFC 5737)
	"192.88.99.0/24",   // relays of 6to4, deprecated (RFC 7526)
	"192.168.0.0/16",   // private (RFC 1918)
	"198.18.0.0/15",    // benchmarks (RFC 2544)
	"198.51.100.0/24",  // documentation (RFC 5737)
	"203.0.113.0/24",   // documentation (RFC 5737)
	"224.0.0.0/4",      // multicast (RFC 5771)
	"240.0.0.0/4",      // reserved (RFC 1112), broadcast
	"2001::/23",        // protocol assignments (RFC 2928), Teredo, benchmarks, ORCHID
	"2001:db8::/32",    // documentation (RFC 3849)
	"2002::/16",        // 6to4, deprecated (RFC 7526); leads to any IPv4 address
	"3fff::/20",        // documentation (RFC 9637)
)

var (
	globalUnicast = netip.MustParsePrefix("2000::/3")     // all of IPv6 that IANA has allocated
	nat64         = netip.MustParsePrefix("64:ff9b::/96") // IPv4 addresses in a network without IPv4 (RFC 6052)
)

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, 0, len(texts))
	for _, text := range texts {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}

// isPublic reports whether addr can be reached from anywhere on the internet. An
// address with a zone is not public: netip finds it in no prefix.
func isPublic(addr netip.Addr) bool {
	addr = addr.Unmap()
	if nat64.Contains(addr) {
		bytes := addr.As16()
		addr = netip.AddrFrom4([4]byte(bytes[12:]))
	}
	if addr.Is6() && !globalUnicast.Contains(addr) {
		return false
	}
	for _, p := range special {
		if p.Contains(addr) {
			return false
		}
	}
	return addr.IsValid()
}

var errPrivate = errcodes.New(errcodes.Configuration, "the receiver's address is not public; AllowPrivate allows it")

// publicOnly is a net.Dialer's Control, which is called with each address to connect
// to, after the name was resolved: a later answer of the resolver cannot bypass it.
func publicOnly(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !isPublic(to.Addr()) {
		return errPrivate
	}
	return nil
}
