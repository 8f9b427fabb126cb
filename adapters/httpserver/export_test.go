package httpserver

import (
	"net/http"
	"time"
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
