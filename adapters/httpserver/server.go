package httpserver

import (
	"cmp"
	"fmt"
	"net/http"
	"path"
	"strings"

	"golang.org/x/time/rate"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// New returns the handler of the wire interface. It returns [errcodes.Configuration] if
// auth is nil, a service is a nil pointer, a value in cfg is invalid, or the metrics
// are already registered.
//
// The handler expects the paths of SPEC.md; use http.StripPrefix to mount it elsewhere.
func New(auth Authenticator, services Services, cfg *Config) (http.Handler, error) {
	if err := errcodes.NotNil("auth", auth); err != nil {
		return nil, err
	}
	for _, service := range []any{services.RateLocks, services.Validations, services.Transactions, services.Reports} {
		if service != nil && errcodes.NotNil("", service) != nil {
			return nil, badConfig("a service is a nil %T", service)
		}
	}
	c, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &server{cfg: c, auth: auth, services: services, mux: http.NewServeMux()}
	if s.metrics, err = newMetrics(c.Metrics); err != nil {
		return nil, err
	}
	s.lines, s.errors = rate.NewLimiter(10, 1000), rate.NewLimiter(10, 1000)
	s.budget = &budget{most: c.MaxBodyMemory, gauge: s.metrics.bodies}
	if c.RateLimit != NoLimit {
		s.perClient = newLimiter(c.RateLimit, c.RateBurst)
	}
	if c.AddressLimit != NoLimit {
		s.perAddress = newLimiter(c.AddressLimit, c.AddressBurst)
	}
	routes := s.routes()
	s.document = described(routes)
	for _, r := range routes {
		s.mux.Handle(r.pattern, s.endpoint(r))
	}
	s.mux.Handle(unmatched, s.endpoint(route{pattern: unmatched, serve: func(*exchange, *http.Request) error { return notFound() }}))
	return s, nil
}

type server struct {
	cfg        Config
	auth       Authenticator
	services   Services
	mux        *http.ServeMux
	document   []byte // of the existing routes
	metrics    *metrics
	perClient  *limiter // nil: no limit
	perAddress *limiter
	budget     *budget
	lines      *rate.Limiter // of the log, for strangers
	errors     *rate.Limiter // of the log at Error, for strangers
}

// unmatched is the mux's pattern for paths without a route.
const unmatched = "/"

// ServeHTTP is the outermost handler. It ensures that every answer has a trace id, and
// that every request is logged and counted.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := s.begin(w, r)
	defer s.finish(x, r)
	defer x.recoverPanic()
	s.serve(x, r)
}

func (s *server) serve(x *exchange, r *http.Request) {
	defer func() { connectionOf(r).trust(x.known) }()
	clean := !unclean(r.URL.EscapedPath())
	if connectionOf(r).full() && !probe(r.URL.Path) {
		x.reject(r, errBusy)
		return
	}
	if err := checkFields(r); err != nil {
		x.reject(r, err)
		return
	}
	if s.gated(r) {
		if err := s.admit(x, r); err != nil {
			if clean {
				_, x.route = s.mux.Handler(r)
			}
			x.fail(err)
			return
		}
	}
	if !clean {
		x.fail(cmp.Or(s.limit(x, r), notFound()))
		return
	}
	s.mux.ServeHTTP(x, r)
}

// mostFields is the most header fields of a request. Parsed, many short ones take a
// multiple of their bytes.
const mostFields = 100

// checkFields returns [errcodes.InvalidRequest] if a request has too many header fields.
func checkFields(r *http.Request) error {
	fields := 0
	for _, values := range r.Header {
		fields += len(values)
	}
	if fields > mostFields {
		return errcodes.New(errcodes.InvalidRequest, fmt.Sprintf("The request has %d header fields, at most %d are allowed", fields, mostFields))
	}
	return nil
}

// unclean reports whether the mux would answer the path itself, with a redirect for
// example. No route has such a path.
func unclean(p string) bool {
	return p == "" || p[0] != '/' || path.Clean(p) != p
}

// gated reports whether a path requires a token: all below /v1 and /accounts except the
// routes of tokens and the signed downloads. Like the mux, it uses the decoded path, and
// also the path without dots. The token route with an encoded slash is another path.
func (s *server) gated(r *http.Request) bool {
	p := r.URL.Path
	if ofTokens(p) || strings.HasPrefix(p, filesPath) {
		_, pattern := s.mux.Handler(r)
		return !ofTokens(pattern) && pattern != filesPath+"{token}"
	}
	return below(p) || below(path.Clean(p))
}

func below(p string) bool {
	for _, root := range [...]string{"/v1", "/accounts"} {
		if rest, ok := strings.CutPrefix(p, root); ok && (rest == "" || rest[0] == '/') {
			return true
		}
	}
	return false
}

// admitted records that the request has a valid token.
func (x *exchange) admitted(r *http.Request) {
	x.known = true
	x.Header().Del("Connection")
	connectionOf(r).trust(true)
}

// admit authenticates the client and checks its rate limit, or that of the address if
// there is no valid token.
func (s *server) admit(x *exchange, r *http.Request) error {
	client, err := s.authenticate(x, r)
	if errcodes.Of(err) == errcodes.Unauthorized {
		return cmp.Or(s.limitAddress(r), err)
	}
	if err != nil {
		return err
	}
	x.client = client
	x.admitted(r)
	x.ctx = ports.WithActor(x.ctx, ports.Actor{Client: client.ID, Address: s.cfg.RemoteAddr(r), Trace: x.trace})
	return s.perClient.take(client.ID, s.cfg.Clock.Now())
}

func (s *server) authenticate(x *exchange, r *http.Request) (ports.Client, error) {
	token, ok := bearer(r.Header["Authorization"])
	if !ok {
		return ports.Client{}, errcodes.New(errcodes.Unauthorized, "")
	}
	return s.auth.Authenticate(x.ctx, token)
}

// limit checks the rate limit of a request to a route that needs no token: that of the
// client if it has a valid one nevertheless, and else that of the address.
func (s *server) limit(x *exchange, r *http.Request) error {
	if x.known || probe(r.URL.Path) {
		return nil
	}
	if len(r.Header["Authorization"]) > 0 {
		if client, err := s.authenticate(x, r); err == nil {
			x.admitted(r)
			return s.perClient.take(client.ID, s.cfg.Clock.Now())
		}
	}
	return s.limitAddress(r)
}

func (s *server) limitAddress(r *http.Request) error {
	if s.perAddress == nil {
		return nil
	}
	return s.perAddress.take(subscriber(s.cfg.RemoteAddr(r)), s.cfg.Clock.Now())
}

func notFound() error { return errcodes.New(errcodes.NotFound, "") }
