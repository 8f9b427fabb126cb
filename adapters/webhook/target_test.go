package webhook_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/webhook"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports/portstest"
)

func TestURLs(t *testing.T) {
	const never, private, always = 0, 1, 2
	for _, c := range []struct {
		name, url string
		taken     int
		text      string
	}{
		{"https", "https://hidden.example/events", always, ""},
		{"a port and a query", "https://hidden.example:8443/events?token=hidden", always, ""},
		{"no path", "https://hidden.example", always, ""},
		{"a name that is not ASCII", "https://caf\u00e9.example/", always, ""},
		{"a host in capital letters", "HTTPS://HIDDEN.EXAMPLE/", always, ""},
		{"a name with a trailing dot", "https://hidden.example./", always, ""},
		{"a public address", "https://1.1.1.1/", always, ""},
		{"http", "http://hidden.example/", private, "https"},
		{"a private address", "https://10.0.0.1/", private, "public"},
		{"cloud metadata", "https://169.254.169.254/latest", private, "public"},
		{"this machine's address", "https://[::1]:8443/", private, "public"},
		{"an IPv4 address in IPv6", "https://[::ffff:127.0.0.1]/", private, "public"},
		{"localhost", "https://localhost/", private, "this machine"},
		{"localhost in capital letters", "https://LocalHost:8443/", private, "this machine"},
		{"localhost with a dot", "https://localhost./", private, "this machine"},
		{"below localhost", "https://hidden.localhost/", private, "this machine"},
		{"nothing", "", never, "must be an address"},
		{"no scheme", "hidden.example/events", never, "must be an address"},
		{"no host", "https:///events", never, "must be an address"},
		{"only a port", "https://:443/events", never, "must be an address"},
		{"no slashes", "https:hidden.example", never, "must be an address"},
		{"a user", "https://hidden@hidden.example/", never, "user"},
		{"a user with a password", "https://hidden:hidden@hidden.example/", never, "user"},
		{"an empty user", "https://@hidden.example/", never, "user"},
		{"a fragment", "https://hidden.example/#hidden", never, "fragment"},
		{"an empty fragment", "https://hidden.example/#", never, "fragment"},
		{"another scheme", "ftp://hidden.example/", never, "https"},
		{"a file", "file://hidden.example/etc/passwd", never, "https"},
		{"a line break", "https://hidden.example/\r\nhidden: 1", never, "must be an address"},
		{"a broken escape", "https://hidden.example/%zz", never, "must be an address"},
		{"port 0", "https://hidden.example:0/", never, "port"},
		{"a port too high", "https://hidden.example:65536/", never, "port"},
		{"an address of two parts", "https://127.1/", never, "name or an IP"},
		{"an address as one number", "https://2130706433/", never, "name or an IP"},
		{"an address in hexadecimal", "https://0x7f000001/", never, "name or an IP"},
		{"an address in octal", "https://0177.0.0.1/", never, "name or an IP"},
		{"dots", "https://../", never, "name or an IP"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for allow, need := range map[bool]int{false: always, true: private} {
				sink, err := webhook.New(c.url, secretsOf(1), &webhook.Config{AllowPrivate: allow})
				if c.taken >= need {
					require.NoError(t, err, "AllowPrivate %v", allow)
					require.NoError(t, sink.Close())
					continue
				}
				require.Nil(t, sink)
				require.Equal(t, errcodes.Configuration, errcodes.Of(err), "AllowPrivate %v", allow)
				require.ErrorContains(t, err, c.text)
				require.NotContains(t, err.Error(), "hidden")
			}
		})
	}
}

func TestInvalidConfigurationsAreRejected(t *testing.T) {
	const address = "https://shop.example/"
	for name, try := range map[string]func() error{
		"no secret":         func() error { _, err := webhook.New(address, nil, nil); return err },
		"the zero secret":   func() error { _, err := webhook.New(address, make([]webhook.Secret, 1), nil); return err },
		"a repeated secret": func() error { _, err := webhook.New(address, secretsOf(1, 2, 1), nil); return err },
		"a nil clock": func() error {
			_, err := webhook.New(address, secretsOf(1), &webhook.Config{Clock: (*portstest.Clock)(nil)})
			return err
		},
		"a receiver with a nil clock": func() error { return receiver(&webhook.ReceiverConfig{Clock: (*portstest.Clock)(nil)}) },
		"a negative timeout":          func() error { _, err := webhook.New(address, secretsOf(1), &webhook.Config{Timeout: -1}); return err },
		"a negative GoneFor":          func() error { _, err := webhook.New(address, secretsOf(1), &webhook.Config{GoneFor: -1}); return err },
		"a receiver without a secret": func() error { _, err := webhook.NewReceiver(nil, nil); return err },
		"a negative tolerance":        func() error { return receiver(&webhook.ReceiverConfig{Tolerance: -1}) },
		"a negative MaxBody":          func() error { return receiver(&webhook.ReceiverConfig{MaxBody: -1}) },
		"a MaxBody that is too large": func() error { return receiver(&webhook.ReceiverConfig{MaxBody: webhook.MaxMaxBody + 1}) },
		"no secret to check":          func() error { _, err := webhook.Verify(nil, nil, nil, noon); return err },
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, errcodes.Configuration, errcodes.Of(try())) })
	}
}

func receiver(cfg *webhook.ReceiverConfig) error {
	_, err := webhook.NewReceiver(secretsOf(1), cfg)
	return err
}
