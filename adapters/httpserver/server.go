package httpserver

import (
	"net/http"
	"path"
	"strings"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// New returns the handler of the wire interface. A nil auth, a service that is a nil
// pointer, a bad value in cfg, and metrics that are registered already are
// [errcodes.Configuration].
//
// The handler expects the paths of SPEC.md; mount it elsewhere with
// http.StripPrefix.
func New(auth Authenticator, services Services, cfg *Config) (http.Handler, error) {
	if isNil(auth) {
		return nil, badConfig("auth is required")
	}
	for _, service := range []any{services.RateLocks, services.Validations, services.Transactions, services.Reports} {
		if service != nil && isNil(service) {
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
	if c.RateLimit > 0 {
		s.perClient = newLimiter(c.RateLimit, c.RateBurst)
		s.perAddress = newLimiter(c.RateLimit, c.RateBurst)
	}
	routes := s.routes()
	s.document = described(routes)
	for _, r := range routes {
		s.mux.Handle(r.pattern, s.endpoint(r))
	}
	s.mux.Handle(unmatched, endpoint(func(*exchange, *http.Request) error { return notFound() }))
	return s, nil
}

type server struct {
	cfg        Config
	auth       Authenticator
	services   Services
	mux        *http.ServeMux
	document   []byte // of the routes that are there
	metrics    *metrics
	perClient  *limiter // nil: no limit
	perAddress *limiter
}

// unmatched is the mux's pattern for every path without a route.
const unmatched = "/"

// ServeHTTP is the outermost handler: whatever happens behind it, the answer
// has its trace id, and the request is logged and counted.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := s.begin(w, r)
	defer s.finish(x, r)
	defer x.recoverPanic()
	s.serve(x, r)
}

func (s *server) serve(x *exchange, r *http.Request) {
	clean := !unclean(r.URL.EscapedPath())
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
		x.fail(notFound())
		return
	}
	s.mux.ServeHTTP(x, r)
}

// unclean finds the paths that the mux would answer with a redirect, or with a
// body of its own. No route has such a path.
func unclean(p string) bool {
	return p == "" || p[0] != '/' || path.Clean(p) != p
}

// gated reports whether a path needs a token: all below /v1 and /accounts but
// the token route and the signed downloads. It is judged on the decoded path, as
// the mux does, and on what is left of it without dots; an encoded slash makes
// another path of the token route's.
func (s *server) gated(r *http.Request) bool {
	p := r.URL.Path
	if p == tokenPath || strings.HasPrefix(p, filesPath) {
		_, pattern := s.mux.Handler(r)
		return pattern != tokenPath && pattern != filesPath+"{token}"
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

// admit finds out whose request it is, and whether it comes too fast.
func (s *server) admit(x *exchange, r *http.Request) error {
	token, ok := bearer(r.Header["Authorization"])
	if !ok {
		return errcodes.New(errcodes.Unauthorized, "")
	}
	client, err := s.auth.Authenticate(x.ctx, token)
	if err != nil {
		return err
	}
	x.client = client
	x.ctx = ports.WithActor(x.ctx, ports.Actor{Client: client.ID, Address: s.cfg.RemoteAddr(r), Trace: x.trace})
	return s.perClient.take(client.ID, s.cfg.Clock.Now())
}

func notFound() error { return errcodes.New(errcodes.NotFound, "") }
