package service

import (
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	arrivalEvery   = 5 * time.Millisecond
	arrivalTimeout = 500 * time.Millisecond // longest wait for the first request of a new connection
)

// arrivals are the connections whose first request has not been read yet. After Shutdown
// has begun, net/http closes such connections without a response.
type arrivals struct{ waiting sync.Map }

// changed is the ConnState callback of the server.
func (a *arrivals) changed(conn net.Conn, state http.ConnState) {
	if state == http.StateNew {
		a.waiting.Store(conn, true)
	} else {
		a.waiting.Delete(conn)
	}
}

// heard waits until the requests of these connections are being served, which is shortly
// after they have been read. The listener must be closed.
func (a *arrivals) heard() {
	late := time.After(arrivalTimeout)
	for quiet := 0; quiet < 2; quiet++ {
		select {
		case <-late:
			return
		case <-time.After(arrivalEvery):
		}
		a.waiting.Range(func(any, any) bool {
			quiet = -1
			return false
		})
	}
}
