package httpserver

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Routes returns "METHOD /path" for each route of h; METHOD is empty if the route
// accepts all.
func Routes(h http.Handler) []string {
	var list []string
	for _, r := range h.(*server).routes() {
		list = append(list, r.method+" "+r.pattern)
	}
	return list
}

// Bearer parses Authorization headers.
var Bearer = bearer

// Remembered returns the number of buckets in h's limiter of clients.
func Remembered(h http.Handler) int { return len(h.(*server).perClient.buckets) }

// MaxLimited is the most buckets of a limiter.
const MaxLimited = maxLimited

// ClockSlack is how far readings of the clock may go back.
const ClockSlack = clockSlack

// Take takes one request out of the bucket of h's client.
func Take(h http.Handler, client string, now time.Time) error {
	return h.(*server).perClient.take(client, now)
}

// Spares is the number of connections that wait for a 503.
const Spares = spares

// Remembered returns what a server still knows of connections.
func (s *Server) Remembered() int {
	s.open.mu.Lock()
	defer s.open.mu.Unlock()
	return s.open.open.Len() + s.open.spare.Len() + s.open.busy.Len() + s.open.headers + len(s.open.addresses)
}

// LeastHeaders is what a request's headers count besides their bytes.
const LeastHeaders = leastHeaders

// MostHeaders is the number of bytes of incomplete headers.
const MostHeaders = mostHeaders

// Budget is the budget of bodies.
type Budget struct{ budget }

// NewBudget returns a budget of some bytes.
func NewBudget(most int64) *Budget {
	return &Budget{budget{most: most, gauge: prometheus.NewGauge(prometheus.GaugeOpts{})}}
}

// Held returns the bytes that all requests hold.
func (b *Budget) Held() int64 { return b.held }

// Charge returns the charge of a new request.
func (b *Budget) Charge(stranger bool, cut func()) *Charge {
	return &Charge{charge{budget: &b.budget, stranger: stranger, cut: cut}}
}

// Charge is what a request holds.
type Charge struct{ charge }

// Take charges bytes, and Release returns them.
func (c *Charge) Take(n int64) error { return c.take(n) }

// Release returns the bytes.
func (c *Charge) Release() { c.release() }
