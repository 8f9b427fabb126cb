package httpserver

import (
	"log/slog"
	"net/http"
	"time"
)

// ServerConfig tunes [NewServer]. The zero value, and nil, mean the defaults;
// each time-out may be up to an hour.
type ServerConfig struct {
	ReadHeaderTimeout time.Duration // to read the headers; 0: 5 s
	ReadTimeout       time.Duration // to read the whole request; 0: 15 s
	WriteTimeout      time.Duration // from the headers' end to the answer's; 0: 30 s
	IdleTimeout       time.Duration // between the requests of a connection; 0: 60 s
	MaxHeaderBytes    int           // of a request, above them 431; up to 1 MiB; 0: 16 KiB
	Logger            *slog.Logger  // told of broken connections; nil: none
}

// NewServer makes an http.Server for h, which is required, with limits fit for
// the open net, which those of net/http are not. A bad value in cfg is
// errcodes.Configuration.
func NewServer(h http.Handler, cfg *ServerConfig) (*http.Server, error) {
	if h == nil { // net/http would serve what is registered with it: pprof, for example
		return nil, badConfig("a handler is required")
	}
	var c ServerConfig
	if cfg != nil {
		c = *cfg
	}
	for _, t := range []struct {
		name  string
		value *time.Duration
		zero  time.Duration
	}{
		{"ReadHeaderTimeout", &c.ReadHeaderTimeout, 5 * time.Second},
		{"ReadTimeout", &c.ReadTimeout, 15 * time.Second},
		{"WriteTimeout", &c.WriteTimeout, 30 * time.Second},
		{"IdleTimeout", &c.IdleTimeout, time.Minute},
	} {
		if *t.value < 0 || *t.value > time.Hour {
			return nil, badConfig("%s must be from 0 to 1h", t.name)
		}
		if *t.value == 0 {
			*t.value = t.zero
		}
	}
	if c.MaxHeaderBytes < 0 || c.MaxHeaderBytes > 1<<20 {
		return nil, badConfig("MaxHeaderBytes must be from 0 to 1 MiB")
	}
	if c.MaxHeaderBytes == 0 {
		c.MaxHeaderBytes = 16 << 10
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
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
