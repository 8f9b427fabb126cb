package httpserver

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"io"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/corridor-go/corridor/adapters/httpserver/wire"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// exchange is one request on its way: the writer that handlers see, and what
// the log and the metrics want to know at the end.
type exchange struct {
	http.ResponseWriter
	server     *server
	trace      string
	ctx        context.Context // the request's, with its actor and its deadline
	cancel     context.CancelFunc
	start      time.Time
	route      string       // the pattern that matched
	client     ports.Client // the authenticated one; on the token route its id
	tokenRoute bool         // errors take the token route's envelope
	status     int          // 0 until the answer has begun
	err        error        // what the answer was made of
	stack      []byte       // of a panic
}

// TraceID returns the x-trace-id of the request that ctx belongs to, or "".
func TraceID(ctx context.Context) string { return ports.ActorOf(ctx).Trace }

// traceHeader is x-trace-id as http.Header spells it.
const traceHeader = "X-Trace-Id"

func (s *server) begin(w http.ResponseWriter, r *http.Request) *exchange {
	trace := s.newTrace()
	w.Header()[traceHeader] = []string{trace}
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

// newTrace makes an id of 128 bits. A source of chance that fails must not cost
// the answer its id: crypto/rand, which never fails, stands in.
func (s *server) newTrace() string {
	var bits [16]byte
	if _, err := io.ReadFull(s.cfg.Random, bits[:]); err != nil {
		_, _ = rand.Read(bits[:])
	}
	var text [32]byte
	hex.Encode(text[:], bits[:])
	return string(text[:])
}

// WriteHeader begins the answer. A second beginning, which a library may try
// when its reader has gone, is none.
func (x *exchange) WriteHeader(status int) {
	if x.status != 0 {
		return
	}
	if status >= http.StatusOK {
		x.status = status
	}
	x.ResponseWriter.WriteHeader(status)
}

// Write begins the answer with 200 if nothing else did.
func (x *exchange) Write(p []byte) (int, error) {
	if x.status == 0 {
		x.status = http.StatusOK
	}
	return x.ResponseWriter.Write(p)
}

// Unwrap serves http.ResponseController.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

var jsonType = []string{"application/json"}

// json writes the whole answer. What cannot be written has lost its reader.
func (x *exchange) json(status int, body []byte) {
	x.Header()["Content-Type"] = jsonType
	x.WriteHeader(status)
	_, _ = x.Write(body)
}

// fail answers with err in the envelope of its family (I29).
func (x *exchange) fail(err error) {
	x.err = err
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

// wholeSeconds rounds up: a Retry-After must not call a client back too early.
func wholeSeconds(d time.Duration) int64 { return int64(math.Ceil(d.Seconds())) }
