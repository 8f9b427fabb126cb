package httpserver

import (
	_ "embed"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/swaggest/swgui"
	"github.com/swaggest/swgui/v5emb"
)

//go:embed openapi.yaml
var openAPIDocument []byte

// described returns the document without the paths that no route has. A path is a key
// with an indent of two spaces; no other line with that indent starts with a slash.
func described(routes []route) []byte {
	there := make(map[string]bool, len(routes))
	for _, r := range routes {
		there[r.pattern] = true
	}
	var kept []byte
	keep := true
	for line := range strings.Lines(string(openAPIDocument)) {
		if path, ok := strings.CutPrefix(line, "  /"); ok {
			keep = there["/"+strings.TrimSuffix(path, ":\n")]
		} else if line[0] != ' ' && line[0] != '\n' {
			keep = true
		}
		if keep {
			kept = append(kept, line...)
		}
	}
	return kept
}

func (s *server) openAPI(x *exchange, _ *http.Request) error {
	x.Header().Set("Content-Type", "application/yaml")
	x.WriteHeader(http.StatusOK)
	_, _ = x.Write(s.document)
	return nil
}

// docsPolicy restricts the page to resources of this host.
const docsPolicy = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// docs is the page that renders the OpenAPI document. Its files stay in memory once they
// were asked for, so that clients who read slowly share them.
type docs struct {
	ui http.Handler

	mu    sync.Mutex
	files map[string]*captured // by path and encoding
}

// newDocs uses relative addresses in the page, so that the handler can be mounted below
// a prefix.
func newDocs() *docs {
	return &docs{files: map[string]*captured{}, ui: v5emb.NewHandlerWithConfig(swgui.Config{
		Title:            "corridor",
		SwaggerJSON:      "./../openapi.yaml",
		BasePath:         "docs/",
		InternalBasePath: "/docs/",
	})}
}

func (d *docs) page(x *exchange, r *http.Request) error {
	x.Header().Set("Content-Security-Policy", docsPolicy)
	return d.serve(x, r)
}

func (d *docs) asset(x *exchange, r *http.Request) error {
	switch r.PathValue("asset") {
	case "swagger-ui.css", "swagger-ui-bundle.js", "swagger-ui-standalone-preset.js",
		"favicon-16x16.png", "favicon-32x32.png":
		return d.serve(x, r)
	default:
		return notFound()
	}
}

func (d *docs) serve(x *exchange, r *http.Request) error {
	x.Header().Set("X-Content-Type-Options", "nosniff")
	file := d.file(r.URL.Path, strings.Contains(r.Header.Get("Accept-Encoding"), "gzip"))
	if tag := file.header.Get("Etag"); tag != "" && r.Header.Get("If-None-Match") == tag {
		x.Header().Set("Etag", tag)
		x.WriteHeader(http.StatusNotModified)
		return nil
	}
	file.replay(x)
	return nil
}

// file returns a file as the library serves it to a client that accepts gzip or not.
func (d *docs) file(path string, gzip bool) *captured {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := fmt.Sprint(path, gzip)
	if d.files[key] == nil {
		ask := &http.Request{Method: http.MethodGet, URL: &url.URL{Path: path}, Header: http.Header{}}
		if gzip {
			ask.Header.Set("Accept-Encoding", "gzip")
		}
		d.files[key] = capture(d.ui, ask)
	}
	return d.files[key]
}
