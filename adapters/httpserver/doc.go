// Package httpserver serves the library's services over the wire interface of SPEC.md,
// as one http.Handler to serve or to mount:
//
//	handler, err := httpserver.New(auth, httpserver.Services{RateLocks: locks}, nil)
//	if err != nil {
//		return err
//	}
//	server, err := httpserver.NewServer(handler, nil)
//	if err != nil {
//		return err
//	}
//	return server.Serve(listener)
//
// To mount it below a prefix of another mux, with links that have the prefix:
//
//	handler, err := httpserver.New(auth, services, &httpserver.Config{PublicURL: "https://pay.example/fx"})
//	…
//	mux.Handle("/fx/", http.StripPrefix("/fx", handler)) // /fx/v1/rate-locks, /fx/docs, /fx/readyz
//
// The package has no business rules: it authenticates, parses a body, calls one
// service, and writes the result. The OpenAPI document describes the routes, their
// bodies and each status. The handler serves it at /openapi.yaml, and as a page at
// /docs.
//
// # Every answer
//
// Every answer has an x-trace-id header, also a 404, a 413 and the 500 of a panic. The
// outermost handler generates it; it is never taken from the request (SPEC 7.1). The
// only answers without one are net/http's own: 400 for malformed HTTP, 417 for an
// unknown Expect and 431 for headers above the limit. [TraceID] returns the id in a
// service's context, and [LogHandler] adds it to log records.
//
// # Order of the checks
//
// Below /v1 and /accounts: 401, then 429, then 404, 405, and only then the body:
// form Content-Type (400), size (413), JSON (400). Elsewhere the 429 of the address is
// first.
//
// # Limits
//
// Requests are limited by client if they have a valid token, and by address otherwise.
// All unfinished requests share a bound on memory ([Config].MaxBodyMemory),
// and [NewServer] bounds the connections. At a bound, the oldest without a valid token
// makes room. The connection of a request without a valid token is closed after the
// answer. /livez and /readyz are never rejected.
//
// # Logs, metrics and errors
//
// Logs and metrics contain the route's pattern, never the path, a header or a body.
// Callers only see an error's public message; the log has the cause.
package httpserver
