package httpserver

import (
	_ "embed"
	"net/http"

	"github.com/swaggest/swgui"
	"github.com/swaggest/swgui/v5emb"
)

//go:embed openapi.yaml
var openAPIDocument []byte

func openAPI(x *exchange, _ *http.Request) {
	x.Header().Set("Content-Type", "application/yaml")
	x.WriteHeader(http.StatusOK)
	_, _ = x.Write(openAPIDocument)
}

// docsPolicy keeps the page, whatever it loads, on this host.
const docsPolicy = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// docs renders the OpenAPI document.
type docs struct{ ui http.Handler }

// newDocs gives the page relative addresses, so that the handler may be mounted
// below a prefix.
func newDocs() docs {
	return docs{v5emb.NewHandlerWithConfig(swgui.Config{
		Title:            "corridor",
		SwaggerJSON:      "./../openapi.yaml",
		BasePath:         "docs/",
		InternalBasePath: "/docs/",
	})}
}

func (d docs) page(x *exchange, r *http.Request) {
	x.Header().Set("Content-Security-Policy", docsPolicy)
	x.Header().Set("X-Content-Type-Options", "nosniff")
	d.ui.ServeHTTP(x, r)
}

func (d docs) asset(x *exchange, r *http.Request) {
	switch r.PathValue("asset") {
	case "swagger-ui.css", "swagger-ui-bundle.js", "swagger-ui-standalone-preset.js",
		"favicon-16x16.png", "favicon-32x32.png":
		x.Header().Set("X-Content-Type-Options", "nosniff")
		d.ui.ServeHTTP(x, r)
	default:
		x.fail(notFound())
	}
}
