package webhook_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"io"
	"net"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/adapters/webhook"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// rejected contains the ends of each range, and other notations of some of them.
var rejected = map[string][]string{
	"unspecified":             {"0.0.0.0", "::", "0.255.255.255"},
	"private":                 {"10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255"},
	"carrier-grade NAT":       {"100.64.0.0", "100.100.100.200", "100.127.255.255"},
	"loopback":                {"127.0.0.0", "127.0.0.1", "127.255.255.255", "::1"},
	"link-local":              {"169.254.0.0", "169.254.169.254", "169.254.255.255", "fe80::1", "fe80::1%eth0", "2606:4700:4700::1111%eth0", "febf::1"},
	"a cloud's host":          {"168.63.129.16"},
	"protocol assignments":    {"192.0.0.0", "192.0.0.192", "192.0.0.255", "2001::", "2001:1ff:ffff::"},
	"documentation":           {"192.0.2.0", "192.0.2.255", "198.51.100.0", "198.51.100.255", "203.0.113.0", "203.0.113.255", "2001:db8::1", "2001:db8:ffff::1", "3fff::1", "3fff:fff::1"},
	"benchmarks":              {"198.18.0.0", "198.19.255.255", "2001:2::1"},
	"multicast":               {"224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1"},
	"reserved":                {"240.0.0.0", "255.255.255.255", "4000::1", "8000::1", "5f00::1", "100::1"},
	"unique local":            {"fc00::1", "fd00:ec2::254", "fdff::1"},
	"site-local":              {"fec0::1"},
	"6to4":                    {"192.88.99.1", "2002::1", "2002:7f00:1::1", "2002:a00:1::", "2002:808:808::1"},
	"Teredo":                  {"2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2"},
	"IPv4 in IPv6":            {"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:0:0", "::127.0.0.1", "::8.8.8.8", "::ffff:0:8.8.8.8"},
	"NAT64":                   {"64:ff9b::127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b::169.254.169.254", "64:ff9b::100.64.0.1", "64:ff9b::", "64:ff9b::168.63.129.16"},
	"local NAT64":             {"64:ff9b:1::1", "64:ff9b:1::808:808", "64:ff9b::1:808:808"},
	"unallocated addresses":   {"1fff:ffff::1", "200::1", "400::1"},
	"a local address in IPv6": {"fe80::ffff:8.8.8.8"},
}

// allowed contains the neighbours of the ranges.
var allowed = []string{
	"1.0.0.0", "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "93.184.216.34", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
	"168.63.129.15", "168.63.129.17", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.3.0",
	"192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0", "203.0.112.255",
	"203.0.114.0", "223.255.255.255", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2000::1", "2001:200::1", "2001:db7::1", "2001:db9::1", "2003::1",
	"2606:4700:4700::1111", "2a00:1450::1", "3ffe::1", "3fff:1000::1",
}

func TestOnlyPublicAddressesAreAllowed(t *testing.T) {
	for name, list := range rejected {
		t.Run(name, func(t *testing.T) {
			for _, address := range list {
				err := webhook.PublicOnly(net.JoinHostPort(address, "443"))
				require.Equal(t, errcodes.Configuration, errcodes.Of(err), address)
				_, err = webhook.New("https://"+net.JoinHostPort(strings.ReplaceAll(address, "%", "%25"), "443")+"/", secretsOf(1), nil)
				require.ErrorContains(t, err, "AllowPrivate", address)
				require.Equal(t, errcodes.Configuration, errcodes.Of(err), address)
			}
		})
	}
	for _, address := range allowed {
		require.NoError(t, webhook.PublicOnly(net.JoinHostPort(address, "443")), address)
		sink, err := webhook.New("https://"+net.JoinHostPort(address, "443")+"/", secretsOf(1), nil)
		require.NoError(t, err, address)
		require.NoError(t, sink.Close())
	}
	require.Error(t, webhook.PublicOnly("not an address"))
	require.False(t, webhook.IsPublic(netip.Addr{}))
}

// The standard library knows fewer ranges; the guard must reject those, in each
// notation of an IPv4 address.
func TestTheGuardRejectsAllThatIsPrivateInTheStandardLibrary(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var bytes [16]byte
		copy(bytes[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(rt, "address"))
		bytes[0] = rapid.SampledFrom([]byte{bytes[0], 0, 10, 127, 169, 172, 192, 0x20, 0xfc, 0xfe, 0xff}).Draw(rt, "first")
		bytes[1] = rapid.SampledFrom([]byte{bytes[1], 168, 254, 16, 0x80}).Draw(rt, "second")
		public := func(a netip.Addr) bool { return webhook.PublicOnly(netip.AddrPortFrom(a, 443).String()) == nil }
		four := netip.AddrFrom4([4]byte(bytes[:4]))
		for _, a := range []netip.Addr{four, netip.AddrFrom16(bytes)} {
			if !a.IsGlobalUnicast() || a.IsPrivate() {
				require.False(rt, public(a), a)
			}
		}
		translated := netip.MustParseAddr("64:ff9b::").As16()
		copy(translated[12:], bytes[:4])
		require.Equal(rt, public(four), public(netip.AddrFrom16(four.As16())), four)
		require.Equal(rt, public(four), public(netip.AddrFrom16(translated)), four)
	})
}

// names is a resolver that answers each query for an IPv4 address with the next of
// answers, and repeats the last one.
func names(answers ...string) *net.Resolver {
	var mu sync.Mutex
	next := func() [4]byte {
		mu.Lock()
		defer mu.Unlock()
		a := netip.MustParseAddr(answers[0]).As4()
		answers = answers[min(1, len(answers)-1):]
		return a
	}
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer theirs.Close()
			for err := error(nil); err == nil; {
				err = answerName(theirs, next)
			}
		}()
		return ours, nil
	}}
}

// answerName answers one query of RFC 1035 over TCP.
func answerName(c net.Conn, next func() [4]byte) error {
	var size [2]byte
	if _, err := io.ReadFull(c, size[:]); err != nil {
		return err
	}
	question := make([]byte, binary.BigEndian.Uint16(size[:]))
	if _, err := io.ReadFull(c, question); err != nil {
		return err
	}
	end := 12
	for question[end] != 0 {
		end += int(question[end]) + 1
	}
	end += 5
	answer := append([]byte{question[0], question[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, question[12:end]...)
	if question[end-3] == 1 {
		answer[7] = 1
		a := next()
		answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, a[0], a[1], a[2], a[3])
	}
	_, err := c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...))
	return err
}

func TestDNSRebindingReachesNothing(t *testing.T) {
	s := &shop{}
	var connections atomic.Int64
	server := httptest.NewUnstartedServer(s)
	server.Listener = counted{server.Listener, &connections}
	server.StartTLS()
	defer server.Close()
	at, err := url.Parse(server.URL)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())

	for _, allow := range []bool{false, true} {
		resolver := names("93.184.216.34", "127.0.0.1")
		first, err := resolver.LookupNetIP(t.Context(), "ip4", "example.com")
		require.NoError(t, err)
		require.NoError(t, webhook.PublicOnly(netip.AddrPortFrom(first[0], 443).String()), "the first look-up returns a public address")

		cfg := &webhook.Config{AllowPrivate: allow, TLS: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
		sink := newSink(t, "https://example.com:"+at.Port()+"/hidden-path", cfg)
		sink.SetResolver(resolver)
		err = deliver(t, sink)
		if allow {
			require.NoError(t, err, "with AllowPrivate the delivery succeeds")
			require.Len(t, s.received(), 1)
			continue
		}
		require.Equal(t, errcodes.Configuration, errcodes.Of(err))
		require.ErrorContains(t, err, "not public")
		require.True(t, errcodes.CategoryOf(errcodes.StatusOf(err)).Retry)
		silent(t, err)
		require.Zero(t, connections.Load())
	}
}

func TestAnUnknownNameIsUnavailable(t *testing.T) {
	sink := newSink(t, "https://example.com/", nil)
	sink.SetResolver(&net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, net.ErrClosed
	}})
	err := deliver(t, sink)
	require.Equal(t, errcodes.Unavailable, errcodes.Of(err))
	require.ErrorContains(t, err, "cannot be resolved")
	require.NotContains(t, err.Error(), "example.com")
}

func TestTheLookUpOfANameEndsWithTheAttempt(t *testing.T) {
	t.Parallel()
	sink := newSink(t, "https://example.com/", &webhook.Config{Timeout: time.Second})
	begun, ends := make(chan struct{}, 100), make(chan error, 100)
	sink.SetResolver(&net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		begun <- struct{}{}
		<-ctx.Done()
		ends <- ctx.Err()
		return nil, ctx.Err()
	}})
	for looking := false; !looking; { // on a busy machine a look-up may not begin in time
		require.Equal(t, errcodes.DeadlineExceeded, errcodes.Of(deliver(t, sink)))
		select {
		case <-begun:
			looking = true
		default:
		}
	}
	require.ErrorIs(t, <-ends, context.Canceled, "not by the resolver's own 5 s")
}

func deliver(t *testing.T, sink ports.EventSink) error {
	t.Helper()
	return sink.Deliver(t.Context(), event("event-1", "lock-1"))
}

// counted counts the connections of a listener.
type counted struct {
	net.Listener
	n *atomic.Int64
}

func (l counted) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		l.n.Add(1)
	}
	return c, err
}
