package httpserver

import (
	"cmp"
	"log/slog"
	"net/http"
	"time"
)

// Defaults and bounds of [ServerConfig].
const (
	DefaultReadHeaderTimeout = 5 * time.Second
	DefaultReadTimeout       = 15 * time.Second
	DefaultWriteTimeout      = 30 * time.Second
	DefaultIdleTimeout       = time.Minute
	MaxServerTimeout         = time.Hour // of each of the four

	DefaultMaxHeaderBytes = 16 << 10
	MaxMaxHeaderBytes     = 1 << 20
)

// ServerConfig tunes [NewServer]. The zero value, and nil, mean the defaults;
// each timeout may be up to [MaxServerTimeout].
type ServerConfig struct {
	ReadHeaderTimeout time.Duration // to read the headers; 0: [DefaultReadHeaderTimeout]
	ReadTimeout       time.Duration // to read the whole request; 0: [DefaultReadTimeout]
	WriteTimeout      time.Duration // from the headers' end to the answer's; 0: [DefaultWriteTimeout]
	IdleTimeout       time.Duration // between the requests of a connection; 0: [DefaultIdleTimeout]
	MaxHeaderBytes    int           // of a request, above them 431; up to [MaxMaxHeaderBytes]; 0: [DefaultMaxHeaderBytes]
	Logger            *slog.Logger  // gets a line for each broken connection; nil: nothing is logged
}

func (c *ServerConfig) withDefaults() (ServerConfig, error) {
	f := *cmp.Or(c, &ServerConfig{})
	f.ReadHeaderTimeout = cmp.Or(f.ReadHeaderTimeout, DefaultReadHeaderTimeout)
	f.ReadTimeout = cmp.Or(f.ReadTimeout, DefaultReadTimeout)
	f.WriteTimeout = cmp.Or(f.WriteTimeout, DefaultWriteTimeout)
	f.IdleTimeout = cmp.Or(f.IdleTimeout, DefaultIdleTimeout)
	f.MaxHeaderBytes = cmp.Or(f.MaxHeaderBytes, DefaultMaxHeaderBytes)
	f.Logger = cmp.Or(f.Logger, slog.New(slog.DiscardHandler))
	return f, cmp.Or(
		within("ReadHeaderTimeout", f.ReadHeaderTimeout, 1, MaxServerTimeout),
		within("ReadTimeout", f.ReadTimeout, 1, MaxServerTimeout),
		within("WriteTimeout", f.WriteTimeout, 1, MaxServerTimeout),
		within("IdleTimeout", f.IdleTimeout, 1, MaxServerTimeout),
		within("MaxHeaderBytes", f.MaxHeaderBytes, 1, MaxMaxHeaderBytes),
	)
}

// NewServer returns an http.Server for h, with limits fit for the open net, which
// those of net/http are not. A nil h, and a bad value in cfg, are
// [errcodes.Configuration].
func NewServer(h http.Handler, cfg *ServerConfig) (*http.Server, error) {
	if isNil(h) { // net/http would serve what is registered with it: pprof, for example
		return nil, badConfig("a handler is required")
	}
	c, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: c.ReadHeaderTimeout,
		ReadTimeout:       c.ReadTimeout,
		WriteTimeout:      c.WriteTimeout,
		IdleTimeout:       c.IdleTimeout,
		MaxHeaderBytes:    c.MaxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(c.Logger.Handler(), slog.LevelWarn),
		// Else net/http would answer "OPTIONS *" itself, without a trace id.
		DisableGeneralOptionsHandler: true,
	}, nil
}
