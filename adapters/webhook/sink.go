package webhook

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// UserAgent is how requests present themselves.
const UserAgent = "corridor-webhook/1"

// What the transport keeps and takes.
const (
	maxAnswer   = 64 << 10 // bytes of an answer that are read, and of its headers
	maxIdle     = 8        // connections
	idleTimeout = 90 * time.Second
)

// Sink is a [ports.EventSink] that posts events to one URL. It is safe for
// concurrent use.
type Sink struct {
	target    *url.URL
	secrets   []Secret
	cfg       Config
	dialer    *net.Dialer
	transport *http.Transport
	gone      atomic.Pointer[time.Time] // when the receiver last answered 410
	closed    atomic.Bool
}

var _ ports.EventSink = (*Sink)(nil)

// New returns a sink for the receiver at address. All of the secrets sign. The
// name is not looked up before the first delivery. These are
// [errcodes.Configuration]:
//
//   - an address that is not https (http too, with AllowPrivate), or has a user
//     or a fragment, or, without AllowPrivate, an IP address that is not public
//     or the name localhost;
//   - no secret, one that is none, or one twice;
//   - a bad value in config.
func New(address string, secrets []Secret, config *Config) (*Sink, error) {
	if err := check(secrets); err != nil {
		return nil, err
	}
	cfg, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	target, err := checkURL(address, cfg.AllowPrivate)
	if err != nil {
		return nil, err
	}
	dialer := &net.Dialer{Timeout: cfg.Timeout}
	if !cfg.AllowPrivate {
		dialer.Control = publicOnly
	}
	return &Sink{
		target:    target,
		secrets:   append([]Secret(nil), secrets...),
		cfg:       cfg,
		dialer:    dialer,
		transport: transport(&cfg, dialer),
	}, nil
}

// transport takes no proxy from the environment: one would connect on our
// behalf, to anywhere. Nor does it unpack answers that nobody reads. Dial and
// handshake have limits of their own, since they outlive the request.
func transport(cfg *Config, dialer *net.Dialer) *http.Transport {
	return &http.Transport{
		DialContext:            dialer.DialContext,
		TLSClientConfig:        cfg.tls(),
		TLSHandshakeTimeout:    cfg.Timeout,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxIdleConns:           maxIdle,
		MaxIdleConnsPerHost:    maxIdle,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxAnswer,
	}
}

// Close closes the connections: the idle ones at once, the others when their
// delivery has ended. A delivery after that is [errcodes.Closed].
func (s *Sink) Close() error {
	s.closed.Store(true)
	s.transport.CloseIdleConnections()
	return nil
}

// Deliver posts the event once. nil means that the receiver answered 2xx. Its
// errors:
//
//   - the context's own, when it has ended;
//   - [errcodes.InvalidRequest], not to be tried again: the event's data are not
//     JSON, or its id cannot be a header's value;
//   - [errcodes.NotFound], not to be tried again: the receiver answered 410 Gone,
//     now or less than Config.GoneFor ago;
//   - [errcodes.TooManyRequests] for 429, [errcodes.Unavailable] for 503, with
//     the wait of Retry-After, at most [MaxRetryAfter];
//   - [errcodes.Unavailable]: another 5xx, or 408, or the receiver was not
//     reached, or broke off, or its TLS failed;
//   - [errcodes.DeadlineExceeded]: no answer within Config.Timeout;
//   - [errcodes.Configuration]: it refuses the request (401, 403), or its name
//     leads to an address that is not public;
//   - [errcodes.MalformedAnswer]: any other status, redirects among them;
//   - [errcodes.Closed]: after Close.
//
// Their texts hold neither the URL nor any of the answer but its status.
func (s *Sink) Deliver(ctx context.Context, e ports.Event) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.closed.Load() {
		return errcodes.New(errcodes.Closed, "")
	}
	body, err := bodyOf(&e)
	if err != nil {
		return err
	}
	now := s.cfg.Clock.Now()
	if s.isGone(now) {
		return errGone
	}
	status, err := s.attempt(ctx, e.ID, now, body)
	s.cfg.Hooks.Attempted(ctx, e.Kind, status, s.cfg.Clock.Now().Sub(now), err)
	if s.closed.Load() {
		s.transport.CloseIdleConnections()
	}
	return err
}

// attempt sends one request and judges the answer by its status. The
// transport, unlike a client, follows no redirect and keeps no cookie.
func (s *Sink) attempt(ctx context.Context, id string, now time.Time, body []byte) (status int, err error) {
	within, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	request, err := s.request(within, id, now, body)
	if err != nil {
		return 0, err
	}
	answer, err := s.transport.RoundTrip(request)
	if err != nil {
		return 0, failure(ctx, err)
	}
	defer answer.Body.Close()
	err = s.judge(answer)
	drain(answer)
	return answer.StatusCode, err
}

// drain reads a body that ends to its end, so that the connection can be used
// again; the status has said all, whatever becomes of the body. What follows a
// 101 is the connection itself, which no timeout ends.
func drain(answer *http.Response) {
	if answer.StatusCode >= http.StatusOK {
		_, _ = io.CopyN(io.Discard, answer.Body, maxAnswer)
	}
}

func (s *Sink) request(ctx context.Context, id string, now time.Time, body []byte) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.target.String(), bytes.NewReader(body))
	if err != nil {
		return nil, errcodes.New(errcodes.Internal, "")
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", UserAgent)
	return request, sign(s.secrets, request.Header, id, now, body)
}

// isGone also ends when the clock jumps back behind the 410.
func (s *Sink) isGone(now time.Time) bool {
	at := s.gone.Load()
	if at == nil {
		return false
	}
	since := now.Sub(*at)
	return since >= 0 && since < s.cfg.GoneFor
}
