package httpserver_test

import (
	"net/http/httptest"
	"os"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/httpserver"
)

// The document depends on the configured services.
func TestTheDocumentHasTheExistingRoutes(t *testing.T) {
	whole, err := os.ReadFile("openapi.yaml")
	require.NoError(t, err)
	all := everything()
	for name, services := range map[string]httpserver.Services{
		"no services":  {},
		"rate locks":   {RateLocks: all.RateLocks},
		"validations":  {Validations: all.Validations},
		"transactions": {Transactions: all.Transactions},
		"reports":      {Reports: all.Reports},
		"all":          all,
	} {
		t.Run(name, func(t *testing.T) {
			h, err := httpserver.New(auth{}, services, nil)
			require.NoError(t, err)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, request{method: "GET", path: "/openapi.yaml"}.make())
			doc, err := openapi3.NewLoader().LoadFromData(w.Body.Bytes())
			require.NoError(t, err)
			require.NoError(t, doc.Validate(t.Context()))
			var documented []string
			for path, item := range doc.Paths.Map() {
				for method, operation := range item.Operations() {
					if operation.Deprecated { // accepts all methods
						method = ""
					}
					documented = append(documented, method+" "+path)
				}
			}
			assert.ElementsMatch(t, httpserver.Routes(h), documented)
			assert.NotNil(t, doc.Webhooks)
			if name == "all" {
				assert.Equal(t, string(whole), w.Body.String())
			}
		})
	}
}

// TestTheDocumentIsValid also checks that it has exactly the routes of the mux.
func TestTheDocumentIsValid(t *testing.T) {
	text, err := os.ReadFile("openapi.yaml")
	require.NoError(t, err)
	doc, err := openapi3.NewLoader().LoadFromData(text)
	require.NoError(t, err)
	assert.True(t, doc.IsOpenAPI31OrLater())
	require.NoError(t, doc.Validate(t.Context()))

	var documented []string
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			if operation.Deprecated { // accepts all methods
				method = ""
			}
			documented = append(documented, method+" "+path)
			assert.NotEmpty(t, operation.Summary)
			for status, response := range operation.Responses.Map() {
				assert.Contains(t, response.Value.Headers, "x-trace-id", "%s %s %s", method, path, status)
			}
		}
	}
	assert.ElementsMatch(t, httpserver.Routes(newAPI(t, httpserver.Config{}).h), documented)
}
