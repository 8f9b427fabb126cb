package httpserver

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/corridor-go/corridor/adapters/httpserver/wire"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// exchange is one request: the writer for handlers, and what is needed at the end for
// the log and the metrics.
type exchange struct {
	http.ResponseWriter
	server     *server
	trace      string
	ctx        context.Context // the request's, with an actor and a deadline
	cancel     context.CancelFunc
	start      time.Time
	route      string       // the pattern that matched
	client     ports.Client // the authenticated one; on the token route only its id
	known      bool         // the request has a valid token, on whichever route
	tokenRoute bool         // the token or the revocation route, whose errors have their own envelope
	maxBody    int64        // of the route, in bytes
	charge     *charge      // what the request holds; nil before its route
	status     int          // 0 until the answer is started
	err        error        // the error that was answered
	stack      []byte       // of a recovered panic
}

// TraceID returns the x-trace-id of the request that ctx belongs to, or "".
func TraceID(ctx context.Context) string { return ports.ActorOf(ctx).Trace }

// traceHeader is x-trace-id in the form of http.Header.
const traceHeader = "X-Trace-Id"

func (s *server) begin(w http.ResponseWriter, r *http.Request) *exchange {
	trace := s.newTrace()
	w.Header()[traceHeader] = []string{trace}
	w.Header()["Connection"] = closes // until the request has a valid token
	s.metrics.inFlight.Inc()
	ctx, cancel := context.WithTimeout(r.Context(), s.cfg.RequestTimeout)
	return &exchange{
		ResponseWriter: w,
		server:         s,
		trace:          trace,
		ctx:            ports.WithActor(ctx, ports.Actor{Trace: trace}),
		cancel:         cancel,
		start:          s.cfg.Clock.Now(),
		route:          unmatched,
	}
}

// newTrace returns an id of 128 bits. If the configured random source fails, it uses
// crypto/rand, which never fails.
func (s *server) newTrace() string {
	var bits [16]byte
	if _, err := io.ReadFull(s.cfg.Random, bits[:]); err != nil {
		_, _ = rand.Read(bits[:])
	}
	var text [32]byte
	hex.Encode(text[:], bits[:])
	return string(text[:])
}

// WriteHeader starts the answer. It ignores further calls, which a library may make
// when the client is gone.
func (x *exchange) WriteHeader(status int) {
	if x.status != 0 {
		return
	}
	if status >= http.StatusOK {
		x.status = status
	}
	x.ResponseWriter.WriteHeader(status)
}

// Write starts the answer with 200 if it is not started yet.
func (x *exchange) Write(p []byte) (int, error) {
	if x.status == 0 {
		x.status = http.StatusOK
	}
	return x.ResponseWriter.Write(p) //nolint:gosec // an answer that repeats a request says that it is JSON
}

// Unwrap is for http.ResponseController.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

var jsonType = []string{"application/json"}

// json writes the whole answer. A failed write means that the client is gone.
func (x *exchange) json(status int, body []byte) {
	x.Header()["Content-Type"] = jsonType
	x.WriteHeader(status)
	_, _ = x.Write(body)
}

// closes closes a connection after the answer. A stranger needs a new connection for each
// request: many requests sent at once on one connection would cost the server more than
// the stranger, and leave parts of the next request in buffers that nobody counts.
var closes = []string{"close"}

// reject answers a request before its route is known.
func (x *exchange) reject(r *http.Request, err error) {
	if ofTokens(r.URL.Path) {
		x.answerAsTokens()
	}
	x.fail(err)
}

// answerAsTokens makes the answer one of the routes of tokens.
func (x *exchange) answerAsTokens() {
	x.tokenRoute = true
	x.Header().Set("Cache-Control", "no-store")
	x.Header().Set("Pragma", "no-cache")
}

// fail answers with err in the envelope of the route (I29).
func (x *exchange) fail(err error) {
	x.err = err
	if errors.Is(err, errBusy) {
		x.Header()["Connection"] = closes
	}
	status := errcodes.StatusOf(err)
	if wait := errcodes.RetryAfterOf(err); wait > 0 {
		x.Header().Set("Retry-After", strconv.FormatInt(wholeSeconds(wait), 10))
	}
	switch {
	case x.tokenRoute:
		x.json(status, wire.AppendTokenError(nil, err))
	case status == http.StatusUnauthorized:
		x.Header().Set("WWW-Authenticate", "Bearer")
		x.json(status, wire.AppendUnauthorized(nil))
	default:
		x.json(status, wire.AppendFlat(nil, err))
	}
}

// wholeSeconds rounds up, so that a Retry-After is never too early.
func wholeSeconds(d time.Duration) int64 { return int64(math.Ceil(d.Seconds())) }
