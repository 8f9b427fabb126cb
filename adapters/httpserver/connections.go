package httpserver

import (
	"bytes"
	"container/list"
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/corridor-go/corridor/ports"
)

const (
	// spares is the number of connections beyond the bounds that are only accepted to be
	// answered with 503.
	spares = 16

	// mostHeaders bounds the bytes of headers of unfinished requests without a valid token,
	// of all connections together. Parsed, the shortest headers take 30 times their bytes.
	mostHeaders = 1 << 20
	// leastHeaders is what each such request counts besides, for buffers and stacks.
	leastHeaders = 512
	// shortHeaders is the length above which headers are longer than a client usually needs.
	shortHeaders = 1 << 10

	// mostLines is the number of lines of headers after which a connection ends. net/http
	// parses what has arrived, however many fields there are.
	mostLines = 256

	// restTimeout is how long an answer waits for the rest of a body that was not read.
	restTimeout = time.Second
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
	busy      list.List // of the open *connection with headers, in the order in which these began
	headers   int       // of the busy ones, in all
}

// connection is one connection of a server.
type connection struct {
	net.Conn

	all     *connections
	address string        // see subscriber
	plain   bool          // what it reads is not encrypted
	place   *list.Element // nil after it has left
	over    bool          // it is a spare one: its requests are answered with 503
	trusted atomic.Bool   // its latest request had a valid token
	serving atomic.Bool   // a request is in progress: what is read is its body

	hijacked atomic.Bool

	// headers is what an unfinished request without a valid token counts. It is counted from
	// its first byte until the connection is idle or the token turns out to be valid.
	headers int
	busy    *list.Element
	lines   atomic.Int32 // of the headers of the next request; several reads never run at once
}

var errTooManyLines = errors.New("a request has too many lines of headers")

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

	all   *connections
	plain bool
}

// Accept returns the next connection.
func (l bounded) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return l.all.arrive(conn, l.plain), nil
}

// underlying returns the connection of a conn of net/http, which with TLS is above it, or nil.
func underlying(conn net.Conn) *connection {
	if above, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = above.NetConn()
	}
	c, _ := conn.(*connection)
	return c
}

// watch makes a server tell its connections when requests begin and end.
func (c *connections) watch(server *http.Server) {
	server.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		return context.WithValue(ctx, connectionKey{}, underlying(conn))
	}
	handler := server.Handler
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		known := connectionOf(r)
		if known == nil {
			handler.ServeHTTP(w, r)
			return
		}
		known.serving.Store(true)
		handler.ServeHTTP(w, r)
		// Only if the connection ends: net/http may still watch it, and a deadline would cancel
		// its later requests.
		if r.ProtoMajor == 1 && !known.hijacked.Load() && w.Header().Get("Connection") == "close" {
			_ = known.SetReadDeadline(ports.SystemClock().Now().Add(restTimeout))
		}
	})
	server.ConnState = func(conn net.Conn, state http.ConnState) {
		known := underlying(conn)
		switch {
		case known == nil:
		case state == http.StateIdle: // the rest of the bodies was read, too
			known.serving.Store(false)
			known.lines.Store(0)
			known.forget()
		case state == http.StateHijacked:
			known.hijacked.Store(true)
			known.forget()
		}
	}
}

func (c *connections) arrive(conn net.Conn, plain bool) *connection {
	n := &connection{Conn: conn, all: c, plain: plain, address: subscriber(hostOf(conn.RemoteAddr().String()))}
	if bound := c.place(n); bound != "" {
		c.closed(bound)
	}
	return n
}

// place finds a place for a new connection. It returns the bound at which it has closed
// another one for it, or "".
func (c *connections) place(n *connection) (bound string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.addresses[n.address] >= c.mostOfAddress {
		bound = "connections of an address"
		n.over = !c.makeRoom(func(o *connection) bool { return o.address == n.address })
	}
	if !n.over && c.open.Len() >= c.most {
		bound = "connections"
		n.over = !c.makeRoom(func(*connection) bool { return true })
	}
	if !n.over {
		n.place = c.open.PushBack(n)
		c.addresses[n.address]++
		return bound
	}
	if c.spare.Len() >= spares {
		c.end(c.spare.Front().Value.(*connection)) //nolint:forcetypeassert // the list contains nothing else
	}
	n.place = c.spare.PushBack(n)
	return ""
}

// makeRoom closes the oldest connection without a valid token that fits, and reports
// whether there was one.
func (c *connections) makeRoom(fits func(*connection) bool) bool {
	for e := c.open.Front(); e != nil; e = e.Next() {
		if o := e.Value.(*connection); !o.trusted.Load() && fits(o) { //nolint:forcetypeassert // the list contains nothing else
			c.end(o)
			return true
		}
	}
	return false
}

// end closes a connection. Its handler, if it has one, ends by itself: it can neither
// read nor write any more.
func (c *connections) end(o *connection) {
	c.leave(o)
	go func() { _ = o.Conn.Close() }() // it may wait for TLS; the peer may have closed it first
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
	c.drop(o)
}

// drop ends the count of a connection's headers.
func (c *connections) drop(o *connection) {
	if o.busy != nil {
		c.busy.Remove(o.busy)
		c.headers -= o.headers
		o.busy, o.headers = nil, 0
	}
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
	if c.plain && !c.serving.Load() && c.lines.Add(int32(bytes.Count(p[:n], []byte("\n")))) > mostLines { //nolint:gosec // it is at most n
		return 0, errTooManyLines
	}
	if n > 0 && !c.serving.Load() && !c.trusted.Load() && !c.over {
		c.read(n)
	}
	return n, err
}

// read counts n bytes of headers, and closes connections if there are too many.
func (c *connection) read(n int) {
	closed := 0
	defer func() {
		for range closed {
			c.all.closed("headers")
		}
	}()
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	if c.place == nil { // it was closed meanwhile
		return
	}
	if c.busy == nil {
		c.busy = c.all.busy.PushBack(c)
		n += leastHeaders
	}
	c.headers += n
	c.all.headers += n
	for ; c.all.headers > mostHeaders; closed++ {
		c.all.end(c.all.heaviest())
	}
}

// heaviest returns the busy connection with the longest headers, or if all are short, the
// one that has been busy for the longest time.
func (c *connections) heaviest() (found *connection) {
	for e := c.busy.Front(); e != nil; e = e.Next() {
		if o := e.Value.(*connection); found == nil || o.headers > max(found.headers, leastHeaders+shortHeaders) { //nolint:forcetypeassert // the list contains nothing else
			found = o
		}
	}
	return found
}

// forget ends the count of the headers of a request.
func (c *connection) forget() {
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	c.all.drop(c)
}

// CloseWrite ends the answer. net/http uses it so that an answer arrives although not all of
// the request was read.
func (c *connection) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// Close closes the connection.
func (c *connection) Close() error {
	c.all.mu.Lock()
	c.all.leave(c)
	c.all.mu.Unlock()
	return c.Conn.Close()
}

// trust records whether the latest request of the connection has a valid token.
func (c *connection) trust(valid bool) {
	if c == nil || c.trusted.Load() == valid {
		return
	}
	c.trusted.Store(valid)
	if valid {
		c.forget()
	}
}

// full reports whether the request came in beyond the bounds on connections.
func (c *connection) full() bool { return c != nil && c.over }
