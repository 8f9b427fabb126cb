package httpserver

import (
	"container/list"
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

// budget bounds the bytes of bodies and answers that unfinished requests hold in memory.
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
	stranger bool // it has no valid token
	// cut ends the reading of the body, or the work after it, and soon the writing of the
	// answer. It is called with the budget locked.
	cut func()

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

// lost reports whether the request has lost its bytes. A nil charge has none to lose.
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

// hold begins to charge a request.
func (s *server) hold(x *exchange) {
	connection := http.NewResponseController(x.ResponseWriter)
	x.charge = &charge{budget: s.budget, stranger: !x.known, cut: func() {
		// Some writers have no deadlines; such a request ends with its next byte. After the
		// body net/http watches the connection, and the deadline cancels the request, and all
		// later ones of the connection: a stranger's has none.
		_ = connection.SetReadDeadline(time.Unix(1, 0))
		_ = connection.SetWriteDeadline(ports.SystemClock().Now().Add(stallTimeout)) // time for a 503
	}}
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

func (x *exchange) charged(r *http.Request) *charged {
	b := &charged{body: r.Body, charge: x.charge}
	if connectionOf(r) != nil { // the deadlines of other servers are not ours to change
		b.connection, b.last = http.NewResponseController(x.ResponseWriter), ports.SystemClock().Now().Add(readTimeout)
	}
	return b
}

func (b *charged) Read(p []byte) (int, error) {
	if err := b.charge.unless(b.wait); err != nil {
		return 0, err
	}
	n, err := b.body.Read(p)
	if full := b.charge.take(int64(n)); full != nil {
		if err == nil && b.connection != nil {
			_ = b.connection.SetReadDeadline(time.Unix(1, 0)) // net/http would wait for the rest before it answers
		}
		return 0, full
	}
	return n, err
}

// wait sets the read deadline. At the end of the body net/http removes it.
func (b *charged) wait() {
	if b.connection == nil {
		return
	}
	deadline := ports.SystemClock().Now().Add(stallTimeout)
	if deadline.After(b.last) {
		deadline = b.last
	}
	_ = b.connection.SetReadDeadline(deadline)
}
