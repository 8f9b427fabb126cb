package webhook

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/corridor-go/corridor/errcodes"
)

// checkURL parses the receiver's URL. Its errors do not quote the URL, which may
// contain a key.
func checkURL(text string, allowPrivate bool) (*url.URL, error) {
	target, err := url.Parse(text)
	switch {
	case err != nil, target.Opaque != "", target.Hostname() == "":
		return nil, badURL("must be an address such as https://shop.example/events")
	case target.Scheme != "https" && (target.Scheme != "http" || !allowPrivate):
		return nil, badURL("must be https; http requires AllowPrivate")
	case target.User != nil:
		return nil, badURL("must have no user; signatures authenticate the sender")
	case strings.Contains(text, "#"):
		return nil, badURL("must have no fragment")
	case !isPort(target.Port()):
		return nil, badURL("must have no port, or one from 1 to 65535")
	}
	if err := checkHost(target.Hostname(), allowPrivate); err != nil {
		return nil, err
	}
	return target, nil
}

func isPort(port string) bool {
	if port == "" {
		return true
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0
}

// checkHost rejects early what each connection would reject, and forms of addresses
// that resolvers read differently, such as 127.1 or 0x7f000001.
func checkHost(host string, allowPrivate bool) error {
	if addr, err := netip.ParseAddr(host); err == nil {
		if !allowPrivate && !isPublic(addr) {
			return badURL("must have a public address; others require AllowPrivate")
		}
		return nil
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	last := name[strings.LastIndexByte(name, '.')+1:]
	switch {
	case last == "localhost" && !allowPrivate:
		return badURL("must not be this machine; that requires AllowPrivate")
	case last == "" || last[0] >= '0' && last[0] <= '9':
		return badURL("must have a host that is a name or an IP address")
	default:
		return nil
	}
}

func badURL(must string) error {
	return errcodes.New(errcodes.Configuration, "the webhook's URL "+must)
}
