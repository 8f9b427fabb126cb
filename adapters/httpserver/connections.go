package httpserver

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// spares is the number of connections beyond the bounds that are only accepted to be
// answered with 503.
const spares = 16

// connections are the open connections of a server, and the bounds on their number. A
// connection beyond a bound takes the place of the oldest one whose latest request had
// no valid token.
type connections struct {
	most, mostOfAddress int
	closed              func(atMost int) // called for each connection that is closed at a bound

	mu        sync.Mutex
	known     map[net.Conn]*connection
	open      list.List // of *connection, the oldest first
	spare     list.List // of *connection, the oldest first
	addresses map[string]int
}

// connection is one connection of a server.
type connection struct {
	conn    net.Conn
	address string // see subscriber
	place   *list.Element
	over    bool        // it is a spare one: its requests are answered with 503
	trusted atomic.Bool // its latest request below the gate had a valid token
}

type connectionKey struct{}

// connectionOf returns the connection of a request, or nil if another server than that
// of NewServer has received it.
func connectionOf(r *http.Request) *connection {
	c, _ := r.Context().Value(connectionKey{}).(*connection)
	return c
}

// watch adds the bounds to a server that does not serve yet.
func (c *connections) watch(server *http.Server) {
	server.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.known[conn] = c.arrive(conn)
		return context.WithValue(ctx, connectionKey{}, c.known[conn])
	}
	server.ConnState = func(conn net.Conn, state http.ConnState) {
		if state != http.StateClosed && state != http.StateHijacked {
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if left := c.known[conn]; left != nil {
			c.leave(left)
		}
	}
}

func (c *connections) arrive(conn net.Conn) *connection {
	n := &connection{conn: conn, address: subscriber(hostOf(conn.RemoteAddr().String()))}
	if c.addresses[n.address] >= c.mostOfAddress {
		n.over = !c.makeRoom(c.mostOfAddress, func(o *connection) bool { return o.address == n.address })
	}
	if !n.over && c.open.Len() >= c.most {
		n.over = !c.makeRoom(c.most, func(*connection) bool { return true })
	}
	if !n.over {
		n.place = c.open.PushBack(n)
		c.addresses[n.address]++
		return n
	}
	if c.spare.Len() >= spares {
		c.end(c.spare.Front().Value.(*connection)) //nolint:forcetypeassert // the list contains nothing else
	}
	n.place = c.spare.PushBack(n)
	return n
}

// makeRoom closes the oldest connection without a valid token that fits, and reports
// whether there was one.
func (c *connections) makeRoom(bound int, fits func(*connection) bool) bool {
	for e := c.open.Front(); e != nil; e = e.Next() {
		if o := e.Value.(*connection); !o.trusted.Load() && fits(o) { //nolint:forcetypeassert // the list contains nothing else
			c.end(o)
			c.closed(bound)
			return true
		}
	}
	return false
}

// end closes a connection. Its handler, if it has one, ends by itself: it can neither
// read nor write any more.
func (c *connections) end(o *connection) {
	c.leave(o)
	_ = o.conn.Close() // the peer may have closed it first
}

func (c *connections) leave(o *connection) {
	delete(c.known, o.conn)
	if o.over {
		c.spare.Remove(o.place)
		return
	}
	c.open.Remove(o.place)
	if c.addresses[o.address]--; c.addresses[o.address] == 0 {
		delete(c.addresses, o.address)
	}
}

// count returns the number of open connections.
func (c *connections) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.known)
}

// trust records whether the latest request of the connection had a valid token.
func (c *connection) trust(valid bool) {
	if c != nil && c.trusted.Load() != valid {
		c.trusted.Store(valid)
	}
}

// full reports whether the request came in beyond the bounds on connections.
func (c *connection) full() bool { return c != nil && c.over }
