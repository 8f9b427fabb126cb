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

// UserAgent is the User-Agent of all requests.
const UserAgent = "corridor-webhook/1"

// Limits of the transport.
const (
	maxAnswer   = 64 << 10 // bytes of an answer's body and headers that are read
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
	pause     pause
	closed    atomic.Bool
}

var _ ports.EventSink = (*Sink)(nil)

// New returns a sink for the receiver at address. It signs with all of the secrets, and
// resolves the name at each connection. It returns [errcodes.Configuration] for
//
//   - an address that is not https (http is allowed with AllowPrivate) or has a user or a
//     fragment or, without AllowPrivate, is localhost or an IP address that is not public;
//   - no secret, a zero secret, or a repeated one;
//   - an invalid value in config.
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

// transport uses no proxy, which could connect anywhere for us, and does not decompress
// answers, which nobody reads. Dial and handshake have their own limits, since they may
// outlive the request.
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

// Close closes the connections: idle ones at once, the others when their delivery has
// ended. Deliver then returns [errcodes.Closed].
func (s *Sink) Close() error {
	s.closed.Store(true)
	s.transport.CloseIdleConnections()
	return nil
}

// Deliver posts the event once, and returns nil if the receiver answers 2xx. Its
// errors:
//
//   - ctx's own error, if ctx is done;
//   - [errcodes.InvalidRequest], not to be retried: the event's data is not JSON, or its id cannot
//     be in a header;
//   - [errcodes.NotFound], not to be retried: the receiver answers 410 Gone;
//   - [errcodes.TooManyRequests] for 429 and [errcodes.Unavailable] for 503, with the wait of
//     Retry-After, at most [MaxRetryAfter];
//   - [errcodes.Unavailable]: another 5xx, or 408, or the receiver is unreachable, broke off, or its
//     TLS failed, or it is paused after a 410 (see Config.GoneFor) and no request was sent;
//   - [errcodes.DeadlineExceeded]: no answer within Config.Timeout;
//   - [errcodes.Configuration]: the receiver rejects the request (401, 403), or its address is not
//     public;
//   - [errcodes.MalformedAnswer]: any other status, including redirects;
//   - [errcodes.Closed]: after Close.
//
// The texts contain neither the URL nor anything of the answer except its status, which
// is also the [ports.DeliveryReason], for example "404 Not Found".
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
	if !s.pause.admits(now, s.cfg.GoneFor, e.Replayed()) {
		return errPaused
	}
	status, err := s.attempt(ctx, e.ID, now, body)
	ended := s.cfg.Clock.Now()
	s.pause.learn(status, ended, func(on bool) { s.cfg.Hooks.Paused(ctx, on) })
	s.cfg.Hooks.Attempted(ctx, e.Kind, status, ended.Sub(now), err)
	if s.closed.Load() {
		s.transport.CloseIdleConnections()
	}
	return err
}

// attempt sends one request and judges the answer by its status. Unlike a client, the
// transport follows no redirects and stores no cookies.
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

// drain reads the body, up to a limit, so that the connection can be reused; errors do
// not matter, since the status decides. After a 101 the body is the connection, which
// no timeout ends.
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
