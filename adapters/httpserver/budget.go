package httpserver

import (
	"container/list"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// errBusy is the 503 of a request beyond a bound that all share.
var errBusy = errcodes.New(errcodes.Unavailable, "The service is busy; try again").WithRetryAfter(time.Second)

// budget bounds the bytes that unfinished requests hold in memory.
type budget struct {
	most  int64
	gauge prometheus.Gauge // shows held

	mu        sync.Mutex
	held      int64
	strangers list.List // of *charge: the requests without a valid token that hold bytes, the oldest first
}

// charge is what one request holds.
type charge struct {
	budget   *budget
	stranger bool   // it has no valid token
	cut      func() // ends a read that waits for the client, and soon a write

	bytes int64
	place *list.Element // of a stranger that holds bytes
	ended bool          // its bytes were given to others
}

// take charges n bytes. If the budget is full, the oldest strangers lose theirs, and
// their requests end. If that does not make room, or the request has lost its own, take
// returns errBusy.
func (c *charge) take(n int64) error {
	b := c.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	for !c.ended && b.held+n > b.most {
		oldest := b.strangers.Front()
		if oldest == nil {
			return errBusy
		}
		oldest.Value.(*charge).end() //nolint:forcetypeassert // the list contains nothing else
	}
	if c.ended {
		return errBusy
	}
	if c.stranger && c.place == nil {
		c.place = b.strangers.PushBack(c)
	}
	c.bytes += n
	b.hold(n)
	return nil
}

// hold adds n, which may be negative, to what all hold. The budget is locked.
func (b *budget) hold(n int64) {
	b.held += n
	b.gauge.Set(float64(b.held))
}

// end takes the bytes away from a request. The budget is locked.
func (c *charge) end() {
	c.drop()
	c.ended = true
	c.cut()
}

// drop returns the bytes. The budget is locked.
func (c *charge) drop() {
	c.budget.hold(-c.bytes)
	c.bytes = 0
	if c.place != nil {
		c.budget.strangers.Remove(c.place)
		c.place = nil
	}
}

// release returns the bytes at the end of the request. After it, cut is not called.
func (c *charge) release() {
	c.budget.mu.Lock()
	defer c.budget.mu.Unlock()
	c.drop()
	c.ended = true
}

// lost reports whether the request has lost its bytes.
func (c *charge) lost() bool { return c != nil && c.unless(func() {}) != nil }

// unless runs fn unless the request has lost its bytes. fn and cut never run at once.
func (c *charge) unless(fn func()) error {
	c.budget.mu.Lock()
	defer c.budget.mu.Unlock()
	if c.ended {
		return errBusy
	}
	fn()
	return nil
}

// stallTimeout is the longest pause in a body.
const stallTimeout = headerTimeout

// charged is a body whose bytes are charged, and which must make progress.
type charged struct {
	body       io.Reader
	charge     *charge
	connection *http.ResponseController // nil: there is no limit on pauses
	last       time.Time                // the latest deadline
}

// mostFields is the most header fields of a request. Parsed, many short ones take a
// multiple of their bytes.
const mostFields = 100

// hold begins to charge a request: first for its headers, which it keeps until the end.
// It returns [errcodes.InvalidRequest] if there are too many, and errBusy if there is no
// room for them.
func (s *server) hold(x *exchange, r *http.Request) error {
	if probe(r.URL.Path) {
		return nil
	}
	if len(r.Header) > mostFields {
		return errcodes.New(errcodes.InvalidRequest, fmt.Sprintf("The request has %d header fields, at most %d are allowed", len(r.Header), mostFields))
	}
	connection := http.NewResponseController(x.ResponseWriter)
	x.charge = &charge{budget: s.budget, stranger: x.client.ID == "", cut: func() {
		// Some writers have no deadlines; such a request ends with its next byte.
		_ = connection.SetReadDeadline(time.Unix(1, 0))
		_ = connection.SetWriteDeadline(ports.SystemClock().Now().Add(stallTimeout)) // time for a 503
	}}
	n := headerBytes(r.Header)
	if x.charge.stranger {
		n += strangerBytes
	}
	return x.charge.take(n)
}

// strangerBytes is what an unfinished request without a valid token counts besides its
// headers and body, for buffers and stacks. So the default budget has room for 2,000.
const strangerBytes = 32 << 10

// headerBytes returns about the memory that parsed headers take.
func headerBytes(h http.Header) (n int64) {
	const field = 128 // without its texts
	for name, values := range h {
		n += field + int64(len(name))
		for _, v := range values {
			n += field/4 + int64(len(v))
		}
	}
	return n
}

func (x *exchange) charged(r *http.Request) *charged {
	b := &charged{body: r.Body, charge: x.charge}
	if connectionOf(r) != nil { // the deadlines of other servers are not ours to change
		b.connection, b.last = http.NewResponseController(x.ResponseWriter), ports.SystemClock().Now().Add(readTimeout)
	}
	return b
}

func (b *charged) Read(p []byte) (int, error) {
	deadline := ports.SystemClock().Now().Add(stallTimeout)
	if deadline.After(b.last) {
		deadline = b.last
	}
	if err := b.until(deadline); err != nil {
		return 0, err
	}
	n, err := b.body.Read(p)
	if n > 0 {
		if full := b.charge.take(int64(n)); full != nil {
			b.charge.cut() // net/http would wait for the rest before it answers
			return 0, full
		}
	}
	if err != nil {
		// net/http watches the connection while the handler works; a deadline would end that.
		if full := b.until(time.Time{}); full != nil {
			err = full
		}
	}
	return n, err
}

// until sets the read deadline, unless the request has lost its bytes.
func (b *charged) until(deadline time.Time) error {
	return b.charge.unless(func() {
		if b.connection != nil {
			_ = b.connection.SetReadDeadline(deadline)
		}
	})
}
