package httpserver

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/time/rate"

	"github.com/corridor-go/corridor/errcodes"
)

// Defaults and bounds of [ServerConfig].
const (
	DefaultMaxConnections        = 4096
	DefaultMaxAddressConnections = 256
	MaxMaxConnections            = 1_000_000
)

// The limits of [NewServer] on time and headers.
const (
	headerTimeout = 5 * time.Second
	readTimeout   = 15 * time.Second
	writeTimeout  = 30 * time.Second
	idleTimeout   = time.Minute
	maxHeader     = 4 << 10 // net/http adds 4 KiB
)

// ServerConfig tunes [NewServer]. The zero value, and nil, mean the defaults.
type ServerConfig struct {
	// Logger logs broken connections, and at most once a minute that connections are
	// closed at a bound. nil: nothing is logged.
	Logger *slog.Logger

	// Metrics receives the number of open connections, and of those closed at a bound.
	// nil: there are no such metrics.
	Metrics prometheus.Registerer

	// MaxConnections and MaxAddressConnections bound the open connections, in all and
	// from one address (for IPv6 one /64, which is one subscriber's), 1 to
	// [MaxMaxConnections]; 0: [DefaultMaxConnections] and [DefaultMaxAddressConnections].
	// At a bound, a new connection takes the place of the oldest one whose latest request
	// had no valid token. If all had one, the requests of the new one are answered with
	// 503, except /livez and /readyz.
	//
	// Behind a proxy all connections come from its address: set MaxAddressConnections to
	// MaxConnections.
	MaxConnections, MaxAddressConnections int
}

// Server is an http.Server with bounds on its connections.
type Server struct {
	*http.Server

	open *connections
}

// NewServer returns a server for h with limits for the open internet, which
// net/http does not set: the bounds of cfg on connections, 5 s to read the headers, of
// at most 8 KiB, 15 s to read the body, of which something must arrive every 5 s if a route needs it, 30 s
// from the headers to the end of the answer, and 1 min between the requests of a
// connection. If h has routes besides those of [New], their requests never have a valid
// token here, so that their connections are closed first. The fields of the http.Server may be changed before it serves;
// Handler, ConnContext and ConnState only so that they call what was there.
//
// It returns [errcodes.Configuration] if h is nil, a value in cfg is out of bounds, or
// the metrics are already registered.
func NewServer(h http.Handler, cfg *ServerConfig) (*Server, error) {
	c := *cmp.Or(cfg, &ServerConfig{})
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	c.MaxConnections = cmp.Or(c.MaxConnections, DefaultMaxConnections)
	c.MaxAddressConnections = cmp.Or(c.MaxAddressConnections, DefaultMaxAddressConnections)
	err := cmp.Or(
		errcodes.NotNil("handler", h), // net/http would serve its default mux, with pprof for example
		errcodes.Within("MaxConnections", c.MaxConnections, 1, MaxMaxConnections),
		errcodes.Within("MaxAddressConnections", c.MaxAddressConnections, 1, MaxMaxConnections),
	)
	if err != nil {
		return nil, err
	}
	open := &connections{most: c.MaxConnections, mostOfAddress: c.MaxAddressConnections, addresses: map[string]int{}}
	if open.closed, err = closedAtBound(open, &c); err != nil {
		return nil, err
	}
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(c.Logger.Handler(), slog.LevelWarn),
		// Without it net/http answers "OPTIONS *" itself, without a trace id.
		DisableGeneralOptionsHandler: true,
	}
	open.watch(server)
	return &Server{server, open}, nil
}

// Serve is that of http.Server.
func (s *Server) Serve(l net.Listener) error { return s.Server.Serve(bounded{l, s.open, true}) }

// ServeTLS is that of http.Server.
func (s *Server) ServeTLS(l net.Listener, certFile, keyFile string) error {
	return s.Server.ServeTLS(bounded{l, s.open, false}, certFile, keyFile)
}

// ListenAndServe listens on Addr and calls Serve.
func (s *Server) ListenAndServe() error {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", cmp.Or(s.Addr, ":http"))
	if err != nil {
		return err
	}
	return s.Serve(l)
}

// ListenAndServeTLS listens on Addr and calls ServeTLS.
func (s *Server) ListenAndServeTLS(certFile, keyFile string) error {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", cmp.Or(s.Addr, ":https"))
	if err != nil {
		return err
	}
	return s.ServeTLS(l, certFile, keyFile)
}

// closedAtBound returns the function that counts and logs connections closed at a bound.
func closedAtBound(open *connections, c *ServerConfig) (func(bound string), error) {
	closed := prometheus.NewCounter(prometheus.CounterOpts{
		Name: "corridor_http_connections_closed_total",
		Help: "Connections without a valid token that were closed at a bound to make room for others.",
	})
	count := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "corridor_http_connections", Help: "Open connections.",
	}, func() float64 { return float64(open.count()) })
	if c.Metrics != nil {
		for _, metric := range []prometheus.Collector{closed, count} {
			if err := c.Metrics.Register(metric); err != nil {
				return nil, errcodes.Wrap(errcodes.Configuration, "the server's metrics cannot be registered in Metrics", err)
			}
		}
	}
	line := rate.Sometimes{Interval: time.Minute}
	return func(bound string) {
		closed.Inc()
		line.Do(func() {
			c.Logger.Warn("connections without a valid token are closed to make room for others", slog.String("bound", bound))
		})
	}, nil
}
