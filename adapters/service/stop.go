package service

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// A stop ends within 10 s. What requests do not use of their time is the background's,
// because a busy database needs a while to take jobs back.
const (
	drainTimeout = 7 * time.Second // for requests in flight
	stopTimeout  = 1500 * time.Millisecond
)

// serve serves until the stop, or until a background loop ends unexpectedly: a process
// that no longer expires locks or delivers events should be restarted.
func (s *Service) serve(stop <-chan struct{}, greet func()) error {
	served := make(chan error, 1)
	var arriving arrivals
	arriving.watch(s.server.Server)
	go func() { served <- s.server.Serve(s.listener) }()
	background := s.start()
	greet()

	var broken error
	select {
	case err := <-served:
		return errors.Join(err, background.stop(stopTimeout))
	case broken = <-background.broken:
	case <-stop:
	}
	s.log.Info("stopping: no new connections, requests in flight continue")
	began := time.Now()
	err := errors.Join(broken, s.listener.Close())
	ended := <-served
	arriving.heard()
	err = errors.Join(err, drain(s.server.Server))
	left := max(stopTimeout, drainTimeout+stopTimeout-time.Since(began))
	if !errors.Is(ended, net.ErrClosed) {
		err = errors.Join(err, ended)
	}
	return errors.Join(err, background.stop(left))
}

// drain waits for the requests in flight, then closes the remaining connections.
func drain(server *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("requests were cut off: %w", err), server.Close())
	}
	return nil
}
