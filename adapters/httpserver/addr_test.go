package httpserver_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/corridor-go/corridor/adapters/httpserver"
)

func TestForwardedAddr(t *testing.T) {
	t.Parallel()
	const proxy = "10.0.0.1" // the connection's address
	for name, c := range map[string]struct {
		values []string
		want   string
	}{
		"one address":               {[]string{"203.0.113.7"}, "203.0.113.7"},
		"the last one of a list":    {[]string{"192.0.2.1, 198.51.100.2,203.0.113.7 "}, "203.0.113.7"},
		"the last one of two lines": {[]string{"192.0.2.1", "203.0.113.7"}, "203.0.113.7"},
		"with a port":               {[]string{"203.0.113.7:4711"}, "203.0.113.7"},
		"IPv6":                      {[]string{"2001:db8::1"}, "2001:db8::1"},
		"IPv6 in brackets":          {[]string{"[2001:db8::1]"}, "2001:db8::1"},
		"IPv6 with a port":          {[]string{"[2001:db8::1]:4711"}, "2001:db8::1"},
		"IPv4 mapped into IPv6":     {[]string{"::ffff:203.0.113.7"}, "203.0.113.7"},
		"no header":                 {nil, proxy},
		"an empty header":           {[]string{""}, proxy},
		"not an address":            {[]string{"unknown"}, proxy},
		"not an address after one":  {[]string{"203.0.113.7, _hidden"}, proxy},
		"a trailing comma":          {[]string{"203.0.113.7,"}, proxy},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(http.MethodPost, "/", http.NoBody)
			r.RemoteAddr = proxy + ":80"
			r.Header["X-Forwarded-For"] = c.values
			assert.Equal(t, c.want, httpserver.ForwardedAddr("x-forwarded-for")(r))
		})
	}
}
