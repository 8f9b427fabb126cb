// Package httpserver puts the library's services behind the wire interface of
// SPEC.md, as one http.Handler to serve or to mount:
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
// Below a prefix of the embedder's own mux, with links that have it, too:
//
//	handler, err := httpserver.New(auth, services, &httpserver.Config{PublicURL: "https://pay.example/fx"})
//	…
//	mux.Handle("/fx/", http.StripPrefix("/fx", handler)) // /fx/v1/rate-locks, /fx/docs, /fx/readyz
//
// It holds no rule of the business: it authenticates, reads a body, calls one
// service, and prints what that says. The routes, their bodies and each status
// are in the OpenAPI document, which the handler serves at /openapi.yaml and
// renders at /docs.
//
// # What every answer has
//
// An x-trace-id header, made new by the outermost handler and never taken from
// the request (SPEC 7.1), also on a 404, a 413 and the 500 of a panic. The only
// answers without one come from net/http itself, before any handler: 400 for
// what is no HTTP, 417 for an unknown Expect and 431 for headers above the
// limit. [TraceID] finds the id in a service's context, [LogHandler] puts it
// into log lines.
//
// # Order of the checks
//
// Below /v1 and /accounts: 401, then 429, then 404, 405, and only then the body:
// form Content-Type (400), size (413), JSON (400).
//
// # What leaves the process
//
// Logs and metrics carry the route's pattern, never the path, and no header and
// no body. Errors show a caller their public message only; the cause goes into
// the log.
package httpserver
