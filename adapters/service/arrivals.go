package service

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	arrivalEvery   = 5 * time.Millisecond
	arrivalTimeout = 500 * time.Millisecond // longest wait for the first request of a new connection
)

// arrivals are the connections whose first request no handler has received yet. After
// Shutdown has begun, net/http closes such connections without a response.
type arrivals struct{ waiting sync.Map }

type arrivalKey struct{}

// watch follows the connections of a server that does not serve yet.
func (a *arrivals) watch(server *http.Server) {
	handler, connected, changed := server.Handler, server.ConnContext, server.ConnState
	server.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		a.waiting.Store(conn, true)
		return context.WithValue(connected(ctx, conn), arrivalKey{}, conn)
	}
	server.ConnState = func(conn net.Conn, state http.ConnState) {
		changed(conn, state)
		if state == http.StateClosed {
			a.waiting.Delete(conn)
		}
	}
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.waiting.Delete(r.Context().Value(arrivalKey{}))
		handler.ServeHTTP(w, r)
	})
}

// heard waits until handlers have received these requests. The server must accept no
// more connections.
func (a *arrivals) heard() {
	late := time.After(arrivalTimeout)
	for a.some() {
		select {
		case <-late:
			return
		case <-time.After(arrivalEvery):
		}
	}
}

func (a *arrivals) some() (waiting bool) {
	a.waiting.Range(func(any, any) bool {
		waiting = true
		return false
	})
	return waiting
}
