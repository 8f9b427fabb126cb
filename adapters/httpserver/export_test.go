package httpserver

import (
	"net/http"
	"time"
)

// Routes lists "METHOD /path" of each route of h; the method of a route that
// takes all is empty.
func Routes(h http.Handler) []string {
	var list []string
	for _, r := range h.(*server).routes() {
		list = append(list, r.method+" "+r.pattern)
	}
	return list
}

// Bearer reads Authorization headers.
var Bearer = bearer

// Remembered returns how many buckets the clients' limiter of h holds.
func Remembered(h http.Handler) int { return len(h.(*server).perClient.buckets) }

// MaxLimited bounds them.
const MaxLimited = maxLimited

// ClockSlack is how far a clock goes back without being set back.
const ClockSlack = clockSlack

// Take takes one request out of the bucket of a client of h.
func Take(h http.Handler, client string, now time.Time) error {
	return h.(*server).perClient.take(client, now)
}
