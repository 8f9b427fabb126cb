package webhook

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/corridor-go/corridor/errcodes"
)

// checkURL reads the receiver's URL. Nothing of it stands in an error: somebody
// may have put a key into it.
func checkURL(text string, allowPrivate bool) (*url.URL, error) {
	target, err := url.Parse(text)
	switch {
	case err != nil, target.Opaque != "", target.Hostname() == "":
		return nil, badURL("must be an address such as https://shop.example/events")
	case target.Scheme != "https" && (target.Scheme != "http" || !allowPrivate):
		return nil, badURL("must be https; http is for AllowPrivate only")
	case target.User != nil:
		return nil, badURL("must have no user: the signature says who sends")
	case strings.Contains(text, "#"):
		return nil, badURL("must have no fragment")
	case !isPort(target.Port()):
		return nil, badURL("must have a port from 1 to 65535, or none")
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

// checkHost refuses early what would be refused at every connection, and ways to
// write an address that resolvers do not agree on, such as 127.1 or 0x7f000001.
func checkHost(host string, allowPrivate bool) error {
	if addr, err := netip.ParseAddr(host); err == nil {
		if !allowPrivate && !isPublic(addr) {
			return badURL("must have a public address; AllowPrivate allows others")
		}
		return nil
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	last := name[strings.LastIndexByte(name, '.')+1:]
	switch {
	case last == "localhost" && !allowPrivate:
		return badURL("must not be this machine, unless AllowPrivate allows it")
	case last == "" || last[0] >= '0' && last[0] <= '9':
		return badURL("must have a host that is a name or an IP address")
	default:
		return nil
	}
}

func badURL(must string) error {
	return errcodes.New(errcodes.Configuration, "the webhook's URL "+must)
}
