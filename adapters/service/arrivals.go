package service

import (
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	arrivalEvery   = 5 * time.Millisecond
	arrivalTimeout = 500 * time.Millisecond // who has not begun to ask by then does not ask now
)

// arrivals are the connections whose first request is still to be read. net/http
// closes them without an answer when that comes after Shutdown has begun.
type arrivals struct{ waiting sync.Map }

// changed is the server's ConnState.
func (a *arrivals) changed(conn net.Conn, state http.ConnState) {
	if state == http.StateNew {
		a.waiting.Store(conn, true)
	} else {
		a.waiting.Delete(conn)
	}
}

// heard waits until their requests are under way, which is a moment after they
// have been read. No more may be accepted.
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
