package httpserver

import (
	"maps"
	"net/http"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/sync/singleflight"

	"github.com/corridor-go/corridor/adapters/httpserver/wire"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

const (
	tokenPath  = "/v1/auth/oauth2/token"
	revokePath = "/v1/auth/oauth2/revoke"
)

// ofTokens reports whether a path is one of the routes of tokens, which need no token and
// have errors of their own.
func ofTokens(path string) bool { return path == tokenPath || path == revokePath }

// route is a path with its method.
type route struct {
	method  string
	pattern string // for http.ServeMux, without the method
	serve   endpoint
}

// maxBody returns the longest body of the route's requests, in bytes.
func (r route) maxBody() int64 {
	if ofTokens(r.pattern) {
		return MaxTokenBody
	}
	return MaxBody
}

// probe reports whether the path is one that probes ask. They are never rejected: a
// flood of requests must not look like a broken process.
func probe(path string) bool { return path == "/livez" || path == "/readyz" }

// endpoint answers a request, or returns the error to answer with.
type endpoint func(*exchange, *http.Request) error

// ServeHTTP implements http.Handler, for the mux.
func (e endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x, ok := w.(*exchange)
	if !ok {
		panic("httpserver: the mux did not pass on the server's writer")
	}
	err := e(x, r)
	if err != nil && x.charge.lost() {
		err = errBusy // which is why it has failed
	}
	if err != nil {
		x.fail(err)
	}
}

// routes returns the routes in the order of the OpenAPI document.
func (s *server) routes() []route {
	docs := newDocs()
	list := []route{{http.MethodPost, tokenPath, s.issueToken}, {http.MethodPost, revokePath, s.revokeToken}}
	if locks := s.services.RateLocks; locks != nil {
		list = append(list,
			route{http.MethodPost, "/v1/rate-locks", s.createRateLock},
			route{http.MethodGet, "/v1/rate-locks/{rateLockId}", byID("rateLockId", locks.Get, wire.AppendRateLock)},
			route{http.MethodPost, "/v1/rate-locks/{rateLockId}/cancel", byID("rateLockId", locks.Cancel, wire.AppendRateLock)})
	}
	if validations := s.services.Validations; validations != nil {
		list = append(list,
			route{http.MethodPost, "/accounts/validate", s.validateAccount},
			route{http.MethodGet, "/accounts/validate/{id}", byID("id", validations.Get, wire.AppendValidation)})
	}
	if transactions := s.services.Transactions; transactions != nil {
		list = append(list, route{http.MethodGet, "/v1/payment/{transactionId}", byID("transactionId", transactions.Get, wire.AppendTransaction)})
	}
	if reports := s.services.Reports; reports != nil {
		list = append(list,
			route{http.MethodPost, "/v1/reports/transactions", createReport(reports.CreateTransactions)},
			route{http.MethodGet, "/v1/reports/transactions/{id}", s.getReport(ports.ReportTransactions, wire.AppendReport)},
			route{http.MethodPost, "/v1/reports/unmatched-settlements", createReport(reports.CreateUnmatched)},
			route{http.MethodGet, "/v1/reports/unmatched-settlements/{id}", s.getReport(ports.ReportUnmatched, wire.AppendUnmatched)},
			route{http.MethodGet, filesPath + "{token}", s.downloadReport})
	}
	return append(list,
		route{http.MethodGet, "/openapi.yaml", s.openAPI},
		route{http.MethodGet, "/docs", docs.page},
		route{http.MethodGet, "/docs/{asset}", docs.asset},
		route{http.MethodGet, "/livez", live},
		route{http.MethodGet, "/readyz", newReadiness(s.cfg).serve},
		route{http.MethodGet, "/metrics", shared(promhttp.HandlerFor(s.cfg.Metrics, promhttp.HandlerOpts{DisableCompression: true}))},
		route{"", "/verification/mobile", replaced},
		route{"", "/verification/bank-account", replaced})
}

// endpoint adds to a route the limit on addresses, for requests without a valid token, and
// the check of the method. A route without a method accepts all.
func (s *server) endpoint(r route) endpoint {
	return func(x *exchange, req *http.Request) error {
		if x.route = r.pattern; ofTokens(r.pattern) {
			x.answerAsTokens()
		}
		x.maxBody = r.maxBody()
		if err := s.limit(x, req); err != nil {
			return err
		}
		s.hold(x)
		if r.method != "" && req.Method != r.method {
			x.Header().Set("Allow", r.method)
			return errcodes.New(errcodes.MethodNotAllowed, "")
		}
		return r.serve(x, req)
	}
}

// shared serves a route with a handler of another package. Concurrent requests share one
// answer, which is charged to each, because a client that reads it slowly keeps it in
// memory.
func shared(h http.Handler) endpoint {
	var flights singleflight.Group
	return func(x *exchange, r *http.Request) error {
		v, _, _ := flights.Do("", func() (any, error) {
			return capture(h, &http.Request{Method: http.MethodGet, URL: r.URL, Header: http.Header{}}), nil
		})
		answer := v.(*captured) //nolint:forcetypeassert // nothing else is returned
		if err := x.charge.take(int64(len(answer.body))); err != nil {
			return err
		}
		answer.replay(x)
		return nil
	}
}

// captured is an answer in memory.
type captured struct {
	status int
	header http.Header
	body   []byte
}

// capture returns the answer of a handler.
func capture(h http.Handler, r *http.Request) *captured {
	c := &captured{status: http.StatusOK, header: http.Header{}}
	h.ServeHTTP(c, r)
	return c
}

// Header implements http.ResponseWriter.
func (c *captured) Header() http.Header { return c.header }

// WriteHeader implements http.ResponseWriter.
func (c *captured) WriteHeader(status int) { c.status = status }

// Write implements http.ResponseWriter.
func (c *captured) Write(p []byte) (int, error) {
	c.body = append(c.body, p...)
	return len(p), nil
}

// replay writes the answer.
func (c *captured) replay(x *exchange) {
	maps.Copy(x.Header(), c.header)
	x.WriteHeader(c.status)
	_, _ = x.Write(c.body)
}

// replaced answers the deprecated verification routes (SPEC 9).
func replaced(*exchange, *http.Request) error {
	return errcodes.New(errcodes.NotFound, "This endpoint was replaced by POST /accounts/validate")
}
