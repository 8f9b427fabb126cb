package httpserver

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

const (
	// spares is the number of connections beyond the bounds that are only accepted to be
	// answered with 503.
	spares = 16
	// mostHeaders bounds the bytes of headers that are incomplete, of all connections
	// together. Parsed, the shortest headers take 30 times their bytes.
	mostHeaders = 1 << 20
)

// connections are the open connections of a server, and the bounds on them. A connection
// that exceeds a bound takes the place of the oldest one whose latest request had no valid
// token.
type connections struct {
	most, mostOfAddress int
	closed              func(bound string) // called for each connection that is closed at a bound

	mu        sync.Mutex
	open      list.List // of *connection, the oldest first
	spare     list.List // of *connection, the oldest first
	addresses map[string]int
	headers   int // bytes of incomplete headers, of connections that are not trusted
}

// connection is one connection of a server.
type connection struct {
	net.Conn

	all     *connections
	address string        // see subscriber
	place   *list.Element // nil after it has left
	over    bool          // it is a spare one: its requests are answered with 503
	headers int           // bytes that it has read since its last request began
	trusted atomic.Bool   // its latest request below the gate had a valid token
	serving atomic.Bool   // a request has begun and not ended: what is read is its body
}

type connectionKey struct{}

// connectionOf returns the connection of a request, or nil if it did not come through a
// [Server].
func connectionOf(r *http.Request) *connection {
	c, _ := r.Context().Value(connectionKey{}).(*connection)
	return c
}

// bounded is a listener whose connections are counted.
type bounded struct {
	net.Listener

	all *connections
}

// Accept returns the next connection.
func (l bounded) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return l.all.arrive(conn), nil
}

// watch makes a server tell its connections when requests begin and end.
func (c *connections) watch(server *http.Server) {
	server.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		if inside, ok := conn.(interface{ NetConn() net.Conn }); ok { // TLS
			conn = inside.NetConn()
		}
		return context.WithValue(ctx, connectionKey{}, conn)
	}
	handler := server.Handler
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if known := connectionOf(r); known != nil {
			known.begin()
			defer known.serving.Store(false)
		}
		handler.ServeHTTP(w, r)
	})
}

func (c *connections) arrive(conn net.Conn) *connection {
	n := &connection{Conn: conn, all: c, address: subscriber(hostOf(conn.RemoteAddr().String()))}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.addresses[n.address] >= c.mostOfAddress {
		n.over = !c.makeRoom("connections of an address", func(o *connection) bool { return o.address == n.address })
	}
	if !n.over && c.open.Len() >= c.most {
		n.over = !c.makeRoom("connections", func(*connection) bool { return true })
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
func (c *connections) makeRoom(bound string, fits func(*connection) bool) bool {
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
	_ = o.Conn.Close() // the peer may have closed it first
}

func (c *connections) leave(o *connection) {
	if o.place == nil {
		return
	}
	if o.over {
		c.spare.Remove(o.place)
	} else {
		c.open.Remove(o.place)
		if c.addresses[o.address]--; c.addresses[o.address] == 0 {
			delete(c.addresses, o.address)
		}
	}
	o.place = nil
	c.headers -= o.headers
	o.headers = 0
}

// count returns the number of open connections.
func (c *connections) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open.Len() + c.spare.Len()
}

// Read counts what is read between requests, which are headers.
func (c *connection) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 && !c.serving.Load() && !c.trusted.Load() {
		c.read(n)
	}
	return n, err
}

func (c *connection) read(n int) {
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	if c.place == nil {
		return
	}
	c.headers += n
	c.all.headers += n
	for c.all.headers > mostHeaders {
		c.all.end(c.all.longest())
		c.all.closed("incomplete headers")
	}
}

// longest returns the connection with the most bytes of incomplete headers. Those of a
// client that does not attack are short.
func (c *connections) longest() (found *connection) {
	for _, list := range []*list.List{&c.open, &c.spare} {
		for e := list.Front(); e != nil; e = e.Next() {
			if o := e.Value.(*connection); found == nil || o.headers > found.headers { //nolint:forcetypeassert // the list contains nothing else
				found = o
			}
		}
	}
	return found
}

// begin ends the count of the headers of a request, which are complete. Those of a
// connection that was trusted are not counted.
func (c *connection) begin() {
	c.serving.Store(true)
	if c.trusted.Load() {
		return
	}
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	c.all.headers -= c.headers
	c.headers = 0
}

// Close closes the connection.
func (c *connection) Close() error {
	c.all.mu.Lock()
	c.all.leave(c)
	c.all.mu.Unlock()
	return c.Conn.Close()
}

// trust records whether the latest request of the connection had a valid token.
func (c *connection) trust(valid bool) {
	if c != nil && c.trusted.Load() != valid {
		c.trusted.Store(valid)
	}
}

// full reports whether the request came in beyond the bounds on connections.
func (c *connection) full() bool { return c != nil && c.over }
