package wire_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/httpserver"
)

// The document and /docs refer to the path where the handler is mounted.
func TestTheDocumentHasThePrefix(t *testing.T) {
	t.Parallel()
	h, err := httpserver.New(&auth{}, httpserver.Services{RateLocks: &locks{}}, nil)
	require.NoError(t, err)
	mux := http.NewServeMux()
	mux.Handle("/", h)
	mux.Handle("/fx/", http.StripPrefix("/fx", h))
	for at, want := range map[string]string{
		"https://pay.example/openapi.yaml":    "https://pay.example/livez",
		"https://pay.example/fx/openapi.yaml": "https://pay.example/fx/livez",
	} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, at, nil))
		doc, err := openapi3.NewLoader().LoadFromData(w.Body.Bytes())
		require.NoError(t, err)
		require.NotNil(t, doc.Paths.Value("/livez"))
		document, err := url.Parse(at)
		require.NoError(t, err)
		server, err := document.Parse(doc.Servers[0].URL) // RFC 3986, 5
		require.NoError(t, err)
		require.Equal(t, want, strings.TrimSuffix(server.String(), "/")+"/livez")
	}
}
